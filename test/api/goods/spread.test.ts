import { describe, expect, test } from 'vitest'
import type { GoodPorts } from '../../../api/goods/good.ts'
import { match } from '../../../api/goods/market/match.ts'
import { spread } from '../../../api/goods/market/spread.ts'
import { inPlace } from '../../../api/placedRows.ts'
import { TopicIndex } from '../../../api/search.ts'
import { runNow } from '../../../api/steps.ts'
import type { GapRow } from '../../../engine/contract/gaps.ts'
import type { Snapshot } from '../../../engine/contract/snapshot.ts'
import { someGap, someLeg, someSnapshot } from '../../support/boards.ts'
import { gapsBody, portsOver } from './support.ts'

const NOW = 1_790_000_000_000
const MAX_AGE = 90_000

function portsWith(rows: GapRow[] | null, change: Partial<Snapshot> = {}): GoodPorts {
  const fresh = { asOfMs: { a: NOW, b: NOW }, publishedMs: NOW }
  const snapshot = rows === null ? null : someSnapshot(rows, { ...fresh, ...change })
  const index = new TopicIndex<GapRow>({ textOf: ({ topic }) => topic })
  const search = runNow(index.update(inPlace(rows ?? [])))
  return {
    ...portsOver({}),
    boards: {
      gaps: snapshot === null ? null : { snapshot, search },
    },
    marketClock: { nowMs: () => NOW },
    marketMaxAgeMs: MAX_AGE,
    recorded: false,
  }
}
const answer = (q: string | undefined, ports: GoodPorts) => spread.answer({ q }, ports)

