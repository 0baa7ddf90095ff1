import type { Clock } from '../../ops/clock.ts'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import type { Problem } from '../errors.ts'
import type { HttpRequest } from '../http/exchange.ts'
import { sha256Hex } from '../receipts/canonical.ts'

/** Knows the feed tokens that were sold, of every kind. Null: none of ours. Throws when it cannot tell. */
export type FeedAccess = { check(token: string): Promise<{ expiresMs: number; sku: string } | null> }

/** Somebody who may read: `key` stands for his token and is no secret. */
export type Admitted = { key: string; expiresMs: number }

/** How long a token is believed without asking again: a revoked one reads on for that long. */
const BELIEVED_MS = 5 * SECOND
const BELIEVED_MAX = 10_000
/** Look-ups under way at once: who guesses tokens waits for himself, and the ledger for nobody. */
const CHECKS_MAX = 256
/** Ours have 48 letters. */
const TOKEN_MAX = 256

export type Door = {
  /** By the headers of a request; a problem when it may not read. Answers at once for a token it has just seen. */
  admit(request: Pick<HttpRequest, 'header'>): Admitted | Problem | Promise<Admitted | Problem>
  admitToken(token: string): Admitted | Problem | Promise<Admitted | Problem>
}

/**
 * Both headers take any feed token. Every token, good or bad, costs one digest and one look-up by it, and all that are
 * not ours are refused in the same words.
 */
export function createDoor({ access, clock, log }: { access: FeedAccess; clock: Clock; log: Log }): Door {
  const believed = new Map<string, { expiresMs: number; untilMs: number }>()
  let checks = 0

  const inTime = (key: string, expiresMs: number): Admitted | Problem =>
    expiresMs > clock.nowMs() ? { key, expiresMs } : { problem: 'feed_token_expired' }

  const lookUp = async (token: string, key: string): Promise<Admitted | Problem> => {
    if (checks >= CHECKS_MAX) return { problem: 'busy', retryAfterS: 1 }
    checks++
    try {
      const known = await access.check(token)
      if (known === null) return { problem: 'feed_token_unknown' }
      if (believed.size >= BELIEVED_MAX) believed.delete(believed.keys().next().value!)
      believed.set(key, { expiresMs: known.expiresMs, untilMs: clock.nowMs() + BELIEVED_MS })
      return inTime(key, known.expiresMs)
    } catch (error) {
      log.warn({ reason: describeError(error) }, 'a feed token cannot be checked')
      return { problem: 'ledger_unavailable' }
    } finally {
      checks--
    }
  }
  const admitToken = (token: string) => {
    if (token === '') return { problem: 'feed_token_missing' } as const
    if (token.length > TOKEN_MAX) return { problem: 'feed_token_unknown' } as const
    const key = sha256Hex(token)
    const seen = believed.get(key)
    if (seen !== undefined && seen.untilMs > clock.nowMs()) return inTime(key, seen.expiresMs)
    believed.delete(key)
    return lookUp(token, key)
  }
  return {
    admitToken,
    admit(request) {
      const feed = request.header('x-service-feed-token')
      const market = request.header('x-marketplace-token')
      if (feed !== '' && market !== '' && feed !== market)
        return { problem: 'malformed_request', detail: 'Send one feed token: two that differ were sent.' }
      return admitToken(feed === '' ? market : feed)
    },
  }
}
