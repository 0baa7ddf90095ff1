/**
 * Every way this service says no: one closed, published table. `next` tells the caller what to do; no
 * text here ever contains input, an address of ours behind the edge, or a foreign error message.
 */
export const PROBLEMS = {
  payment_required: {
    status: 402,
    retryable: true,
    title: 'Payment required',
    next: 'Sign one of accepts[] and repeat the same GET with PAYMENT-SIGNATURE.',
  },
  // --- refused payments: nothing was charged
  offer_mismatch: {
    status: 402,
    retryable: true,
    title: 'The payment matches no current offer of this path',
    next: 'Read accepts[] of this answer and sign it unchanged.',
  },
  bad_signature: {
    status: 402,
    retryable: true,
    title: 'The signature is not by the payer',
    next: 'Sign again with the key of authorization.from; 65 bytes, low s, v 27 or 28.',
  },
  wrong_recipient: {
    status: 402,
    retryable: true,
    title: 'The authorization pays somebody else',
    next: 'Set authorization.to to payTo.',
  },
  wrong_amount: {
    status: 402,
    retryable: true,
    title: 'The authorization is not over the exact amount',
    next: 'Set authorization.value to amount.',
  },
  expired: {
    status: 402,
    retryable: true,
    title: 'The authorization has expired or expires too soon',
    next: 'Sign a new one that is valid for maxTimeoutSeconds.',
  },
  not_yet_valid: {
    status: 402,
    retryable: true,
    title: 'The authorization is not valid yet',
    next: 'Sign with validAfter in the past.',
  },
  window_too_long: {
    status: 402,
    retryable: true,
    title: 'The authorization is valid for too long',
    next: 'Set validBefore to now + maxTimeoutSeconds.',
  },
  insufficient_funds: {
    status: 402,
    retryable: true,
    title: 'The payer has too little USDC',
    next: 'Fund the wallet and pay again.',
  },
  nonce_used: {
    status: 402,
    retryable: true,
    title: 'The authorization was used or cancelled before',
    next: 'Sign a new authorization with a fresh nonce.',
  },
  blocked_party: {
    status: 402,
    retryable: false,
    title: 'The token refuses one of the parties',
    next: 'Pay from another wallet.',
  },
  token_paused: {
    status: 503,
    retryable: true,
    title: 'The token is paused',
    next: 'Try again later; nothing was charged.',
  },
  wallet_not_supported: {
    status: 402,
    retryable: true,
    title: 'This kind of wallet cannot pay here',
    next: 'Use an ordinary account or a deployed EIP-1271 wallet.',
  },
  transfer_failed: {
    status: 402,
    retryable: true,
    title: 'The transfer did not succeed on chain',
    next: 'Check the wallet and sign a new authorization.',
  },
  // --- requests that cannot be read
  malformed_payment: {
    status: 400,
    retryable: false,
    title: 'The payment header cannot be read',
    next: 'Send padded standard base64 of one x402 v2 PaymentPayload.',
  },
  unsupported_payment: {
    status: 400,
    retryable: false,
    title: 'This payment form is not supported',
    next: 'Use x402Version 2, scheme exact, EIP-3009.',
  },
  two_payments: {
    status: 400,
    retryable: false,
    title: 'More than one payment in one request',
    next: 'Send exactly one payment header.',
  },
  malformed_request: {
    status: 400,
    retryable: false,
    title: 'The request cannot be read',
    next: 'Send a GET without a body and a well-formed query with each name once.',
  },
  invalid_parameter: {
    status: 400,
    retryable: false,
    title: 'A parameter is missing or invalid',
    next: 'Correct the parameter named in detail and repeat the request; nothing was charged.',
  },
  not_found: { status: 404, retryable: false, title: 'No such path', next: 'See /catalog for what exists.' },
  method_not_allowed: {
    status: 405,
    retryable: false,
    title: 'Method not allowed',
    next: 'See the Allow header.',
  },
  body_too_large: {
    status: 413,
    retryable: false,
    title: 'The body is too large',
    next: 'Stay within the published limit.',
  },
  // --- claims
  bound_elsewhere: {
    status: 409,
    retryable: false,
    title: 'This payment already belongs to another request',
    next: 'Repeat the request it was first sent with, or sign a new authorization.',
  },
  payment_void: {
    status: 409,
    retryable: false,
    title: 'This payment expired without moving money',
    next: 'Sign a new authorization; nothing was charged.',
  },
  settlement_pending: {
    status: 503,
    retryable: true,
    title: 'The payment is being settled',
    next: 'Send the same request with the same payment again after Retry-After. Do not sign a new one.',
  },
  answer_expired: {
    status: 410,
    retryable: false,
    title: 'The answer of this payment is no longer kept',
    next: 'Answers are kept for 24 hours.',
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
    title: 'The transaction holds no transfer that pays this intent',
    next: 'Pay exactly the amount of the intent to payTo, after it was issued.',
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
    next: 'Contact support with the transaction hash; the money is recorded.',
  },
  // --- we cannot sell now: nothing was charged
  stale_data: {
    status: 503,
    retryable: true,
    title: 'The market data is too old to sell',
    next: 'Try again after Retry-After; nothing was charged.',
  },
  no_data: {
    status: 503,
    retryable: true,
    title: 'There is no data to sell yet',
    next: 'Try again after Retry-After; nothing was charged.',
  },
  not_enough_data: {
    status: 503,
    retryable: true,
    title: 'Too few rows qualify now to fill what is sold here',
    next: 'Try again after Retry-After; nothing was charged.',
  },
  ledger_unavailable: {
    status: 503,
    retryable: true,
    title: 'The ledger does not answer',
    next: 'Send the same request with the same payment again after Retry-After.',
  },
  chain_unavailable: {
    status: 503,
    retryable: true,
    title: 'The chain does not answer',
    next: 'Send the same request with the same payment again after Retry-After.',
  },
  facilitator_unavailable: {
    status: 503,
    retryable: true,
    title: 'The facilitator does not answer',
    next: 'Send the same request with the same payment again after Retry-After.',
  },
  internal: {
    status: 500,
    retryable: true,
    title: 'Something broke on our side',
    next: 'Send the same request with the same payment again; a payment is never taken twice.',
  },
} as const satisfies Record<string, { status: number; retryable: boolean; title: string; next: string }>

export type ProblemCode = keyof typeof PROBLEMS

/** An expected refusal, as a value. `detail` is our own words and may name a parameter, never its value. */
export type Problem = {
  problem: ProblemCode
  detail?: string
  retryAfterS?: number
  extra?: Record<string, unknown>
}

export const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'problem' in value
