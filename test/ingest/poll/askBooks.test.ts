import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { askBooks, bookKey, EXTRA_READS, REFUSED_MS, type Refusals } from '../../../ingest/poll/askBooks.ts'
import { createVenueA } from '../../../ingest/venues/a/client.ts'
import { createVenueB } from '../../../ingest/venues/b/client.ts'
import type { WantedBook } from '../../../ingest/venues/venue.ts'
import { createHttpClient } from '../../../ops/http.ts'

const PER_READ = 100
const books = (count: number): WantedBook[] =>
  Array.from({ length: count }, (_, at) => ({ marketId: `m${at}`, token: `${at}` }))

/** A venue that refuses every read with an id of `bad`, and notes what it is asked. */
function venueRefusing(bad: Set<string>) {
  const asked: string[][] = []
  const depth = new Set<string>()
  const ask = async (some: WantedBook[]) => {
    const ids = some.map(({ token }) => token)
    asked.push(ids)
    if (ids.some((id) => bad.has(id))) return false
    for (const id of ids) depth.add(id)
    return true
  }
  return { asked, depth, ask }
}
const round = (
  wanted: WantedBook[],
  refusals: Refusals,
  ask: (some: WantedBook[]) => Promise<boolean>,
  { nowMs = 0, random = 0 } = {},
) => askBooks(wanted, refusals, { perRead: PER_READ, nowMs, random, ask })

describe('VEN-01: whichever wanted book a venue refuses, one round finds it', () => {
  test('the reads a round may add are enough for as many books as a venue is asked for at once', () => {
    const http = createHttpClient({ timeoutMs: 1, maxBytes: 1 })
    for (const { booksPerRead } of [
      createVenueA({ http, catalogUrl: 'http://x', bookUrl: 'http://x' }),
      createVenueB({ http, url: 'http://x' }),
    ]) {
      expect(booksPerRead).toBe(PER_READ)
      expect(EXTRA_READS).toBeGreaterThanOrEqual(2 * Math.ceil(Math.log2(booksPerRead)))
    }
  })
  test.each([1, 2, 3, 99, 100, 101, 250])('of %i', async (count) => {
    const wanted = books(count)
    for (const { token } of wanted) {
      const { asked, depth, ask } = venueRefusing(new Set([token]))
      const refusals: Refusals = new Map()
      const { refused, nothing } = await round(wanted, refusals, ask)
      expect([depth.size, refused, nothing]).toEqual([count - 1, 1, count === 1])
      expect([...refusals.keys()]).toEqual(count === 1 ? [] : [`m${token}|${token}`])
      expect(asked.length).toBeLessThanOrEqual(Math.ceil(count / PER_READ) + EXTRA_READS)
    }
  })
  test('with many of them every round costs no more, none of the good is held against, all come to be read', async () => {
    const rounds = fc.record({
      count: fc.integer({ min: 1, max: 350 }),
      refused: fc.array(fc.integer({ min: 0, max: 349 }), { maxLength: 40 }),
      crowd: fc.integer({ min: 0, max: 60 }), //  a whole stretch of them
      seed: fc.integer({ min: 1, max: 2_147_483_646 }),
    })
    await fc.assert(
      fc.asyncProperty(rounds, async ({ count, refused, crowd, seed }) => {
        const wanted = books(count)
        const bad = new Set([
          ...refused.map(String),
          ...wanted.slice(-crowd || count).map(({ token }) => token),
        ])
        const good = wanted.filter(({ token }) => !bad.has(token))
        const { asked, depth, ask } = venueRefusing(bad)
        const refusals: Refusals = new Map()
        let state = seed
        for (let left = 2_000; depth.size < good.length && left > 0; left--) {
          const before = asked.length
          state = (state * 48_271) % 2_147_483_647
          await round(wanted, refusals, ask, { random: state / 2_147_483_647 })
          expect(asked.length - before).toBeLessThanOrEqual(Math.ceil(count / PER_READ) + EXTRA_READS)
        }
        expect(depth.size).toBe(good.length)
        for (const book of good) expect(refusals.has(bookKey(book))).toBe(false)
      }),
      { numRuns: 60 },
    )
  })
})

describe('a refused book is asked for by itself, when its time has come', () => {
  test.each([
    [0, false],
    [REFUSED_MS - 1, false],
    [REFUSED_MS, true],
  ])('after %i ms: %s', async (nowMs, again) => {
    const { asked, ask } = venueRefusing(new Set(['3']))
    const refusals: Refusals = new Map()
    await round(books(5), refusals, ask)
    asked.length = 0
    expect(await round(books(5), refusals, ask, { nowMs })).toEqual({ refused: 1, nothing: false })
    expect(asked).toEqual([['0', '1', '2', '4'], ...(again ? [['3']] : [])])
    expect(refusals.get('m3|3')).toBe((again ? nowMs : 0) + REFUSED_MS)
  })
  test('and is one of all again when it is answered', async () => {
    const bad = new Set(['3'])
    const { asked, ask } = venueRefusing(bad)
    const refusals: Refusals = new Map()
    await round(books(5), refusals, ask)
    bad.clear()
    expect(await round(books(5), refusals, ask, { nowMs: REFUSED_MS })).toEqual({
      refused: 0,
      nothing: false,
    })
    asked.length = 0
    await round(books(5), refusals, ask, { nowMs: REFUSED_MS })
    expect(asked).toEqual([['0', '1', '2', '3', '4']])
  })
  test('of many that are due, a round asks for as many as it may add', async () => {
    const wanted = books(60)
    const refusals: Refusals = new Map(wanted.slice(10).map((book) => [bookKey(book), 5]))
    const { asked, ask } = venueRefusing(new Set(wanted.slice(10).map(({ token }) => token)))
    expect(await round(wanted, refusals, ask, { nowMs: 5 })).toEqual({ refused: 50, nothing: false })
    expect(asked).toHaveLength(1 + EXTRA_READS)
  })
})

describe('what refuses everything says nothing about a book', () => {
  test('nothing is remembered, and the round says so', async () => {
    const refusals: Refusals = new Map()
    expect(await round(books(300), refusals, async () => false)).toEqual({ refused: 300, nothing: true })
    expect(refusals.size).toBe(0)
  })
  test('with nothing to ask there is nothing refused', async () => {
    const refusals: Refusals = new Map([['m0|0', 10]])
    expect(await round(books(1), refusals, async () => false)).toEqual({ refused: 1, nothing: false })
  })
  test('what was found before a read failed otherwise is remembered', async () => {
    const refusals: Refusals = new Map()
    const { ask } = venueRefusing(new Set(['3', '60']))
    let reads = 0
    const failing = (some: WantedBook[]) => {
      if (++reads > 16) throw new Error('the venue went away')
      return ask(some)
    }
    await expect(round(books(100), refusals, failing)).rejects.toThrow('the venue went away')
    expect([...refusals.keys()]).toEqual(['m60|60'])
  })
})
