import type { Claim } from '../ledger/ledger.ts'

/** How the stored answer of a refunded claim begins. This head is always written by us: no buyer's text precedes it. */
export const REFUND_HEAD = '{"ok":false,"refunded":true,'

export const isRefund = (body: string): boolean => body.startsWith(REFUND_HEAD)

/** Classic purchases refund through their own book, card payments through the card provider. */
export const isRefundedHere = ({ purchasePath }: Pick<Claim, 'purchasePath'>): boolean =>
  purchasePath === 'x402' || purchasePath === 'legacy' || purchasePath === 'credit'

/** `purchasePath` in the journal of a payment whose answer is store credit: nothing was delivered for it. */
export const REFUND_PATH = 'refunded'
