import { describe, expect, test } from 'vitest'
import { CARD, EXAMPLE_MS, NET } from '../../../api/openapi/examples/rows.ts'
import { exampleOf } from '../../../api/payment/extensions/examples.ts'
import { contractFee, UNITS_PER_CENT } from '../../../engine/core/boards/fees.ts'
import { feeTableAt } from '../../../engine/core/boards/feeTable.ts'
import { lockUp } from '../../../engine/core/boards/lockUp.ts'
import { SIZES_USD, sizedEdge, type TradedLeg } from '../../../engine/core/boards/sizedEdge.ts'
import { ACCEPTED } from '../../../engine/core/pairing/verdict.ts'

//  Books whose tops are those the example lists, and what both venues charge on economics.
const BUY: TradedLeg = {
  book: {
    bids: [],
    asks: [
      [NET.buyBps, 900],
      [4_500, 2_500],
    ],
  },
  fees: { rate: 0.05, exponent: 1, rounding: 'a_five_decimals', flagged: false },
}
const SELL: TradedLeg = {
  book: {
    bids: [
      [NET.sellBps, NET.b.bidSize!],
      [4_900, 2_500],
    ],
    asks: [],
  },
  fees: { rate: 0.07, exponent: 1, rounding: 'b_cent_up', flagged: false },
}

describe('the example of market reads follows the rules that it is an example of', () => {
  test('gap, net, both fees and the edge', () => {
    const feeCents = {
      a: contractFee(BUY.fees, NET.buyBps) / UNITS_PER_CENT,
      b: contractFee(SELL.fees, NET.sellBps) / UNITS_PER_CENT,
    }
    expect(NET.gapCents).toBe((NET.b.midBps! - NET.a.midBps!) / 100)
    expect(NET.netCents).toBe((NET.b.bidBps! - NET.a.askBps!) / 100)
    expect(CARD.feeCents).toEqual(feeCents)
    expect(CARD.edgeCents).toBeCloseTo(NET.netCents - feeCents.a - feeCents.b, 2)
  })

  test('reasons of the pair are reasons that are given', () => {
    expect(ACCEPTED).toEqual(expect.arrayContaining(NET.reasons))
  })

  test('both books walked at every size', () => {
    const table = feeTableAt(EXAMPLE_MS)
    expect(CARD.bySize).toEqual(SIZES_USD.map((usd) => sizedEdge(usd, BUY, SELL, table)))
    expect(CARD.feeTableVersion).toBe(table.version)
  })

  test('days until it closes, and what the edge is worth a year', () => {
    const { lockUpDays, annualisedPct } = lockUp(CARD.edgeCents, NET.a.closeMs, NET.b.closeMs, EXAMPLE_MS)
    expect([CARD.lockUpDays, CARD.annualisedPct]).toEqual([lockUpDays, annualisedPct])
  })

  test('the shortened example of the catalogues tells the same edge', () => {
    expect(exampleOf('SKU_AG_EDGE_01')).toMatchObject({
      edge: { netCents: CARD.netCents, edgeCents: CARD.edgeCents },
    })
  })
})
