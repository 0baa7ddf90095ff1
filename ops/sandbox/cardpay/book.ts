import { randomBytes } from 'node:crypto'

/** One checkout session with what became of its money. Unix seconds and cents, as the provider counts. */
export type Sale = {
  id: string
  created: number
  expiresAt: number
  reference: string | null
  metadata: Record<string, string>
  title: string
  cents: number
  successUrl: string
  cancelUrl: string
  status: 'open' | 'complete' | 'expired'
  payment: {
    id: string
    chargeId: string
    created: number
    refunded: boolean
    dispute: Dispute | null
  } | null
}
export type Dispute = { id: string; status: 'needs_response' | 'won' | 'lost' }

/** What a person or a test may do to a sale. */
export const DEEDS = ['pay', 'expire', 'refund', 'dispute', 'win', 'lose'] as const
export type Deed = (typeof DEEDS)[number]

/** Newer sales push older ones out. */
const SALES_MAX = 1_000

const id = (prefix: string): string => `${prefix}_test_${randomBytes(12).toString('hex')}`

export type Order = Pick<
  Sale,
  'reference' | 'metadata' | 'title' | 'cents' | 'successUrl' | 'cancelUrl' | 'expiresAt'
>

/** The sandbox's card provider without a wire: its sales, and what happens to them. */
export function createBook(kept: readonly Sale[], nowS: () => number) {
  const sales = new Map(kept.map((sale) => [sale.id, sale]))
  const byKey = new Map<string, Sale>() // idempotency keys of this run

  const expire = (sale: Sale): Sale => {
    if (sale.status === 'open' && nowS() >= sale.expiresAt) sale.status = 'expired'
    return sale
  }
  const deeds: Record<Deed, (sale: Sale) => string | null> = {
    pay(sale) {
      if (sale.status !== 'open') return null
      sale.status = 'complete'
      sale.payment = {
        id: id('pi'),
        chargeId: id('ch'),
        created: nowS(),
        refunded: false,
        dispute: null,
      }
      return 'checkout.session.completed'
    },
    expire(sale) {
      if (sale.status !== 'open') return null
      sale.status = 'expired'
      return 'checkout.session.expired'
    },
    refund({ payment }) {
      if (payment === null || payment.refunded || payment.dispute !== null) return null
      payment.refunded = true
      return 'charge.refunded'
    },
    dispute({ payment }) {
      if (payment === null || payment.refunded || payment.dispute !== null) return null
      payment.dispute = { id: id('du'), status: 'needs_response' }
      return 'charge.dispute.created'
    },
    win: (sale) => closeDispute(sale, 'won'),
    lose: (sale) => closeDispute(sale, 'lost'),
  }

  return {
    /** @param key the idempotency key: the same one gives the same sale. */
    open(order: Order, key: string | null): Sale {
      const known = key === null ? undefined : byKey.get(key)
      if (known !== undefined) return known
      const sale: Sale = { ...order, id: id('cs'), created: nowS(), status: 'open', payment: null }
      sales.set(sale.id, sale)
      if (key !== null) byKey.set(key, sale)
      for (const old of sales.keys()) {
        if (sales.size <= SALES_MAX) break
        sales.delete(old)
      }
      for (const old of byKey.keys()) {
        if (byKey.size <= SALES_MAX) break
        byKey.delete(old)
      }
      return sale
    },
    find(sessionId: string): Sale | null {
      const sale = sales.get(sessionId)
      return sale === undefined ? null : expire(sale)
    },
    ofPayment: (paymentId: string): Sale[] =>
      [...sales.values()].filter(({ payment }) => payment?.id === paymentId),
    /** @returns the type of the event to send; null: not possible now. */
    act: (sale: Sale, deed: Deed): string | null => deeds[deed](expire(sale)),
    all: (): Sale[] => [...sales.values()],
  }
}
export type Book = ReturnType<typeof createBook>

function closeDispute({ payment }: Sale, status: 'won' | 'lost'): string | null {
  if (payment?.dispute?.status !== 'needs_response') return null
  payment.dispute.status = status
  return 'charge.dispute.closed'
}
