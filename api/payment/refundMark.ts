/** How the stored answer of a refunded claim begins. The head of an answer is ours alone: no buyer's text comes before it. */
export const REFUND_HEAD = '{"ok":false,"refunded":true,'

export const isRefund = (body: string): boolean => body.startsWith(REFUND_HEAD)
