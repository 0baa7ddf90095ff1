import { setFlagsFromString } from 'node:v8'
import { expect, test } from 'vitest'
import { EventCache } from '../../../ingest/poll/eventCache.ts'
import { Known } from '../../../ingest/poll/known.ts'
import { commitPage, planPage } from '../../../ingest/poll/planPage.ts'
import { GLANCE_A, readEventA } from '../../../ingest/venues/a/map.ts'
import { GLANCE_B, readEventB } from '../../../ingest/venues/b/map.ts'
import { type ReadRaw, readPage } from '../../../ingest/venues/readPage.ts'
import { isRead, type RawRow } from '../../../ingest/venues/venue.ts'
import { eventA, eventB, marketA, marketB, SEEN_MS } from '../support/rows.ts'

setFlagsFromString('--allow-natives-syntax')
const hasSameClass = new Function('one', 'other', 'return %HaveSameMap(one, other)') as (
  one: RawRow,
  other: RawRow,
) => boolean

/** Rows of two pages that follow each other: the first parsed, of the second one glanced at and one refused. */
function rowsOf(readRaw: ReadRaw, glance: typeof GLANCE_A, pages: unknown[][]): RawRow[] {
  const [known, cache] = [new Known(), new EventCache()]
  return pages.flatMap((events, sweepId) => {
    cache.begin(sweepId, known, SEEN_MS)
    const page = readPage(Buffer.from(JSON.stringify({ events })), cache, readRaw, glance)
    commitPage(known, page, planPage(known, page, sweepId, SEEN_MS), sweepId, cache)
    cache.end(true)
    return page.events.flatMap((event) => (isRead(event) ? event.rows : []))
  })
}

test('rows are of one hidden class, wherever they are made: what reads them stays compiled', () => {
  const a = [{ id: 'm1' }, { id: 'm2', updatedAt: null }, { id: 'm3', active: false }]
  const b = [{ ticker: 'M1' }, { ticker: 'M2' }, { ticker: 'M3', status: 'closed' }]
  const rows = [
    ...rowsOf(readEventA, GLANCE_A, [
      [eventA(a.map(marketA))],
      [eventA([{ ...a[0], bestBid: 0.41 }, ...a.slice(1)].map(marketA))],
    ]),
    ...rowsOf((raw) => readEventB(raw, () => null, SEEN_MS), GLANCE_B, [
      [eventB(b.map(marketB))],
      [eventB([{ ...b[0], yes_bid_dollars: '0.4000' }, ...b.slice(1)].map(marketB))],
    ]),
  ]
  expect(rows.map(({ marketId, drop }) => `${marketId} ${drop}`)).toEqual([
    ...['m1 null', 'm2 null', 'm3 not_tradable', 'm1 null'],
    ...['M1 null', 'M2 null', 'M3 not_tradable', 'M1 null'],
  ])
  expect(rows.filter((row) => !hasSameClass(row, rows[0]!)).map(({ marketId }) => marketId)).toEqual([])
})
