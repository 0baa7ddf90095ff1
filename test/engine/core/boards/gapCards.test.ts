import { describe, expect, test } from 'vitest'
import { GAP_CARDS_MAX, GapCardsBoard, UNQUALIFIED } from '../../../../engine/contract/gapCards.ts'
import { bestCards, byRank, CardSketch, refuseCard } from '../../../../engine/core/boards/gapCards.ts'
import { price } from '../../../../engine/core/boards/priced.ts'
import { DAY } from '../../../../ops/units.ts'
import { cardOf, FRESH, NOW_MS, someCard, somePair, someSketch } from './support.ts'

const refusal = (change: Parameters<typeof somePair>[0], at = FRESH) =>
  refuseCard(price(somePair(change), at), at)
const STALE = { ...FRESH, fresh: { a: false, b: true } }

describe('which pairs make a card', () => {
  test.each([
    ['a gap', {}, null],
    ['inverted', { verdict: 'inverted' as const, b: { bidBps: 5_400, askBps: 5_500 } }, null],
    ['a hundredth of a cent', { b: { bidBps: 4_000, askBps: 4_102 } }, null],
    ['10.00 cents', { b: { bidBps: 5_000, askBps: 5_100 } }, null],
    ['closes far apart: shown, not executable', { marketA: { closeMs: NOW_MS + 99 * DAY } }, null],
    ['10.01 cents', { b: { bidBps: 5_001, askBps: 5_101 } }, 'large_gap_suspicious'],
    ['no gap', { b: { bidBps: 3_900, askBps: 4_200 } }, 'no_gap'],
    ['one side missing', { b: { bidBps: null } }, 'one_sided'],
    ['nothing behind a side', { b: { bidSize: 0 } }, 'one_sided'],
    ['bid at the ask', { a: { bidBps: 4_100 } }, 'crossed'],
    ['bid at the ask of B', { b: { askBps: 4_400, bidBps: 4_400 } }, 'crossed'],
    ['crossed before one-sided', { a: { bidBps: 4_200 }, b: { bidBps: null } }, 'crossed'],
    ['B has closed', { marketB: { closeMs: NOW_MS }, a: { bidBps: 4_200 } }, 'closed'],
  ])('%s: %s', (_what, change, reason) => {
    expect(refusal(change)).toBe(reason)
  })

  test('stale goes before what the prices say, closed before stale', () => {
    expect(refusal({ a: { bidBps: 4_200 } }, STALE)).toBe('stale')
    expect(refusal({ marketB: { closeMs: NOW_MS } }, STALE)).toBe('closed')
  })

  test('the reasons are listed in the order they are checked', () => {
    expect(UNQUALIFIED).toEqual(['closed', 'stale', 'crossed', 'one_sided', 'no_gap', 'large_gap_suspicious'])
  })
})

describe('board gapCards', () => {
  const trade = someSketch({ id: 'trade' }) //                                          4.00, suggested
  const watched = someSketch({ id: 'watched', b: { volume24h: 0, bidBps: 4_900, askBps: 5_000 } }) // 8.00, held back
  const small = someSketch({ id: 'small', b: { bidBps: 4_300, askBps: 4_400 } }) //       2.00, suggested
  const loss = someSketch({ id: 'loss', b: { bidBps: 4_050, askBps: 4_200 } })

  test('suggested trades first, then the larger edge, then the larger gap, then by pair', () => {
    const wider = { ...cardOf(watched), pairId: 'z', gapCents: watched.gapCents + 1 }
    const twin = { ...cardOf(watched), pairId: 'a' }
    const ranked = [loss, watched, small, wider, trade, twin].sort(byRank)
    expect(ranked.map(({ pairId }) => pairId)).toEqual(
      [trade, small, wider, twin, watched, loss].map(({ pairId }) => pairId),
    )
  })

  test('a contract', () => {
    const cards = [trade, small].map((sketch) => cardOf(sketch))
    expect(() => GapCardsBoard.parse({ cards, unqualified: { crossed: 2, stale: 1 } })).not.toThrow()
  })

  test('bounded: the last are cut', () => {
    const many = [...Array.from({ length: GAP_CARDS_MAX }, () => new CardSketch(trade.assessed, null)), loss]
    const best = bestCards()
    for (const sketch of many) best.add(sketch)
    expect(best.best(many)).toHaveLength(GAP_CARDS_MAX)
    expect(best.best(many)).not.toContain(loss)
  })

  test('the id names the pair and when its gap opened', () => {
    const life = { openedMs: 1_234, ageMs: 5, peakCents: 6, everExecutable: true }
    expect(someCard({}, life)).toMatchObject({
      schema: 'botFuel.v2',
      cardId: 'a:A1|b:KXB-1@1234',
      gapCents: 5,
      life,
    })
    expect(someCard()).toMatchObject({ cardId: 'a:A1|b:KXB-1@0', life: null })
  })
})
