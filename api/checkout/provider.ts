import type { CardStatus } from '../ledger/cards.ts'

/** What the provider is asked to collect. */
export type CardOrder = {
  reference: string //  digest of the checkout id; names it at the provider, and makes repeated calls one
  sku: string
  title: string
  cents: number //      USD
  returnUrl: string //  where the buyer comes back to, paid or not
  expiresMs: number
}

/** What the provider says of one checkout now. */
export type CardTruth = {
  status: CardStatus
  reference: string | null
  cents: number | null
  currency: string | null
  paymentId: string | null // of the provider; null before there is a payment
  paidMs: number
}

/** A signed event, reduced to what it points at: what it says of money is never believed, the provider is asked. */
export type CardEvent = { id: string; about: CardSession | { paymentId: string } | null }

/** A checkout as the provider has it: what we called it, and its own name. */
export type CardSession = { reference: string; sessionId: string }

/** The card provider, as far as we need it. Every method may throw UnavailableError `card_provider_unavailable`. */
export type CardProvider = {
  open(order: CardOrder): Promise<{ sessionId: string; url: string }>
  truth(sessionId: string): Promise<CardTruth>
  /** The checkouts that a payment belongs to. */
  sessionsOf(paymentId: string): Promise<CardSession[]>
}

/** @returns null when the signature is not over these bytes, or too old. */
export type ReadCardEvent = (raw: Buffer, signature: string) => CardEvent | null
