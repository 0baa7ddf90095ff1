import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Draft } from '../../../api/goods/good.ts'
import { gapBucket } from '../../../api/goods/market/gapBucket.ts'
import { match } from '../../../api/goods/market/match.ts'
import { spread } from '../../../api/goods/market/spread.ts'
import { fresherDraftOf } from '../../../api/payment/draftOf.ts'
import type { GapRow } from '../../../engine/contract/gaps.ts'
import type { TopicRow } from '../../../engine/contract/topics.ts'
import { someGap, someLeg, someTopic } from '../../support/boards.ts'
import { gapsBody, NOW, portsOver, topicsBody } from './support.ts'

const over = (rows: GapRow[], topics: TopicRow[] = []) =>
  portsOver({ gaps: gapsBody(rows), topics: topicsBody(topics) })

describe('INP-15 the gap in 10-cent buckets, by integers; the lower end belongs to its bucket', () => {
  test.each([
    [0, 0],
    [0.01, 0],
    [100 * (0.58 - 0.51), 0], // 6.999999999999995
    [9.99, 0],
    [9.999999999999998, 10], //  a binary neighbour of 10.00
    [10, 10],
    [10.01, 10],
    [19.99, 10],
    [20, 20],
    [99.99, 90],
    [100, 100],
  ])('%d cents', (cents, fromCents) => {
    expect(gapBucket(cents)).toEqual({ fromCents, toCents: fromCents + 10 })
  })
})

describe('4.1 rule 3: match says whether each venue has the topic, which is cheaper, and the bucket', () => {
  test('a pair with a price on both sides', () => {
    expect(
      match.answer({ q: ' fed rates ' }, over([someGap({ gapCents: 12.5, cheaperVenue: 'b' })])),
    ).toMatchObject({
      result: {
        match: {
          found: true,
          q: 'fed rates',
          venueA: { found: true },
          venueB: { found: true },
          samePair: true,
          cheaperVenue: 'b',
          gapBucket: { fromCents: 10, toCents: 20 },
          matchVerdict: 'identity',
          matchReasons: ['title'],
          maxSpendUsdc: 0.1,
        },
        snapshot: { name: 'gaps' },
      },
    })
  })

  test.each([
    ['only venue A', [someTopic({ topic: 'Beyonce album' })], true, false],
    ['only venue B', [someTopic({ venue: 'b', topic: 'Beyonce album' })], false, true],
    ['neither', [], false, false],
    [
      'both, not as one pair',
      [someTopic({ topic: 'Beyonce album' }), someTopic({ venue: 'b', topic: 'Album by Beyonce' })],
      true,
      true,
    ],
  ])('no pair, %s: honest, and nothing is compared', (_, topics, a, b) => {
    expect(match.answer({ q: 'beyonce album' }, over([someGap()], topics))).toMatchObject({
      result: {
        match: {
          found: a || b,
          venueA: { found: a },
          venueB: { found: b },
          samePair: false,
          cheaperVenue: null,
          gapBucket: null,
        },
        snapshot: { name: 'topics' },
      },
    })
  })

  test('a pair without a price on one side: found on both by the words of either, and not compared', () => {
    const half = {
      a: { pairId: 'p7', topic: 'Devils win the Cup' },
      b: { pairId: 'p7', topic: 'New Jersey' },
    }
    const topics = [someTopic(half.a), someTopic({ venue: 'b', ...half.b })]
    for (const q of ['devils cup', 'new jersey'])
      expect(match.answer({ q }, over([], topics))).toMatchObject({
        result: {
          match: {
            found: true,
            samePair: true,
            cheaperVenue: null,
            gapBucket: null,
            venueA: { found: true, title: half.a.topic },
            venueB: { found: true, title: half.b.topic },
          },
          matchPrecision: { judged: expect.any(Number) },
        },
      })
    const apart = [topics[0]!, someTopic({ venue: 'b', ...half.b, pairId: 'p8' })]
    expect(match.answer({ q: 'devils' }, over([], apart))).toMatchObject({
      result: { match: { samePair: false, venueB: { found: false } } },
    })
  })

  test('the very question of a pair without a price: that pair, and never the price of another with all of its words', () => {
    const topic = 'Will Mexico grow above 0.1%?'
    const topics = [
      someTopic({ topic: 'Mexico: will it grow above 0.1% or 0.2%?', pairId: 'p9' }),
      someTopic({ topic, pairId: 'p7' }),
      someTopic({ venue: 'b', topic: 'Mexico, 0.1%', pairId: 'p7' }),
    ]
    const other = someGap({
      topic: 'Will Mexico grow above -0.1%?',
      b: someLeg({ title: 'Mexico above -0.1%' }),
    })
    const ports = over([other], topics)
    for (const q of [topic, 'will mexico grow above 0.1%', 'mexico 0.1%']) {
      expect(match.answer({ q }, ports)).toMatchObject({
        result: {
          match: {
            samePair: true,
            gapBucket: null,
            venueA: { found: true, title: topic },
            venueB: { found: true, title: 'Mexico, 0.1%' },
          },
        },
      })
      expect(spread.answer({ q }, ports)).toMatchObject({ result: { spread: { found: false, q } } })
    }
    for (const q of ['mexico grow above', other.topic])
      expect(spread.answer({ q }, ports)).toMatchObject({ result: { spread: { topic: other.topic } } })
    const unpaired = over([other], [someTopic({ topic, pairId: null })])
    expect(spread.answer({ q: topic }, unpaired)).toMatchObject({
      result: { spread: { topic: other.topic } },
    })
    expect(spread.answer({ q: topic }, portsOver({ gaps: gapsBody([other]) }))).toMatchObject({
      result: { spread: { topic: other.topic } },
    })
  })

  test('legs of two pairs that both have the topic are not one pair', () => {
    const topic = 'Devils win the Cup'
    const topics = [someTopic({ topic, pairId: 'p7' }), someTopic({ venue: 'b', topic, pairId: 'p8' })]
    const { result } = match.answer({ q: 'devils cup' }, over([], topics)) as Draft
    expect(result).toMatchObject({
      match: { venueA: { found: true }, venueB: { found: true }, samePair: false },
    })
    expect(result).not.toHaveProperty('matchPrecision')
  })

  test('VEN-11 a pair whose contract of venue B has closed is none', () => {
    const closed = someGap({ b: someLeg({ closeMs: NOW }) })
    const open = someGap({ pairId: 'other', gapCents: 42, b: someLeg({ closeMs: NOW + 1 }) })
    expect(match.answer({ q: 'fed rates' }, over([closed]))).toMatchObject({
      result: { match: { samePair: false, gapBucket: null } },
    })
    expect(match.answer({ q: 'fed rates' }, over([closed, open]))).toMatchObject({
      result: { match: { samePair: true, gapBucket: { fromCents: 40 } } },
    })
  })

  test('refreshed at settlement when the pair is gone since: one version counts for both answers', async () => {
    const version = (ports: ReturnType<typeof over>, gaps: number) => {
      const { gaps: held } = ports.boards
      return {
        ...ports,
        boards: { ...ports.boards, gaps: { ...held!, snapshot: { ...held!.snapshot, version: gaps } } },
      }
    }
    const claimed = (await match.answer({ q: 'fed rates' }, version(over([someGap()]), 9_000))) as Draft
    expect(claimed).toMatchObject({ snapshotVersion: 9_000, result: { match: { samePair: true } } })
    const later = version(over([], [someTopic()]), 9_001)
    expect(await fresherDraftOf(match, { q: 'fed rates' }, later, 9_000)).toMatchObject({
      snapshotVersion: 9_001,
      result: { match: { samePair: false } },
    })
    expect(await fresherDraftOf(match, { q: 'fed rates' }, later, 9_001)).toBeNull()
  })

  test('without topics a miss cannot be told, so it is not sold', () => {
    expect(match.answer({ q: 'tennis' }, portsOver({ gaps: gapsBody([someGap()]) }))).toMatchObject({
      problem: 'no_data',
    })
  })

  test.each([
    [{}, false],
    [{ q: '' }, false],
    [{ q: '  ' }, false],
    [{ q: 'a'.repeat(8 * 1024) }, true],
    [{ q: 'a'.repeat(8 * 1024 + 1) }, false],
    [{ q: 'é'.repeat(4 * 1024 + 1) }, false], // bytes count, not letters
    [{ q: 'fed' }, true],
  ])('q is required and bounded: %o', (input, accepted) => {
    expect(match.input.safeParse(input).success).toBe(accepted)
  })
})

