import { isKnown } from './etag.ts'
import type { Reply } from './exchange.ts'

/**
 * The answers with a text that stays the same: 200, or 304 to a caller that has it already. Both are made once.
 * @returns the reply to an If-None-Match; '' for none.
 */
export function constantReply(
  { type, etag, cacheControl }: { type: string; etag: string; cacheControl: string },
  body: Buffer,
): (ifNoneMatch: string) => Reply {
  const headers = [
    ['etag', etag],
    ['cache-control', cacheControl],
    ['x-content-type-options', 'nosniff'],
  ] as const
  const whole: Reply = { status: 200, headers: [['content-type', type], ...headers], body }
  const same: Reply = { status: 304, headers, body: '' }
  return (ifNoneMatch) => (isKnown(ifNoneMatch, etag) ? same : whole)
}
