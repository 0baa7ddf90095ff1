import type { Sale } from './book.ts'

/** A sale as the provider's objects: first the fields our client reads and those that the provider's types promise. */
export const sessionObject = (sale: Sale, base: string, expanded: boolean) => ({
  id: sale.id,
  object: 'checkout.session',
  amount_subtotal: sale.cents,
  amount_total: sale.cents,
  cancel_url: sale.cancelUrl,
  client_reference_id: sale.reference,
  created: sale.created,
  currency: 'usd',
  expires_at: sale.expiresAt,
  livemode: false,
  metadata: sale.metadata,
  mode: 'payment',
  payment_intent:
    sale.payment === null ? null : expanded ? intentObject(sale, sale.payment) : sale.payment.id,
  payment_status: sale.payment === null ? 'unpaid' : 'paid',
  status: sale.status,
  success_url: sale.successUrl,
  url: sale.status === 'open' ? `${base}/c/pay/${sale.id}` : null,
})

type Payment = NonNullable<Sale['payment']>

const intentObject = (sale: Sale, payment: Payment) => ({
  id: payment.id,
  object: 'payment_intent',
  amount: sale.cents,
  currency: 'usd',
  latest_charge: chargeObject(sale, payment),
  status: 'succeeded',
})

export const chargeObject = (sale: Sale, payment: Payment) => ({
  id: payment.chargeId,
  object: 'charge',
  amount: sale.cents,
  amount_refunded: payment.refunded ? sale.cents : 0,
  created: payment.created,
  currency: 'usd',
  disputed: payment.dispute !== null,
  payment_intent: payment.id,
  refunded: payment.refunded,
  status: 'succeeded',
})

export const disputeObject = (sale: Sale, payment: Payment) => ({
  id: payment.dispute?.id ?? '',
  object: 'dispute',
  amount: sale.cents,
  charge: payment.chargeId,
  currency: 'usd',
  payment_intent: payment.id,
  status: payment.dispute?.status ?? '',
})

export const listOf = (path: string, data: readonly object[]) => ({
  object: 'list',
  url: path,
  has_more: false,
  data,
})