describe('4.1 rule 2: spread returns exact yes prices; gapCents is the mid-price gap', () => {
  const top = someGap()
  const other = someGap({ topic: 'Beyoncé releases an album', gapCents: 3 })

  test('without q: the top live gap, with every field the catalog names', () => {
    expect(answer(undefined, portsWith([top, other]))).toMatchObject({
      snapshotVersion: 1,
      result: {
        spread: {
          found: true,
          gapCents: 7,
          cheaperVenue: 'a',
          matchVerdict: 'identity',
          venueA: {
            yesPrice: 0.435,
            slug: 'fed-december-2026',
            url: 'https://polymarket.com/event/fed-december-2026',
          },
          venueB: { yesPrice: 0.505, ticker: 'KXFED-26DEC-C25', url: 'https://kalshi.com/markets/kxfed' },
        },
        snapshot: { name: 'gaps', version: 1 },
        asOf: { a: new Date(NOW).toISOString(), b: new Date(NOW).toISOString() },
        ageMs: { a: 0, b: 0 },
        recorded: false,
      },
    })
  })

  test('with q: the best hit, not the top', () => {
    expect(answer('beyonce', portsWith([top, other]))).toMatchObject({
      result: { spread: { topic: other.topic } },
    })
    expect(answer('  ', portsWith([top, other]))).toMatchObject({ result: { spread: { topic: top.topic } } })
  })

  test.each(['album', 'chart', 'billboard', 'music'])(
    'found by its topic, by the title of either venue, by its category: %s',
    (q) => {
      const pair = someGap({
        topic: 'Beyoncé releases an album',
        a: someLeg({ title: 'Beyoncé on the chart?' }),
        b: someLeg({ title: 'Beyoncé on Billboard?' }),
        category: 'Music',
      })
      const ports = portsOver({ gaps: gapsBody([someGap({ pairId: 'a:M2|b:KXFED' }), pair]) })
      expect(answer(q, ports)).toMatchObject({ result: { spread: { topic: pair.topic } } })
    },
  )

  describe('with q in the very words of a question: that one, also where a wider gap has all of its words', () => {
    const wide = someGap({
      pairId: 'wide',
      topic: 'Solana above $30 on November 28: Over 28',
      gapCents: 20,
      a: someLeg({ title: 'Sharks vs. Flames: total of Sharks' }),
      b: someLeg({ title: 'Solana' }),
    })
    const meant = someGap({
      pairId: 'meant',
      topic: 'Solana above $28 on November 28',
      a: someLeg({ title: 'Sharks vs. Flames' }),
      b: someLeg({ title: 'Solana price on Nov 28?' }),
    })
    const ports = portsOver({ gaps: gapsBody([wide, meant]) })
    test.each([
      ['Solana above $28 on November 28', meant],
      [' solana ABOVE $28 on november 28 ', meant],
      ['sharks vs. flames', meant], //             as a venue words it
      ['Sharks vs. Flames: total of Sharks', wide],
      ['Sharks vs  Flames?', meant], //            with other marks and spaces between the words
      ['Solana price on Nov 28', meant],
      ['“Solana above $28, on\u00a0November 28”', meant],
      ['Solana above $28 on\u2009November\u202f28', meant],
      ['\u200eSolana above $28 on Novem\u00adber 28\u200b\ufeff', meant], // as pasted out of a page
      ['solana', wide],
      ['solana november 28', wide], //             words that both have: the board's order
    ])('%s', (q, { topic }) => {
      expect(answer(q, ports)).toMatchObject({ result: { spread: { topic } } })
      expect(match.answer({ q }, ports)).toMatchObject({ result: { match: { topic } } })
    })

    test.each([
      ['NFD', 'NFC'],
      ['NFC', 'NFD'],
      ['NFD', 'NFD'],
    ])('asked in %s, worded in %s: an accent is the same however it is written', (asked, worded) => {
      const topic = 'Beyonc\u00e9 above 28 on November 30'
      const wide = someGap({
        pairId: 'wide',
        topic: 'Beyonc\u00e9 above 30 on November 28'.normalize(worded),
      })
      const meant = someGap({ pairId: 'meant', topic: topic.normalize(worded), gapCents: 1 })
      const ports = portsOver({ gaps: gapsBody([wide, meant]) })
      expect(answer(topic.normalize(asked), ports)).toMatchObject({
        result: { spread: { topic: meant.topic } },
      })
    })

    test.each([
      ['2025-26 season: over 30 wins', '2025\u201326 season: over 30 wins'],
      ['2025\u201326 season: over 30 wins', '2025-26 season: over 30 wins'],
      ['Low of -5 in 2026', 'Low of \u22125 in 2026'],
      ['A - B on May 5', 'A \u2014 B on May 5'],
    ])('%s asks %s, whatever its dashes', (q, topic) => {
      const wide = someGap({ pairId: 'wide', topic: `${topic} or another` })
      const rows = [wide, someGap({ pairId: 'meant', topic, gapCents: 1 })]
      expect(answer(q, portsOver({ gaps: gapsBody(rows) }))).toMatchObject({ result: { spread: { topic } } })
    })

    test.each([49, 50, 200])('behind %d wider gaps that have all of its words', (count) => {
      const wider = Array.from({ length: count }, (_, at) =>
        someGap({
          pairId: `wide${at}`,
          topic: `Solana above $28 on November 28: Over ${at}`,
          gapCents: 90 - at / 9,
        }),
      )
      const { topic } = meant
      const many = portsOver({ gaps: gapsBody([...wider, { ...meant, gapCents: 1 }]) })
      expect(answer(topic, many)).toMatchObject({ result: { spread: { topic } } })
      expect(match.answer({ q: topic }, many)).toMatchObject({ result: { match: { topic } } })
    })

    test.each(['Will it be above -3.5', 'Will it be above 3.5?', '“will it be >3.5”', 'Will it be 35.?'])(
      'signs, comparisons and decimal points are not between words: %s',
      (q) => {
        const topics = [
          'Will it be above -3.5?',
          'Will it be above 3.5?',
          'Will it be >3.5?',
          'Will it be 35?',
        ]
        const others = topics.map((topic) =>
          someGap({ pairId: `3.5 ${topic}`, topic: `${topic} 35 above -3.5 more` }),
        )
        const rows = topics.map((topic) => someGap({ pairId: topic, topic, gapCents: 1 }))
        const found = answer(q, portsOver({ gaps: gapsBody([...others, ...rows]) }))
        const bare = (text: string) => text.replace(/[^\w<>-]|\.$/g, '').toLowerCase()
        expect(found).toMatchObject({
          result: { spread: { topic: topics.find((topic) => bare(topic) === bare(q)) } },
        })
      },
    )

    test.each([
      ['Score 11:1?', 'Score 11:1?'],
      ['score 11 : 1', 'Score 11:1?'],
      ['Score 1:11', 'Score 1:11?'],
      ['Map 11, 2 rounds', 'Map 11 2 rounds?'],
      ['Above 12,000 on May 1', 'Above $12,000 on May 1, 2027?'], //  not in its words: the board's order
      ['Above $12000 on May 1 2027', 'Above $12,000 on May 1, 2027?'],
    ])('two numbers are not one, nor another two: %s', (q, topic) => {
      const topics = ['Score 1:11?', 'Score 11:1?', 'Map 1 12 rounds?', 'Map 11 2 rounds?']
      const rows = [...topics, 'Above $12,000 on May 1, 2027?'].map((topic) =>
        someGap({ pairId: topic, topic }),
      )
      expect(answer(q, portsOver({ gaps: gapsBody(rows) }))).toMatchObject({ result: { spread: { topic } } })
    })

    test('a topic goes before a title', () => {
      const titled = someGap({ pairId: 'titled', topic: 'Fed in March', a: someLeg({ title: 'Fed in May' }) })
      const named = someGap({ pairId: 'named', topic: 'Fed in May', gapCents: 1 })
      const found = answer('fed in may', portsOver({ gaps: gapsBody([titled, named]) }))
      expect(found).toMatchObject({ result: { spread: { topic: named.topic } } })
    })
  })

  test('with q and no hit: an honest answer', () => {
    expect(answer('tennis', portsWith([top]))).toMatchObject({
      result: { spread: { found: false, q: 'tennis' } },
    })
  })

  test('VEN-11 what has closed at venue B since is passed over, with and without q', () => {
    const closed = someGap({ pairId: 'closed', gapCents: 9, b: someLeg({ closeMs: NOW }) })
    const next = someGap({ gapCents: 8, b: someLeg({ closeMs: NOW + 1 }) })
    for (const q of [undefined, 'fed'])
      expect(answer(q, portsWith([closed, next]))).toMatchObject({ result: { spread: { gapCents: 8 } } })
    expect(answer(undefined, portsWith([closed]))).toMatchObject({ problem: 'no_data' })
    expect(answer('fed', portsWith([closed]))).toMatchObject({ result: { spread: { found: false } } })
  })

  test('half a basis point survives in dollars', () => {
    const half = someGap({ a: someLeg({ midBps: 4_350.5 }) })
    expect(answer(undefined, portsWith([half]))).toMatchObject({
      result: { spread: { venueA: { yesPrice: 0.43505 } } },
    })
  })
})

