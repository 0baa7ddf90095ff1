import { type Clock, steadyClock } from '../../../../ops/clock.ts'
import { SECOND } from '../../../../ops/units.ts'
import type { Problem } from '../../../errors.ts'
import { type DnsAnswer, isSilent, shapeAnswer } from './answer.ts'
import { createAnswerCache } from './answerCache.ts'
import { resolveAll } from './resolve.ts'

export const DEADLINE_MS = 2 * SECOND
/** Look-ups under way in this process, of six questions each; one more is refused as busy. */
const MAX_UNDER_WAY = 64

/** @returns the answer, or a Problem when nothing was learned: nothing is charged then. */
export type LookUp = (name: string) => Promise<DnsAnswer | Problem>

/**
 * Looks names up: from the cache, otherwise together with other callers asking for the same name, otherwise from the
 * servers. Names are kept in memory only, and told to nobody but the servers.
 */
export function createLookUp({
  servers,
  clock,
  steady = steadyClock,
  deadlineMs = DEADLINE_MS,
  maxUnderWay = MAX_UNDER_WAY,
}: {
  servers: readonly string[] // none: every look-up is refused
  clock: Clock //   dates answers
  steady?: Clock // measures how long they are kept: a minute at most, even if the other one is set back
  deadlineMs?: number
  maxUnderWay?: number
}): LookUp {
  const cache = createAnswerCache()
  const underWay = new Map<string, Promise<DnsAnswer | Problem>>()

  const ask = async (name: string): Promise<DnsAnswer | Problem> => {
    const outcomes = await resolveAll(name, servers, deadlineMs)
    if (isSilent(outcomes)) return { problem: 'resolver_unavailable' }
    const answer = shapeAnswer(name, outcomes, clock.nowMs())
    cache.keep(answer, steady.nowMs())
    return answer
  }

  return async (name) => {
    if (servers.length === 0) return { problem: 'resolver_unavailable' }
    const kept = cache.find(name, steady.nowMs())
    if (kept !== null) return kept
    const running = underWay.get(name)
    if (running !== undefined) return running
    if (underWay.size >= maxUnderWay) return { problem: 'busy' }
    const started = ask(name).finally(() => underWay.delete(name))
    underWay.set(name, started)
    return started
  }
}
