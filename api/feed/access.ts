import type { Clock } from '../../ops/clock.ts'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import { type KnownFeedToken, MARKETPLACE_SKU } from '../entitlements/feedToken.ts'
import type { Problem } from '../errors.ts'
import type { HttpRequest } from '../http/exchange.ts'
import { penaltiesOf } from '../http/penalties.ts'
import { sha256Hex } from '../receipts/canonical.ts'

/** Knows the feed tokens that were sold, of every kind. Null: none of ours. Throws when it cannot tell. */
export type FeedAccess = { check(token: string): Promise<KnownFeedToken | null> }

/** Which header a token came in: the 30-day feed has one of its own. 'any': in a message, or in both headers. */
type Scope = 'feed' | 'marketplace' | 'any'

/** A caller that may read, until `endsMs` of the steady clock: `key` stands for the token and is no secret. */
export type Admitted = { key: string; endsMs: number }

/** How long a token is believed without asking again: a revoked one reads on for that long. */
const BELIEVED_MS = 5 * SECOND
const BELIEVED_MAX = 10_000
/** Look-ups under way at once: guessing tokens cannot slow the ledger down for others. */
const CHECKS_MAX = 256
/**
 * Unknown tokens one address may send at once, then this many a second: beyond that it is refused without a look-up, or
 * one address could use up all of CHECKS_MAX. A token that is trusted already is still admitted.
 */
export const UNKNOWN_TOKENS = { burst: 1_000, perS: 50 }
const unknownTokensOf = penaltiesOf(UNKNOWN_TOKENS)
/** Characters read; tokens of ours have 48. */
const TOKEN_MAX = 256

/** By the steady clock: when the token ends, and until when it is not asked about. */
type Believed = { sku: string; isRevoked: boolean; endsMs: number; untilMs: number }

type Sender = Pick<HttpRequest, 'address'>

export type Door = {
  /** By the headers of a request; a problem when it may not read. Answers at once for a token it has just seen. */
  admit(request: Pick<HttpRequest, 'header' | 'address'>): Admitted | Problem | Promise<Admitted | Problem>
  /** @param sender who sent it; absent: nobody, we look up a token again ourselves. */
  admitToken(token: string, sender?: Sender): Admitted | Problem | Promise<Admitted | Problem>
  /** Whether the token has ended while a caller that was admitted waited; null: it reads on. */
  refuseEnded(admitted: Admitted): Problem | null
}

/**
 * How long a token lasts is computed by the store's clock and from then on measured by the steady clock (ENT-06),
 * because our wall clock may be set. Every token, good or bad, costs one digest and one look-up by it, shared by all
 * callers that ask for it meanwhile: readers of one token come at the same instant, and would otherwise use up
 * CHECKS_MAX by themselves (ENT-11). Unknown tokens and those sent in the header of the other kind (ENT-12) are refused
 * in the same words.
 */
export function createDoor({ access, steady, log }: { access: FeedAccess; steady: Clock; log: Log }): Door {
  const believed = new Map<string, Believed>()
  const unknown = unknownTokensOf(believed, steady)
  const underWay = new Map<string, Promise<Believed | null>>()

  const judge = (key: string, { endsMs, sku, isRevoked }: Believed, scope: Scope): Admitted | Problem => {
    if (scope !== 'any' && (sku === MARKETPLACE_SKU) !== (scope === 'marketplace'))
      return { problem: 'feed_token_unknown' }
    if (endsMs > steady.nowMs()) return { key, endsMs }
    return { problem: isRevoked ? 'feed_token_revoked' : 'feed_token_expired' }
  }

  const ask = async (token: string, key: string): Promise<Believed | null> => {
    const known = await access.check(token)
    if (known === null) return null
    if (believed.size >= BELIEVED_MAX) believed.delete(believed.keys().next().value!)
    const { sku, expiresMs, isRevoked } = known
    const nowMs = steady.nowMs()
    const found = { sku, isRevoked, endsMs: nowMs + expiresMs - known.nowMs, untilMs: nowMs + BELIEVED_MS }
    believed.set(key, found)
    return found
  }
  const lookUp = async (
    token: string,
    key: string,
    scope: Scope,
    sender: Sender | null,
  ): Promise<Admitted | Problem> => {
    const address = sender?.address ?? null //  read now: a caller that leaves meanwhile has none
    const waitS = address === null || unknown.isQuiet() ? 0 : unknown.waitS(address)
    if (waitS > 0) return { problem: 'rate_limited', retryAfterS: waitS }
    if (!underWay.has(key) && underWay.size >= CHECKS_MAX) return { problem: 'busy', retryAfterS: 1 }
    try {
      const asked = underWay.get(key) ?? ask(token, key).finally(() => underWay.delete(key))
      underWay.set(key, asked)
      const found = await asked
      if (found !== null) return judge(key, found, scope)
      if (address !== null) unknown.count(address)
      return { problem: 'feed_token_unknown' }
    } catch (error) {
      log.warn({ reason: describeError(error) }, 'a feed token cannot be checked')
      return { problem: 'ledger_unavailable' }
    }
  }
  const enter = (token: string, scope: Scope, sender: Sender | null) => {
    if (token === '') return { problem: 'feed_token_missing' } as const
    if (token.length > TOKEN_MAX) return { problem: 'feed_token_unknown' } as const
    const key = sha256Hex(token)
    const seen = believed.get(key)
    if (seen !== undefined && seen.untilMs > steady.nowMs()) return judge(key, seen, scope)
    believed.delete(key)
    return lookUp(token, key, scope, sender)
  }
  return {
    admitToken: (token, sender) => enter(token, 'any', sender ?? null),
    refuseEnded: ({ endsMs }) => (endsMs > steady.nowMs() ? null : { problem: 'feed_token_expired' }),
    admit(request) {
      const feed = request.header('x-service-feed-token')
      const market = request.header('x-marketplace-token')
      if (feed !== '' && market !== '' && feed !== market)
        return { problem: 'malformed_request', detail: 'Send one feed token: two different ones were sent.' }
      if (feed !== '' && market !== '') return enter(feed, 'any', request) //  one of the two is its own header
      return feed === '' ? enter(market, 'marketplace', request) : enter(feed, 'feed', request)
    },
  }
}