const price = fc.integer({ min: 1, max: 9_999 })
const leg = fc.record({
  bidBps: fc.option(price),
  askBps: fc.option(price),
  midBps: price,
  bidSize: fc.option(fc.integer({ min: 0, max: 1e6 })),
  askSize: fc.option(fc.integer({ min: 0, max: 1e6 })),
  volume24h: fc.integer({ min: 0, max: 1e7 }),
  seenMs: fc.integer({ min: NOW - 60_000, max: NOW }),
})
const priced = fc
  .record({
    a: leg,
    b: leg,
    hundredths: fc.integer({ min: 0, max: 999 }),
    netCents: fc.option(fc.integer({ min: -9_999, max: 9_999 }).map((n) => n / 100)),
    executable: fc.boolean(),
  })
  .map(({ hundredths, ...rest }) => ({ ...rest, into: hundredths / 100 }))

describe('4.1 rule 3: exact prices are only in spread', () => {
  test('two pairs that differ in every price but share bucket and cheaper venue give the same bytes', () => {
    fc.assert(
      fc.property(
        priced,
        priced,
        fc.integer({ min: 0, max: 9 }),
        fc.constantFrom('a' as const, 'b' as const, null),
        (one, other, bucket, cheaperVenue) => {
          const said = [one, other].map(({ a, b, into, netCents, executable }) => {
            const row = someGap({
              gapCents: Math.round((bucket * 10 + into) * 100) / 100,
              netCents,
              executable,
              cheaperVenue,
              a: someLeg(a),
              b: someLeg(b),
            })
            //  the same hash for both: it covers the whole board and reveals nothing
            const { gaps } = over([row]).boards
            const ports = over([row])
            ports.boards.gaps = { ...gaps!, snapshot: { ...gaps!.snapshot, hash: 'h' } }
            return JSON.stringify(match.answer({ q: 'fed' }, ports))
          })
          expect(said[0]).toBe(said[1])
          expect(said[0]).toContain(`"fromCents":${bucket * 10},"toCents":${bucket * 10 + 10}`)
        },
      ),
    )
  })
})
