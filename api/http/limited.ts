import { constantHeaders } from './constantHeaders.ts'
import { type Handler, type HttpRequest, INSTRUMENTS, type Reply, type SocketRoute } from './exchange.ts'
import type { Limit } from './limits.ts'
import { withHeaders } from './prepared.ts'
import type { RateLimit } from './rateLimit.ts'
import { problemReply } from './respond.ts'

/** A cache that keeps what it must not keep would at least not give one caller's answer to another (HTTP-14). */
const VARY = ['vary', INSTRUMENTS.join(', ')] as const

/**
 * The handler behind a rate limit. Its answers name the policy; how much is left is stated once it is less than half
 * (draft-ietf-httpapi-ratelimit-headers). Payments are looked for only where a call would be refused.
 */
export function limited(rate: RateLimit, handler: Handler): Handler {
  const { limit, take } = rate
  const constant = constantHeaders([
    ['ratelimit-policy', policyOf(limit)],
    ...(limit.payers === 'pass' ? [VARY] : []),
  ])
  const enough = limit.burst / 2
  const told = (reply: Reply, left: number): Reply => {
    const named = withHeaders(reply, constant)
    return left >= enough ? named : withHeaders(named, [['ratelimit', stateOf(limit, Math.max(0, left))]])
  }
  return (request) => {
    const left = take(request)
    if (left < 0 && !(limit.payers === 'pass' && pays(request)))
      return told(problemReply({ problem: 'rate_limited', retryAfterS: -left }), left)
    const reply = handler(request)
    return reply instanceof Promise ? reply.then((done) => told(done, left)) : told(reply, left)
  }
}

/** The same for a WebSocket: an upgrade beyond the limit is refused as a request is. */
export function limitedSocket(rate: RateLimit, { accept, ...route }: SocketRoute): SocketRoute {
  const { limit, take } = rate
  return {
    ...route,
    accept(request) {
      const left = take(request)
      if (left >= 0) return accept(request)
      return problemReply({ problem: 'rate_limited', retryAfterS: -left }, [
        ['ratelimit-policy', policyOf(limit)],
        ['ratelimit', stateOf(limit, 0)],
      ])
    },
  }
}

const pays = (request: HttpRequest): boolean => INSTRUMENTS.some((name) => request.header(name) !== '')

/** Quota and the seconds in which it fills again. */
const policyOf = (limit: Limit): string => `"${limit.name}";q=${limit.burst};w=${windowS(limit)}`

const stateOf = (limit: Limit, left: number): string =>
  `"${limit.name}";r=${left};t=${Math.ceil(((limit.burst - left) / limit.burst) * windowS(limit))}`

const windowS = ({ burst, perS }: Limit): number => Math.max(1, Math.ceil(burst / perS))
