import { randomFillSync } from 'node:crypto'

const SANE = /^[A-Za-z0-9._-]{8,64}$/
const ID_BYTES = 9
/** Drawn at once: one at a time would cost more than the rest of a request's manners. */
const DRAWN = 512

/**
 * X-Request-Id of an answer and of what is logged about it: the caller's own when it is harmless to repeat, else ours, which
 * no other process gives. Ours do not count: two of them would tell how many others have asked in between.
 */
export function createRequestIds(): (sent: string) => string {
  const drawn = Buffer.alloc(DRAWN * ID_BYTES)
  let used = drawn.length
  const next = () => {
    if (used === drawn.length) {
      randomFillSync(drawn)
      used = 0
    }
    used += ID_BYTES
    return drawn.toString('base64url', used - ID_BYTES, used)
  }
  return (sent) => (sent !== '' && SANE.test(sent) ? sent : next())
}
