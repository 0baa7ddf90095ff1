import type { ProblemTable } from './problem.ts'

/** What a payment is refused for: nothing was charged. */
export const PAYMENT_PROBLEMS = {
  payment_required: {
    status: 402,
    retryable: true,
    title: 'Payment required',
    next: 'Sign one of accepts[] and repeat the same GET with PAYMENT-SIGNATURE.',
  },
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
    next: 'Sign again with the key of authorization.from: 65 bytes, low s, v 27 or 28; for a contract wallet what its isValidSignature accepts.',
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
    title: 'The authorization is not for the exact amount',
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
    next: 'Sign with validAfter 0: clocks differ.',
  },
  window_too_long: {
    status: 402,
    retryable: true,
    title: 'The authorization is valid for too long',
    next: 'Set validBefore to now + maxTimeoutSeconds; up to a minute more is accepted, since clocks differ.',
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
    status: 402,
    retryable: true,
    title: 'The token is paused',
    next: 'Nobody can pay with it now: try again later; nothing was charged.',
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
  redemption_missing: {
    status: 402,
    retryable: true,
    title: 'The payment does not carry the redemption secret of its offer',
    next: 'Copy the whole entry of accepts[], with extra.redemption, into accepted of a version 2 payment (PAYMENT-SIGNATURE); nothing was charged.',
  },
} as const satisfies ProblemTable
