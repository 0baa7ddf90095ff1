import type { Problem } from '../errors.ts'

const SHAPE = /^[\x21-\x7e]{1,64}$/

/** Why this text cannot be an idempotency key, or null; '' means that the request has none. */
export const refuseIdempotencyKey = (key: string): Problem | null =>
  key === '' || SHAPE.test(key)
    ? null
    : { problem: 'malformed_request', detail: 'Idempotency-Key: 1 to 64 visible ASCII characters.' }
