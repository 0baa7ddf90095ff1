import type { Problem } from '../errors.ts'
import type { HttpRequest } from './exchange.ts'

const NAME = 'idempotency-key'
const SHAPE = /^[\x21-\x7e]{1,64}$/
/** Stands for a key that was sent and cannot be read; it is refused like any other of the wrong form. */
const UNREAD = '\ufffd'

/**
 * The request's key, '' when none was sent. The server below us takes bytes beyond ASCII off both ends of a header's
 * value: a key all in another script arrives empty, and were it none, the buyer would be charged for each repetition.
 */
export const idempotencyKeyOf = (request: Pick<HttpRequest, 'header' | 'headerCount'>): string =>
  request.header(NAME) || (request.headerCount(NAME) === 0 ? '' : UNREAD)

/** Why this text cannot be an idempotency key, or null; '' means that the request has none. */
export const refuseIdempotencyKey = (key: string): Problem | null =>
  key === '' || SHAPE.test(key)
    ? null
    : { problem: 'malformed_request', detail: 'Idempotency-Key: 1 to 64 visible ASCII characters.' }
