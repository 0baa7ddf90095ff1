import type { ProblemTable } from './problem.ts'

/** Payments that were seen before, and proofs of transfers. */
export const CLAIM_PROBLEMS = {
  bound_elsewhere: {
    status: 409,
    retryable: false,
    title: 'This payment already belongs to another request',
    next: 'Repeat the request it was first sent with, header for header, or sign a new authorization. If it was a transfer of yours that bought nothing, send no more: give its transaction hash to whoever runs this service, through the contact in /.well-known/security.txt if one is published.',
  },
  refund_unproven: {
    status: 403,
    retryable: true,
    title: 'The price of this purchase was given back as store credit, which only its payer may receive',
    next: 'Sign prove.text with the paying wallet and send the same payment again with the signature in the header prove.header.',
  },
  payer_unproven: {
    status: 403,
    retryable: true,
    title: 'Others can present this payment as well as you can: only its sender may have what it buys',
    next: 'Sign prove.text with the wallet that sent the transfer or the authorization and send the same request again with the signature in the header prove.header. If that wallet cannot sign, give the transaction hash to whoever runs this service, through the contact in /.well-known/security.txt if one is published.',
  },
  payer_unproven_yet: {
    status: 503,
    retryable: true,
    title: 'The transfer has arrived; it is yours if nobody else claims it before Retry-After',
    next: 'Send the same request again after Retry-After; or at once with prove.text signed by the wallet that sent the transfer, in the header prove.header. Send no more money.',
  },
  already_paid: {
    status: 409,
    retryable: false,
    title: 'This purchase has already been paid by another payment with the same payment id',
    next: 'Send the payment named in paidBy again for its answer. This one was not used.',
  },
  payment_id_bound: {
    status: 409,
    retryable: false,
    title: 'This payment id belongs to another request',
    next: 'Use a new payment id for another request; nothing was charged.',
  },
  settlement_pending: {
    status: 503,
    retryable: true,
    title: 'The payment is being settled',
    next: 'Send the same request with the same payment again after Retry-After. Do not sign a new one.',
  },
  too_many_open: {
    status: 429,
    retryable: true,
    title: 'Too many payments of this wallet are waiting for settlement at once',
    next: 'Send the same request with the same payment again after Retry-After, when others of this wallet are settled or have expired; this one was not taken.',
  },
  answer_expired: {
    status: 410,
    retryable: false,
    title: 'The answer to this payment is no longer kept',
    next: 'Use the answer and the receipt you stored, if it bought any. This payment was used or cancelled and buys nothing more; pay again only for a new answer.',
  },
  payment_not_found: {
    status: 503,
    retryable: true,
    title: 'The transfer is not on chain yet',
    next: 'Send the same request again after Retry-After.',
  },
  transfer_mismatch: {
    status: 409,
    retryable: false,
    title: 'The transaction contains no transfer that pays this intent',
    next: 'Send no more money. If there is a detail, do what it says; otherwise check that the transaction is the one that paid exactly the amount of the intent, after it was issued. If another amount was sent, or the sending wallet cannot sign, the money is on chain: give its transaction hash to whoever runs this service, through the contact in /.well-known/security.txt if one is published.',
  },
  intent_invalid: {
    status: 400,
    retryable: false,
    title: 'The intentId is not ours or belongs to another path',
    next: 'Call the path without payment to get a new intent.',
  },
  intent_expired: {
    status: 409,
    retryable: false,
    title: 'The transfer came after the intent had expired',
    next: 'Send no more for it; to buy, ask for a new intent. The money is on chain and in our books: give its transaction hash to whoever runs this service, through the contact in /.well-known/security.txt if one is published.',
  },
} as const satisfies ProblemTable
