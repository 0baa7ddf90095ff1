import type { Claim } from '../ledger/ledger.ts'
import type { Offer } from '../payment/terms.ts'
import type { ChainRefusal, Payment } from './port.ts'

/**
 * How a checked payment becomes settled. Two implementations: our own settler (the worker settles what is
 * claimed) and a remote facilitator (this process calls it).
 */
export type Settlement = {
  via: 'self' | 'facilitator'
  /** Would it go through now? Throws UnavailableError when nobody can say. Nothing moves. */
  refuse(payment: Payment, offer: Offer, listing: Listing): Promise<ChainRefusal | null>
  /**
   * Drives a claim this process holds until it is decided or `waitMs` are over (null: still unknown).
   * @param owner as in the claim: if another process has taken it over meanwhile, this call's outcome does not end it.
   * @param retake the former owner may have sent it already: ask the chain before anything else.
   */
  settle(
    claim: {
      key: string
      payment: Payment
      offer: Offer
      listing: Listing
      owner: string
      retake: boolean
    },
    waitMs: number,
  ): Promise<Claim | null>
}

/** Our own description of what is sold, for a facilitator's listing; never the description in the buyer's payment. */
export type Listing = {
  resource: { url: string; description: string; mimeType: string; serviceName: string }
  extensions: Record<string, unknown>
}