describe('I17, VEN-09 stale or absent data is refused before any money moves', () => {
  test.each([
    ['both fresh to the millisecond', { a: NOW - MAX_AGE, b: NOW - MAX_AGE }, null],
    ['venue A a millisecond too old', { a: NOW - MAX_AGE - 1, b: NOW }, 'stale_data'],
    ['venue B 40 minutes old', { a: NOW, b: NOW - 2_400_000 }, 'stale_data'],
    ['venue B never read', { a: NOW, b: null }, 'no_data'],
    ['venue A never read', { a: null, b: NOW }, 'no_data'],
    ['VEN-08 stamped just ahead of our clock', { a: NOW + 5_000, b: NOW }, null],
    ['VEN-08 further ahead: its age is unknown', { a: NOW + 5_001, b: NOW }, 'stale_data'],
    ['VEN-08 the same of venue B', { a: NOW, b: NOW + 3_600_000 }, 'stale_data'],
  ])('%s', (_, asOfMs, problem) => {
    const result = answer(undefined, portsWith([someGap()], { asOfMs }))
    if (problem === null) expect(result).toHaveProperty('result.spread.found', true)
    else expect(result).toMatchObject({ problem })
  })

  test('no snapshot, or no pair: no_data', () => {
    expect(answer(undefined, portsWith(null))).toMatchObject({ problem: 'no_data' })
    expect(answer(undefined, portsWith([]))).toMatchObject({ problem: 'no_data' })
  })
})

describe('q is bounded', () => {
  test.each([
    [8 * 1024, true],
    [8 * 1024 + 1, false],
  ])('%d bytes: %s', (bytes, accepted) => {
    expect(spread.input.safeParse({ q: 'a'.repeat(bytes) }).success).toBe(accepted)
  })
})
