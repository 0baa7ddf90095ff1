import { describe, expect, test } from 'vitest'
import { SeriesTerms } from '../../../../ingest/venues/b/seriesTerms.ts'
import { HOUR, MINUTE } from '../../../../ops/units.ts'

const never = new AbortController().signal
const START = Date.UTC(2026, 10, 28)
const listed = (ticker: string, fee_multiplier: number, fee_type = 'quadratic') => ({
  ticker,
  category: 'Sports',
  fee_type,
  fee_multiplier,
})
const announced = (series_ticker: string, afterMs: number, terms: object) => ({
  id: 'x',
  series_ticker,
  scheduled_ts: new Date(START + afterMs).toISOString(),
  ...terms,
})

/** A world whose clocks go together; a test may change what the venue answers. */
function world() {
  const venue = {
    series: [listed('NHL', 1), listed('NBA', 1)],
    changes: [] as unknown,
    asked: [] as string[],
  }
  let atMs = 0
  const ask = async (path: string) => {
    venue.asked.push(path)
    if (path === '/series') return { series: venue.series }
    if (venue.changes === null) throw new Error('404')
    return { series_fee_change_arr: venue.changes }
  }
  const terms = new SeriesTerms(ask, { nowMs: () => atMs })
  const at = (ms: number) => {
    atMs = ms
    return terms.refresh(START + ms, never)
  }
  const multipliers = () => ['NHL', 'NBA'].map((ticker) => terms.of(ticker)?.feeMultiplier ?? null)
  return { venue, terms, at, multipliers }
}

describe('VEN-21: an announced fee holds from its instant on', () => {
  test('not a millisecond before, and nobody waits for the next list', async () => {
    const { venue, at, multipliers } = world()
    venue.changes = [announced('NHL', 20 * MINUTE, { fee_type: 'quadratic', fee_multiplier: 2 })]
    expect(await at(0)).toBe(true)
    expect(await at(20 * MINUTE - 1)).toBe(false)
    expect(multipliers()).toEqual([1, 1])
    venue.changes = [] //  a change that has come is no longer announced
    expect(await at(20 * MINUTE)).toBe(true)
    expect(multipliers()).toEqual([2, 1])
    expect(await at(50 * MINUTE)).toBe(false)
    expect(multipliers()).toEqual([2, 1])
    expect(venue.asked.filter((path) => path === '/series')).toHaveLength(1)
  })

  test('the next list has the last word', async () => {
    const { venue, at, multipliers } = world()
    venue.changes = [announced('NHL', 20 * MINUTE, { fee_type: 'quadratic', fee_multiplier: 2 })]
    await at(0)
    await at(20 * MINUTE)
    venue.changes = null
    expect(await at(HOUR)).toBe(true) //  called off: the list of an hour later does not have it
    expect(multipliers()).toEqual([1, 1])
    venue.series = [listed('NHL', 3), listed('NBA', 1)]
    expect(await at(2 * HOUR)).toBe(true)
    expect(multipliers()).toEqual([3, 1])
  })

  test('it is heard of within five minutes, and called off as soon', async () => {
    const { venue, at, multipliers } = world()
    await at(0)
    venue.changes = [
      announced('NHL', 6 * MINUTE, { fee_multiplier: 2 }),
      announced('NBA', 11 * MINUTE, { fee_multiplier: 2 }),
    ]
    await at(5 * MINUTE)
    venue.changes = []
    await at(10 * MINUTE)
    await at(30 * MINUTE)
    expect(multipliers()).toEqual([2, 1])
  })

  test('two of one series come one after the other, however they are listed', async () => {
    const { venue, at, multipliers } = world()
    venue.changes = [
      announced('NHL', 2 * MINUTE, { fee_multiplier: 0 }),
      announced('NHL', 1 * MINUTE, { fee_multiplier: 2 }),
    ]
    await at(0)
    await at(1 * MINUTE)
    expect(multipliers()).toEqual([2, 1])
    await at(2 * MINUTE)
    expect(multipliers()).toEqual([0, 1])
  })

  test('what it leaves out stays as it was', async () => {
    const { venue, terms, at } = world()
    venue.changes = [announced('NHL', MINUTE, { fee_type: 'flat' })]
    await at(0)
    await at(MINUTE)
    expect(terms.of('NHL')).toEqual({ category: 'Sports', tags: [], feeType: 'flat', feeMultiplier: 1 })
  })

  test.each([
    ['an instant that is none', { scheduled_ts: 'soon' }],
    ['a multiplier that is none', { fee_multiplier: '2' }],
    ['a series that is not listed', { series_ticker: 'XYZ' }],
  ])('%s changes nothing', async (_, odd) => {
    const { venue, terms, at, multipliers } = world()
    venue.changes = [{ ...announced('NHL', MINUTE, { fee_multiplier: 2 }), ...odd }]
    await at(0)
    expect(await at(MINUTE)).toBe(false)
    expect(multipliers()).toEqual([1, 1])
    expect(terms.of('XYZ')).toBe(null)
  })

  test.each([
    ['not served', null],
    ['of another shape', 'something else'],
  ])('announcements that are %s: those known hold, and they are asked for again', async (_, odd) => {
    const { venue, at, multipliers } = world()
    venue.changes = [announced('NHL', 7 * MINUTE, { fee_multiplier: 2 })]
    await at(0)
    venue.changes = odd
    await at(5 * MINUTE)
    expect(await at(7 * MINUTE)).toBe(true)
    expect(multipliers()).toEqual([2, 1])
    venue.changes = [announced('NBA', 11 * MINUTE, { fee_multiplier: 2 })]
    await at(10 * MINUTE)
    await at(11 * MINUTE)
    expect(multipliers()).toEqual([2, 2])
  })

  test('without a list there is nothing to change, and nothing is asked', async () => {
    const { venue, at } = world()
    venue.series = []
    expect(await at(0)).toBe(false)
    expect(venue.asked).toEqual(['/series'])
  })
})
