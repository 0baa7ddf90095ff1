import type { Claim } from '../ledger/ledger.ts'

/** How the stored answer of a refunded claim begins. The head of an answer is ours alone: no buyer's text comes before it. */
export const REFUND_HEAD = '{"ok":false,"refunded":true,'

export const isRefund = (body: string): boolean => body.startsWith(REFUND_HEAD)

/** Classic purchases give money back by their own book; money of cards goes back through its provider. */
export const isRefundedHere = ({ purchasePath }: Pick<Claim, 'purchasePath'>): boolean =>
  purchasePath === 'x402' || purchasePath === 'legacy' || purchasePath === 'credit'
