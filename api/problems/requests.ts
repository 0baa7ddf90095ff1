import type { ProblemTable } from './problem.ts'

/** Requests that cannot be read. */
export const REQUEST_PROBLEMS = {
  malformed_payment: {
    status: 400,
    retryable: false,
    title: 'The payment header cannot be read',
    next: 'Send PAYMENT-SIGNATURE as padded standard base64 of one x402 v2 PaymentPayload, or X-PAYMENT as JSON {intentId, txHash, paymentRail}.',
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
    next: 'Correct what detail names and send it again: a GET has no body, and its query has each name once; a POST body is one JSON object.',
  },
  invalid_parameter: {
    status: 400,
    retryable: false,
    title: 'A parameter is missing or invalid',
    next: 'Correct the parameter named in detail and repeat the request; this one charged nothing.',
  },
  not_found: { status: 404, retryable: false, title: 'No such path', next: 'See /catalog for what exists.' },
  receipt_unknown: {
    status: 404,
    retryable: false,
    title: 'No such receipt',
    next: 'The id of a receipt is result.paymentAttestation.attestationId of the paid answer; receipts are kept for 400 days. Whoever has one can check it for ever: see /receipt-oracle.',
  },
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
    next: 'Send a shorter body: detail says how much is read.',
  },
  no_room: {
    status: 503,
    retryable: true,
    title: 'Too many request bodies are still arriving',
    next: 'Send the same request again after Retry-After, with the same payment if it carries one: this one was not looked at.',
  },
} as const satisfies ProblemTable
