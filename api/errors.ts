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
  pass_unknown: {
    status: 402,
    retryable: false,
    title: 'This pass is not one of ours',
    next: 'Check the token in X-Service-Pass, buy a pass at /x402/v1/hour-pass, or pay for this call.',
  },
  pass_expired: {
    status: 402,
    retryable: false,
    title: 'The pass has expired',
    next: 'Buy a new pass at /x402/v1/hour-pass, or pay for this call.',
  },
  pass_used_up: {
    status: 402,
    retryable: false,
    title: 'All calls of the pass are used',
    next: 'Buy a new pass at /x402/v1/hour-pass, or pay for this call.',
  },
  pass_not_covering: {
    status: 402,
    retryable: false,
    title: 'The pass does not cover this',
    next: 'Pay for it; the call did not count against the pass.',
  },
  permit_missing: {
    status: 401,
    retryable: false,
    title: 'A permit is needed here',
    next: 'Send it as X-Service-Permit; permits are sold at /x402/v1/tor-call.',
  },
  permit_unknown: {
    status: 401,
    retryable: false,
    title: 'This permit is not one of ours',
    next: 'Check the token in X-Service-Permit; permits are sold at /x402/v1/tor-call.',
  },
  permit_expired: {
    status: 410,
    retryable: false,
    title: 'The permit has expired',
    next: 'Buy a new one at /x402/v1/tor-call.',
  },
  permit_used_up: {
    status: 409,
    retryable: false,
    title: 'The permit was redeemed before',
    next: 'Buy a new one at /x402/v1/tor-call; to repeat a redemption whose reply was lost send the same Idempotency-Key.',
  },
  credit_refused: {
    status: 402,
    retryable: false,
    title: 'No credit can be spent with this agent id and secret',
    next: 'Check x-agent-id, X-Service-Credit-Auth and, on the first spend, X-Service-Claim-Code; or pay for this call.',
  },
  credit_short: {
    status: 402,
    retryable: false,
    title: 'The store credit does not cover this',
    next: 'Buy credit at /x402/v1/credits-2, -5 or -10, or pay for this call; nothing was debited.',
  },
  credit_not_covering: {
    status: 402,
    retryable: false,
    title: 'Credit is not sold for credit',
    next: 'Pay for it; nothing was debited.',
  },
  credit_auth_mismatch: {
    status: 409,
    retryable: false,
    title: 'This agent id is locked with another credit secret',
    next: 'Use the secret it was first used with, or another x-agent-id; nothing was charged.',
  },
  redemption_missing: {
    status: 402,
    retryable: true,
    title: 'The payment does not carry the redemption secret of its offer',
    next: 'Copy the whole entry of accepts[], with extra.redemption, into accepted; nothing was charged.',
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
  // --- the alpha feed
  feed_token_missing: {
    status: 401,
    retryable: false,
    title: 'The feed needs a token',
    next: 'Send X-Service-Feed-Token. Tokens are sold at /x402/v1/bot-fuel-day (24 hours) and /x402/v1/alpha-7d (7 days).',
  },
  feed_token_unknown: {
    status: 401,
    retryable: false,
    title: 'This feed token is not one of ours',
    next: 'Check X-Service-Feed-Token, or buy a token at /x402/v1/bot-fuel-day (24 hours) or /x402/v1/alpha-7d (7 days).',
  },
  feed_token_expired: {
    status: 401,
    retryable: false,
    title: 'The feed token has expired',
    next: 'Buy a new token at /x402/v1/bot-fuel-day (24 hours) or /x402/v1/alpha-7d (7 days).',
  },
  too_many_streams: {
    status: 429,
    retryable: true,
    title: 'This token has too many streams open',
    next: 'Close one, or try again after Retry-After.',
  },
  feed_unavailable: {
    status: 503,
    retryable: true,
    title: 'The feed is being read in',
    next: 'Try again after Retry-After.',
  },
  upgrade_required: {
    status: 426,
    retryable: false,
    title: 'This path speaks WebSocket',
    next: 'Open it as a WebSocket, or read /api/v1/alpha-feed by GET.',
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
  resolver_unavailable: {
    status: 503,
    retryable: true,
    title: 'No DNS resolver gave an answer',
    next: 'Try again after Retry-After; nothing was charged.',
  },
  utility_timeout: {
    status: 503,
    retryable: true,
    title: 'The text took too long to work through',
    next: 'Try again after Retry-After, or send less text; nothing was charged.',
  },
  busy: {
    status: 503,
    retryable: true,
    title: 'Too much of this is under way',
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
