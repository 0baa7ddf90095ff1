import { describe, expect, test } from 'vitest'
import { RISK_FLAG_CODES, RISK_FLAGS, RiskFlag } from '../../../../engine/contract/riskFlags.ts'
import type { Books } from '../../../../engine/core/boards/depth.ts'
import { MIN_EDGE_CENTS, suggestedAction } from '../../../../engine/core/boards/suggestedAction.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../../ops/units.ts'
import { type Change, DEEP, FRESH, feesA, feesB, NO_BOOKS, NOW_MS, someBook, someEdge } from './support.ts'

type Around = Parameters<typeof someEdge>[1]
const flags = (change: Change = {}, around?: Around) =>
  someEdge(change, around)!.riskFlags.filter((flag): boolean => flag !== 'settles_differently')
const closing = (inMs: number) => ({
  marketA: { closeMs: NOW_MS + inMs },
  marketB: { closeMs: NOW_MS + inMs },
})
const topOf = (contracts: number): Books => ({
  a: someBook(
    'a',
    [],
    [
      [4_100, contracts],
      [4_150, 10_000],
    ],
  ),
  b: someBook('b', [[4_500, 10_000]], []),
})

describe('risk flags: each side of every limit', () => {
  test('a pair without a fault has only the standing one', () => {
    expect(someEdge()!.riskFlags).toEqual(['settles_differently'])
  })

  test.each<[RiskFlag, boolean, Change, Around?]>([
    ['stale', true, {}, { at: { ...FRESH, fresh: { a: false, b: true } } }],
    ['stale', true, {}, { at: { ...FRESH, fresh: { a: true, b: false } } }],
    ['large_gap_suspicious', false, { b: { bidBps: 4_950, askBps: 5_150 } }], //  gap 10.00
    ['large_gap_suspicious', true, { b: { bidBps: 4_950, askBps: 5_151 } }], //   gap 10.01, from 10.005
    ['large_gap_suspicious', false, { a: { bidBps: null }, b: { bidBps: 5_100, askBps: null } }], // net 10.00
    ['large_gap_suspicious', true, { a: { bidBps: null }, b: { bidBps: 5_101, askBps: null } }], //  net 10.01
    ['in_play', false, { marketA: { gameMs: NOW_MS + 1 } }],
    ['in_play', true, { marketA: { gameMs: NOW_MS } }],
    ['in_play', false, { marketB: { gameMs: NOW_MS + 1 } }],
    ['in_play', true, { marketB: { gameMs: NOW_MS } }],
    ['in_play', true, { marketB: { gameMs: NOW_MS - HOUR } }],
    ['near_resolution', false, closing(HOUR)],
    ['near_resolution', true, closing(HOUR - 1)],
    ['near_resolution', true, { marketB: { closeMs: NOW_MS + HOUR - 1 } }],
    ['near_resolution', true, { marketA: { expectedMs: NOW_MS + MINUTE } }],
    ['near_resolution', true, { marketB: { expectedMs: NOW_MS + MINUTE } }],
    ['near_resolution', true, { marketA: { closeMs: NOW_MS - DAY } }], //  past its end and still listed
    ['closes_apart', false, { marketA: { closeMs: NOW_MS + 12 * DAY } }],
    ['closes_apart', true, { marketA: { closeMs: NOW_MS + 12 * DAY + 1 } }],
    ['no_close_time', true, { marketA: { closeMs: null } }],
    ['no_close_time', true, { marketB: { closeMs: null } }],
    ['rules_missing', true, { marketA: { rules: '' } }],
    ['rules_missing', true, { marketB: { rules: '' } }],
    ['fees_guessed', false, { marketA: { fees: feesA(0) } }],
    ['fees_guessed', true, { marketA: { fees: feesA(0, { flagged: true }) } }],
    ['fees_guessed', true, { marketB: { fees: feesB(0, { flagged: true }) } }],
    ['one_venue_dead', true, { a: { volume24h: 0 } }],
    ['one_venue_dead', true, { b: { volume24h: 0 } }],
    ['one_venue_dead', false, { b: { volume24h: 0.01 } }],
    ['depth_unknown', true, {}, { books: NO_BOOKS }],
    ['unconfirmed', true, {}, { books: { ...DEEP, a: someBook('a', [], [[4_600, 100]]) } }], //  pays nothing any more
    ['unconfirmed', true, {}, { books: { ...DEEP, a: someBook('a', [], [[4_100, 24.38]]) } }], // not deep enough for 10 USD
    ['unconfirmed', false, {}, { books: { ...DEEP, a: someBook('a', [], [[4_100, 24.4]]) } }],
    ['unconfirmed', true, {}, { books: { ...DEEP, a: someBook('a', [], [[4_451, 100]]) } }], //  4 cents promised, 0.49 left
    ['unconfirmed', false, {}, { books: { ...DEEP, a: someBook('a', [], [[4_450, 100]]) } }], // MIN_EDGE_CENTS left
    [
      'unconfirmed',
      true, //  little promised, nothing left
      { b: { bidBps: 4_149, askBps: 4_200 } },
      { books: { a: someBook('a', [], [[4_100, 100]]), b: someBook('b', [[4_100, 100]], []) } },
    ],
    [
      'unconfirmed',
      false,
      { b: { bidBps: 4_149, askBps: 4_200 } },
      { books: { a: someBook('a', [], [[4_100, 100]]), b: someBook('b', [[4_140, 100]], []) } },
    ], // 0.49 promised, 0.4 left: too little for a trade before and after
    [
      'unconfirmed',
      true, //  MIN_EDGE_CENTS promised, a trade, and 0.49 left
      { b: { bidBps: 4_150, askBps: 4_200 } },
      { books: { a: someBook('a', [], [[4_100, 100]]), b: someBook('b', [[4_149, 100]], []) } },
    ],
    [
      'unconfirmed',
      false,
      { b: { bidBps: 4_100, askBps: 4_200 } },
      { books: { ...DEEP, a: someBook('a', [], [[4_600, 100]]) } },
    ], // nothing was promised
    ['thin_top', true, {}, { books: topOf(24.39) }], //  9.9999 USD
    ['thin_top', false, {}, { books: topOf(24.4) }],
    ['thin_top', true, { a: { askSize: 24.39 } }, { books: NO_BOOKS }],
    ['thin_top', true, { a: { askSize: null }, b: { bidSize: 24.39 } }, { books: NO_BOOKS }], // as far as it is stated
    ['thin_top', false, { a: { bidBps: 3_900, askBps: 4_000, askSize: 25 } }, { books: NO_BOOKS }], // 10 USD
    ['thin_top', false, { a: { askSize: null }, b: { bidSize: null } }, { books: NO_BOOKS }],
    ['thin_top', false, { a: { askSize: 1 } }], //  the book counts for more
    ['wide_spread', false, { a: { bidBps: 3_100 } }],
    ['wide_spread', true, { a: { bidBps: 3_099 } }],
    ['wide_spread', true, { b: { askBps: 5_501 } }],
    ['wide_spread', false, { a: { bidBps: null } }],
    ['young_gap', false, {}],
    ['young_gap', true, {}, { life: { ageMs: MINUTE - 1, openings: 1 } }],
    ['young_gap', false, {}, { life: { ageMs: MINUTE, openings: 1 } }],
    ['flickering', false, {}, { life: { ageMs: HOUR, openings: 2 } }],
    ['flickering', true, {}, { life: { ageMs: 30 * SECOND, openings: 3 } }],
    ['carve_out_possible', true, { marketA: { rules: 'If postponed, it stays open.' } }],
    ['carve_out_possible', true, { marketB: { rules: 'A canceled game pays 50-50.' } }],
    ['carve_out_possible', true, { marketB: { rules: 'Resolves to the last traded price if void.' } }],
    [
      'carve_out_possible',
      false,
      { marketA: { rules: 'If cancelled: no.' }, marketB: { rules: 'Cancellation means no.' } },
    ],
    ['carve_out_possible', false, { marketA: { rules: 'If cancelled: no.' }, marketB: { rules: '' } }], // unread is rules_missing
  ])('%s: %s', (flag, expected, change, known) => {
    expect(flags(change, known).includes(flag)).toBe(expected)
  })

  test('turned round, a wide spread of B stays one', () => {
    expect(flags({ verdict: 'inverted', b: { bidBps: 4_499, askBps: 5_500 } })).toContain('wide_spread')
  })

  test('a closed set, one line of meaning each, gravest first', () => {
    const effects = Object.values(RISK_FLAGS).map(({ effect }) => effect)
    expect(effects).toEqual(
      [...effects].sort((x, y) => 'avoid watch note'.indexOf(x) - 'avoid watch note'.indexOf(y)),
    )
    for (const { meaning } of Object.values(RISK_FLAGS)) expect(meaning).toMatch(/^[A-Z][^\n]{20,120}\.$/)
    expect(RiskFlag.safeParse('something_else').success).toBe(false)
    const many = flags(
      { a: { volume24h: 0 }, marketA: { rules: '', closeMs: null } },
      { books: NO_BOOKS, life: { ageMs: 0, openings: 9 } },
    )
    expect(many).toEqual(RISK_FLAG_CODES.filter((code) => many.includes(code)))
    expect(many).toEqual([
      'no_close_time',
      'rules_missing',
      'one_venue_dead',
      'depth_unknown',
      'young_gap',
      'flickering',
    ])
  })
})

