import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXAMPLE_QUERIES } from '../../../api/history/queries.ts'
import type { FeedCard } from '../../../engine/contract/feed.ts'
import { episodeRows, feedRows, type MapEntry } from '../../../engine/history/rows.ts'
import { archiveRows } from '../../../ingest/archive/rows.ts'
import type { Quote } from '../../../ingest/contract/quote.ts'
import type { Batch } from '../../../ingest/contract/stream.ts'
import { clickhouseSink } from '../../../ops/clickhouseSink.ts'
import { instant } from '../../../ops/instant.ts'
import { migrate } from '../../../ops/migrate.ts'
import { DAY, HOUR, MINUTE } from '../../../ops/units.ts'
import { episode, feedEvent, pairOf } from '../../engine/history/support.ts'
import { quote } from '../../engine/support/markets.ts'
import { sliceOf, startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts'

const DATABASE = 'microdata'
/** The day before yesterday: market clock and real clock are the same, as where the venues are live. */
const DAY_MS = Math.floor(Date.now() / DAY) * DAY - 2 * DAY
const at = (hour: number, minute = 0): number => DAY_MS + hour * HOUR + minute * MINUTE

let clickhouse: TestClickhouse
beforeAll(async () => {
  clickhouse = await startClickhouse()
  await migrate(sliceOf(clickhouse, DATABASE))
})
afterAll(() => clickhouse?.stop())

let seq = 0
/** What its drain makes of an entry of a stream. */
async function keep(map: MapEntry, ms: number, fields: Record<string, string>): Promise<void> {
  seq += 1
  const sink = clickhouseSink(clickhouse.client({ database: DATABASE }))
  for (const { table, rows } of map({ id: `${ms}-${seq}`, ms, seq, fields })!)
    if (rows.length > 0) await sink.insert(table, rows, `${ms}-${seq}`)
}
const batch = (ms: number, venue: 'a' | 'b', { quotes = [], closed = [] }: Partial<Told>) =>
  keep(archiveRows, ms, {
    batch: JSON.stringify({ kind: 'changes', venue, markets: [], quotes, closed } satisfies Batch),
  })
type Told = { quotes: Quote[]; closed: string[] }

/** A quote whose mid this is; null: there is no bid. `aheadMs`: of the real clock. */
const mid = (venue: 'a' | 'b', id: string, bps: number | null, seenMs: number, aheadMs = 0) =>
  batch(seenMs + aheadMs, venue, {
    quotes: [quote(venue, id, bps === null ? null : bps - 50, (bps ?? 5_000) + 50, { seenMs })],
  })
const closes = (venue: 'a' | 'b', id: string, ms: number) => batch(ms, venue, { closed: [id] })

/** As an analyst would send it. */
async function found(name: string, params: Record<string, string> = {}) {
  const { sql } = EXAMPLE_QUERIES.find((query) => query.name === name)!
  const client = clickhouse.client({
    username: 'analyst',
    password: clickhouse.analystPassword,
    database: DATABASE,
  })
  const answer = await client.query({ query: sql, query_params: params, format: 'JSONEachRow' })
  return answer.json<Record<string, unknown>>()
}

describe('side-by-side: a market that has closed has no mid', () => {
  const sideBySide = async (id: string) =>
    (await found('side-by-side', { pair: pairOf(id) })).map(({ hour, a_bps, b_bps, gap_cents }) => [
      String(hour).slice(11, 16),
      a_bps,
      b_bps,
      gap_cents,
    ])
  /** Both quote from 1:00 on, b until 3:05; a goes on. */
  async function pair(id: string, verdict = 'identity', aheadMs = 0) {
    const [a, b] = [`A${id}`, `KXB-${id}`]
    const row = episode(id, at(1), at(3), { verdict })
    await keep(episodeRows, at(3), { episode: JSON.stringify(row) })
    await mid('a', a, 5_050, at(1), aheadMs)
    await mid('b', b, 5_350, at(1), aheadMs)
    await mid('b', b, 5_250, at(3, 5), aheadMs)
    await mid('a', a, 8_050, at(5), aheadMs)
    await mid('a', a, 9_850, at(7), aheadMs)
    return { a, b }
  }
  const untilThen = [
    ['01:00', 5_050, 5_350, 3],
    ['02:00', 5_050, 5_350, 3],
  ]

  test('from the hour in which it closed, though the other one goes on', async () => {
    const { b } = await pair('1')
    await closes('b', b, at(3, 30))
    expect(await sideBySide('1')).toEqual(untilThen)
  })
  test('nor has one that is turned round', async () => {
    const { b } = await pair('2', 'inverted')
    await closes('b', b, at(3, 30))
    expect(await sideBySide('2')).toEqual([
      ['01:00', 5_050, 4_650, 4],
      ['02:00', 5_050, 4_650, 4],
    ])
  })
  test('an hour without any quote in which one closed', async () => {
    const { a } = await pair('3')
    await closes('a', a, at(4, 20))
    expect(await sideBySide('3')).toEqual([
      ...untilThen,
      ['03:00', 5_050, 5_250, 2],
      ['05:00', 8_050, 5_250, 28],
      ['06:00', 8_050, 5_250, 28],
      ['07:00', 9_850, 5_250, 46],
    ])
  })
  test('one that comes back is shown again from its first mid on', async () => {
    const { b } = await pair('4')
    await closes('b', b, at(3, 30))
    await mid('b', b, null, at(5, 15))
    await mid('b', b, 9_050, at(6, 15))
    expect(await sideBySide('4')).toEqual([
      ...untilThen,
      ['06:00', 8_050, 9_050, 10],
      ['07:00', 9_850, 9_050, 8],
    ])
  })
  test('one that comes back within the hour', async () => {
    const { b } = await pair('5')
    await closes('b', b, at(3, 20))
    await mid('b', b, 5_150, at(3, 40))
    expect((await sideBySide('5')).slice(0, 4)).toEqual([
      ...untilThen,
      ['03:00', 5_050, 5_150, 1],
      ['04:00', 5_050, 5_150, 1],
    ])
  })
  test('what closes after the last quote of either makes no more hours', async () => {
    const { a, b } = await pair('6')
    await closes('b', b, at(9))
    await closes('a', a, at(9))
    expect((await sideBySide('6')).at(-1)).toEqual(['07:00', 9_850, 5_250, 46])
  })
  test('of a recording, whose market clock is another, the hours stay those of its quotes', async () => {
    const { b } = await pair('7', 'identity', DAY)
    await closes('b', b, at(3, 30) + DAY)
    expect((await sideBySide('7')).at(-1)).toEqual(['07:00', 9_850, 5_250, 46])
  })
})

describe('flags-and-persistence: what a gap carried when it opened', () => {
  test('not what its card carried when it came back within the same gap', async () => {
    const [openedMs, id] = [at(1), '8']
    const tell = (kind: 'opened' | 'closed', atMs: number, riskFlags: FeedCard['riskFlags']) =>
      keep(feedRows, atMs, {
        event: JSON.stringify(feedEvent(kind, { id, openedMs, atMs, card: { riskFlags } })),
      })
    await tell('opened', at(1), ['young_gap', 'settles_differently'])
    await tell('closed', at(1, 10), ['settles_differently'])
    await tell('opened', at(1, 11), ['wide_spread', 'settles_differently'])
    const row = episode(id, openedMs, at(2))
    await keep(episodeRows, at(2), { episode: JSON.stringify(row) })
    expect(await found('flags-and-persistence', { day: instant(openedMs).slice(0, 10) })).toEqual([
      { flag: 'settles_differently', gaps: 1, median_life_s: 3_600, share_narrowed: 1 },
      { flag: 'young_gap', gaps: 1, median_life_s: 3_600, share_narrowed: 1 },
    ])
  })
})
