import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Quote } from '../../../ingest/contract/quote.ts'
import { Known, type KnownMarket, quoteFigures, yesBps } from '../../../ingest/poll/known.ts'
import { digest } from '../../../ingest/venues/text.ts'

const market = (n: number): KnownMarket => ({
  figures: n,
  text: n + 0.5,
  market: -n,
  quote: 2 ** 52 + n,
  yesBps: n % 3 === 0 ? null : n / 2,
  venueMs: n % 2 === 0 ? null : 1_790_000_000_000 + n,
})
const read = (known: Known, id: string): KnownMarket | null => {
  const slot = known.find(id)
  if (slot === undefined) return null
  return {
    figures: known.figuresOf(slot),
    text: known.textOf(slot),
    market: known.marketOf(slot),
    quote: known.quoteOf(slot),
    yesBps: known.yesBpsOf(slot),
    venueMs: known.venueMsOf(slot),
  }
}

describe('VEN-07 every figure of a quote is news when it moves, alone; its clocks are not', () => {
  const figures = { bidBps: 1, askBps: 2, bidSize: 3, askSize: 4, lastBps: 5, previousBps: 6, volume24h: 7 }
  const changes = { changeHourBps: 8, changeDayBps: 9, changeWeekBps: 10 }
  const quote: Quote = { venue: 'a', marketId: 'm', ...figures, ...changes, venueMs: 11, seenMs: 12 }
  const clocks = ['venueMs', 'seenMs']
  test.each(Object.keys(Quote.shape).filter((name) => name !== 'venue' && name !== 'marketId'))(
    '%s',
    (name) => {
      const isSame = quoteFigures({ ...quote, [name]: 99 }) === quoteFigures(quote)
      expect(isSame).toBe(clocks.includes(name))
    },
  )
})

describe('VEN-05 the price whose unit is watched is the mid, else the last trade', () => {
  test.each([
    [4_000, 4_400, 100, 4_200],
    [4_000, null, 100, 100],
    [null, 4_400, 100, 100],
    [null, null, null, null],
  ])('bid %s, ask %s, last %s: %s', (bidBps, askBps, lastBps, price) => {
    expect(yesBps({ bidBps, askBps, lastBps } as Quote)).toBe(price)
  })
})

describe('what is known of markets', () => {
  test('behaves like a map of records, whatever is done to it', () => {
    const step = fc.record({
      id: fc.integer({ min: 0, max: 40 }).map(String),
      value: fc.integer({ min: 0, max: 1_000 }),
      what: fc.constantFrom('set', 'set', 'delete', 'compact'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const known = new Known()
        const model = new Map<string, KnownMarket>()
        for (const { id, value, what } of steps) {
          if (what === 'set') {
            known.set(id, market(value), value)
            model.set(id, market(value))
            expect(known.sweepOf(known.find(id)!)).toBe(value)
          }
          if (what === 'delete') {
            known.delete(id)
            model.delete(id)
          }
          if (what === 'compact') known.compact()
          expect(known.size).toBe(model.size)
        }
        expect(new Map([...known.ids()].map((id) => [id, read(known, id)]))).toEqual(model)
      }),
    )
  })
  test('grows without losing one', () => {
    const known = new Known()
    const seen = (n: number) => ({ ...read(known, String(n)), sweep: known.sweepOf(known.find(String(n))!) })
    for (let n = 0; n < 5_000; n++) known.set(String(n), market(n), 7)
    for (let n = 0; n < 5_000; n++) expect(seen(n)).toEqual({ ...market(n), sweep: 7 })
    expect(known.notSeenIn(7)).toEqual([])
  })
  test('grows, keeps slots for good, and gives back those that left once they are the larger part', () => {
    const known = new Known()
    for (let n = 0; n < 5_000; n++) known.set(String(n), market(n), 1)
    const slot = known.find('4321')!
    expect(known.compact()).toBe(false)
    for (let n = 0; n < 4_000; n++) known.delete(String(n))
    expect(known.find('4321')).toBe(slot)
    expect([known.isGone(0), known.isGone(slot)]).toEqual([true, false])
    known.set('0', market(7), 2)
    expect([known.isGone(0), known.isGone(known.find('0')!)]).toEqual([true, false]) // a place is never used again
    expect(known.compact()).toBe(true)
    expect(known.size).toBe(1_001)
    expect(read(known, '4321')).toEqual(market(4_321))
    expect(read(known, '0')).toEqual(market(7))
    expect(known.notSeenIn(2)).toHaveLength(1_000)
  })
  test('a touched market keeps its clock when the row has none', () => {
    const known = new Known()
    known.set('x', market(1), 1)
    const slot = known.find('x')!
    known.touch(slot, 8, 9, null)
    expect(read(known, 'x')).toEqual({ ...market(1), figures: 8, text: 9 })
    known.touch(slot, 8, 9, 5)
    expect(known.venueMsOf(slot)).toBe(5)
  })
})

describe('a digest tells texts apart', () => {
  test('equal texts agree, and it is a safe integer', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(digest(text)).toBe(digest(`${text}`.split('').join('')))
        expect(Number.isSafeInteger(digest(text))).toBe(true)
        expect(digest(text)).toBeGreaterThanOrEqual(0)
      }),
    )
  })
  test('one unit more, less or other: another digest', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.nat(65_535), (text, place, unit) => {
        const at = place % (text.length + 1)
        const char = String.fromCharCode(unit)
        const others = [
          text.slice(0, at) + char + text.slice(at),
          text.slice(0, at) + char + text.slice(at + 1),
        ]
        for (const other of others) if (other !== text) expect(digest(other)).not.toBe(digest(text))
      }),
    )
  })
  test('all prices of two decimals, in all pairs of places, and many similar texts: no two alike', () => {
    const seen = new Set<number>()
    let texts = 0
    for (let bid = 0; bid < 200; bid++)
      for (let ask = 0; ask < 200; ask++) {
        seen.add(digest(`|0.${bid}|0.${ask}|'x`))
        seen.add(digest(`|${bid}|${ask}|0|`))
        texts += 2
      }
    for (let n = 0; n < 300_000; n++) {
      seen.add(digest(`Will team ${n} win?`))
      texts++
    }
    expect(seen.size).toBe(texts)
  })
})
