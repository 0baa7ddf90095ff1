import { describe, expect, test } from 'vitest'
import { centsOf, goodByCard, refuseReferral } from '../../../api/checkout/order.ts'
import { isProblem } from '../../../api/errors.ts'
import { GOODS } from '../../../api/goods/index.ts'
import { SERVICES } from '../../../api/goods/services/index.ts'

const byCard = SERVICES.filter(({ sku }) => !isProblem(goodByCard(sku)))

describe('2.3 card checkout: the human SKUs at their agent price', () => {
  test('they are these, and a card can pay each to the cent', () => {
    expect(byCard.map(({ sku, priceMicroUsdc }) => [sku, centsOf(priceMicroUsdc)]).sort()).toEqual([
      ['SKU_DLQ_01', 1045],
      ['SKU_INQUIRY_01', 249],
      ['SKU_SIGNAL_FEED_29', 2535],
      ['SKU_TOR_MCP_PRO', 1235],
    ])
  })

  test('CLS-19 nothing that is sold on /x402/v1 is', () => {
    expect(GOODS.length).toBeGreaterThan(20)
    for (const { sku } of GOODS) expect(goodByCard(sku), sku).toEqual({ problem: 'not_sold_by_card' })
  })

  test('what nobody sells is unknown, not another way to pay', () => {
    expect(goodByCard('SKU_NONE')).toEqual({ problem: 'sku_unknown' })
  })

  test.each([
    [10_000n, 1],
    [9_999n, null],
    [12_345n, null],
    [0n, null],
    [-10_000n, null],
  ])('%s micro-USDC are %s cents', (micro, cents) => {
    expect(centsOf(micro)).toBe(cents)
  })
})

describe('ENT-17 who brings himself brings nobody', () => {
  const wallet = `0x${'aB'.repeat(20)}`
  test.each([
    ['himself', 'ann', 'ann', 'refused'],
    ['his wallet, spelled otherwise', wallet.toLowerCase(), wallet, 'refused'],
    ['somebody else', 'bob', 'ann', 'taken'],
    ['an account that differs by its case', 'Ann', 'ann', 'taken'],
    ['nobody', undefined, 'ann', 'taken'],
  ])('%s', (_, code, buyer, outcome) => {
    expect(refuseReferral(code, buyer) === null ? 'taken' : 'refused').toBe(outcome)
  })
})
