import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TopicRow } from '../../../../engine/contract/topics.ts'
import { BookTable } from '../../../../engine/core/boards/liquidBook.ts'
import { Listings } from '../../../../engine/core/boards/listings.ts'
import { MoversTable } from '../../../../engine/core/boards/movers.ts'
import { TopicsTable, topicLists } from '../../../../engine/core/boards/topics.ts'
import type { Listed } from '../../../../engine/core/gapRow.ts'
import { marketA, marketB, quote } from '../../support/markets.ts'
import { takeSome } from '../../support/steps.ts'
import { asPublished, bookBoard, countAll, moversBoard, topicsBoard } from './atOnce.ts'
import { listener } from './listener.ts'
import { NOW_MS } from './support.ts'

/** A market comes or moves, one goes, or time passes. */
const step = fc.record({
  kind: fc.constantFrom('set', 'set', 'set', 'ahead', 'go', 'wait', 'back', 'pair', 'part'),
  venue: fc.constantFrom('a' as const, 'b' as const),
  id: fc.nat(12),
  change: fc.option(fc.integer({ min: -3, max: 3 })),
  volume24h: fc.constantFrom(0, 24, 25, 100),
  closesInMs: fc.option(fc.integer({ min: -2, max: 6 })),
  placeholder: fc.boolean(),
  approach: fc.nat(3), //  how many of its steps are taken
})
const MAX_TOPICS = 3

test('tables kept current market by market say what counting all markets says', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const known = { a: new Map<string, Listed>(), b: new Map<string, Listed>() }
      const pairs = new Map<string, { pairId: string }>()
      const pairOf = (_venue: 'a' | 'b', marketId: string) => pairs.get(marketId) ?? null
      const [movers, book, topics] = [new MoversTable(), new BookTable(), new TopicsTable(pairOf, MAX_TOPICS)]
      const listings = new Listings([movers, book, topics])
      let nowMs = NOW_MS
      for (const { kind, venue, id, change, volume24h, closesInMs, placeholder, approach } of steps) {
        const marketId = `${id}`
        if (kind === 'wait') nowMs += 2
        else if (kind === 'back') nowMs -= 3
        else if (kind === 'go') known[venue].delete(marketId)
        else if (kind === 'pair') pairs.set(marketId, { pairId: marketId })
        else if (kind === 'part') pairs.delete(marketId)
        else {
          const text = { closeMs: closesInMs === null ? null : NOW_MS + closesInMs, placeholder }
          const market = (venue === 'a' ? marketA : marketB)(marketId, `Title ${id}`, text)
          const changed =
            venue === 'a'
              ? { changeHourBps: change }
              : { previousBps: 5, lastBps: change === null ? null : 5 + change }
          known[venue].set(marketId, {
            market,
            quote: quote(venue, marketId, 10, 20, { volume24h, ...changed }),
          })
        }
        //  here the markets of both venues with the same id are a pair
        for (const of of kind === 'pair' || kind === 'part' ? (['a', 'b'] as const) : [venue])
          listings.touch(of, marketId)
        const find = (of: 'a' | 'b', wanted: string) => known[of].get(wanted) ?? null
        if (kind === 'ahead') {
          takeSome(listings.approach(find, nowMs), approach)
          takeSome(topics.approach(listings), approach)
          continue
        }
        listings.look(find, nowMs)
        const markets = { a: known.a.values(), b: known.b.values() }
        expect(movers.board(listings)).toEqual(moversBoard(markets, nowMs))
        const again = { a: known.a.values(), b: known.b.values() }
        expect(book.board(listings)).toEqual(bookBoard(again, nowMs))
        const third = { a: known.a.values(), b: known.b.values() }
        expect(asPublished(topics.board(listings))).toEqual(topicsBoard(third, pairOf, nowMs, MAX_TOPICS))
      }
    }),
  )
})

test('topics of a new world begin with empty lists, and who follows them is told what is different', () => {
  const lists = topicLists(MAX_TOPICS)
  const told = listener<TopicRow>(lists.a)
  const begin = (...ids: string[]) => {
    const table = new TopicsTable(() => null, MAX_TOPICS, lists)
    const a = ids.map((id) => ({ market: marketA(id, `Title ${id}`), quote: quote('a', id, 10, 20) }))
    const { a: board } = asPublished(table.board(countAll({ a, b: [] }, NOW_MS, table)))
    return [board, told()].map((rows) => rows.map((row) => row?.marketId))
  }
  expect(begin('1', '2')).toEqual([
    ['1', '2'],
    ['1', '2'],
  ])
  expect(begin('2', '3')).toEqual([
    ['2', '3'],
    ['2', '3'],
  ])
})