describe('suggested action: the first line of the table that fits', () => {
  const good = { edgeCents: 2, executable: true, buyVenue: 'a' as const }
  test.each([
    ['a trade', good, [], 'buy_a_sell_b'],
    ['the other way', { ...good, buyVenue: 'b' as const }, [], 'buy_b_sell_a'],
    ['notes do not hold it back', good, ['young_gap', 'settles_differently'] as const, 'buy_a_sell_b'],
    ['the smallest edge that counts', { ...good, edgeCents: MIN_EDGE_CENTS }, [], 'buy_a_sell_b'],
    ['an edge within the noise', { ...good, edgeCents: 0.49 }, [], 'watch'],
    ['a loss', { ...good, edgeCents: -1 }, [], 'watch'],
    ['not executable', { ...good, executable: false }, [], 'watch'],
    ['a flag that says wait', good, ['depth_unknown'] as const, 'watch'],
    ['a flag that forbids', good, ['large_gap_suspicious'] as const, 'avoid'],
    [
      'forbidden goes before everything',
      { ...good, edgeCents: -9, executable: false },
      ['stale', 'thin_top'] as const,
      'avoid',
    ],
  ])('%s', (_what, row, codes, action) => {
    expect(suggestedAction(row, codes)).toBe(action)
  })

  test.each(RISK_FLAG_CODES)('%s does what its effect says', (code) => {
    const expected = { avoid: 'avoid', watch: 'watch', note: 'buy_a_sell_b' }[RISK_FLAGS[code].effect]
    expect(suggestedAction(good, [code])).toBe(expected)
  })
})
