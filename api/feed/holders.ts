import type { Clock } from '../../ops/clock.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import { isProblem, type Problem, type ProblemCode } from '../errors.ts'
import type { Admitted, Door } from './access.ts'

/** Most streams at once, per token and per process. A caller that opens more is told to come back later. */
export const STREAMS_PER_TOKEN = 20
export const STREAMS_MAX = 5_000
const RETRY_S = 10

/** Each token is looked up this often while it streams; sooner when a look-up failed. */
export const CHECK_MS = 1 * MINUTE
const CHECK_AGAIN_MS = 5 * SECOND
/** Look-ups of streaming tokens under way: enough for STREAMS_MAX of them in a minute, half of what `access.ts` allows. */
export const CHECKS_AT_ONCE = 128

/** A token in use. `endsMs`, `checkMs`: steady clock. */
export type Holder = {
  readonly key: string
  readonly token: string
  endsMs: number //      as the store last said
  checkMs: number //     when it is looked up again
  isChecked: boolean //  being looked up now
  streams: number //     open, or reserved
}

/** How a token's streams end; absent: a problem that says nothing about the token. One that was deleted is unknown. */
const FAREWELLS: Partial<Record<ProblemCode, 'expired' | 'revoked'>> = {
  feed_token_expired: 'expired',
  feed_token_unknown: 'revoked',
  feed_token_revoked: 'revoked',
}

/**
 * The tokens that stream in this process, and how many streams each has. A token is looked up once for all its readers.
 * @param onOver the store says that it is over: its streams must end. Expired it may be before the end that we were told
 *   of: our steady clock stands still while this machine does, and the store's may be corrected.
 */
export function createHolders({
  door,
  steady,
  onOver,
}: {
  door: Pick<Door, 'admitToken'>
  steady: Clock
  onOver(holder: Holder, why: 'expired' | 'revoked'): void
}) {
  const holders = new Map<string, Holder>() //  ordered by the last look-up, the oldest first
  let streams = 0
  let checks = 0

  const check = async (holder: Holder) => {
    checks++
    holder.isChecked = true
    const answer = await door.admitToken(holder.token)
    checks--
    holder.isChecked = false
    holder.checkMs = steady.nowMs() + (isProblem(answer) ? CHECK_AGAIN_MS : CHECK_MS)
    if (holders.get(holder.key) !== holder) return //  no stream uses it any more
    holders.delete(holder.key)
    holders.set(holder.key, holder)
    if (!isProblem(answer)) {
      holder.endsMs = answer.endsMs
      return
    }
    const why = FAREWELLS[answer.problem]
    if (why !== undefined) onOver(holder, why)
  }

  return {
    refuse({ key }: Admitted): Problem | null {
      if (streams >= STREAMS_MAX) return { problem: 'busy', retryAfterS: RETRY_S }
      return (holders.get(key)?.streams ?? 0) >= STREAMS_PER_TOKEN
        ? { problem: 'too_many_streams', retryAfterS: RETRY_S }
        : null
    },

    enter(token: string, { key, endsMs }: Admitted): Holder {
      const checkMs = steady.nowMs() + CHECK_MS
      const holder = holders.get(key) ?? { key, token, endsMs, checkMs, isChecked: false, streams: 0 }
      holders.set(key, holder)
      holder.endsMs = endsMs
      holder.streams++
      streams++
      return holder
    },

    /** To be called once per stream that was entered. */
    leave(holder: Holder) {
      streams--
      holder.streams--
      if (holder.streams === 0) holders.delete(holder.key)
    },

    /** To be called once a second. */
    look() {
      const nowMs = steady.nowMs()
      for (const holder of holders.values()) {
        if (checks >= CHECKS_AT_ONCE) return
        if (holder.checkMs <= nowMs && !holder.isChecked) void check(holder)
      }
    },
  }
}
