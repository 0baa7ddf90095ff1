import { expect, test } from 'vitest'
import { checkoutPage } from '../../../api/checkout/page.ts'
import type { CheckoutStatus } from '../../../api/checkout/show.ts'

const paid: CheckoutStatus = {
  ok: true,
  mode: 'live',
  checkoutId: 'checkout_x',
  sku: 'SKU_INQUIRY_01',
  status: 'paid',
  priceUsd: 5,
  expiresAt: '',
  statusUrl: '',
  checkoutUrl: null,
}

test.each<[string, CheckoutStatus, { again: boolean; delivered: boolean }]>([
  ['open', { ...paid, status: 'open' }, { again: true, delivered: false }],
  ['paid, and not drawn yet', paid, { again: true, delivered: false }],
  ['paid, and its input is missing', { ...paid, awaiting: 'payload' }, { again: false, delivered: false }],
  ['delivered', { ...paid, result: { gapCents: 9 } }, { again: false, delivered: true }],
  ['refunded', { ...paid, status: 'refunded' }, { again: false, delivered: false }],
])(
  'I17 the page of a checkout that is %s: looks again as long as somebody has to wait',
  (_, status, wanted) => {
    const page = String(checkoutPage(status).body)
    expect({
      again: page.includes('http-equiv="refresh"'),
      delivered: page.includes('id="result"'),
    }).toEqual(wanted)
  },
)

test('I5 who has paid from a bank that takes days, and comes back before the money, is not sent to pay again', () => {
  const page = String(checkoutPage({ ...paid, status: 'open', checkoutUrl: 'https://till.example/c' }).body)
  expect(page).toContain('Once you have paid there, do not pay again')
})
