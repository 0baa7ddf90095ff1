import { type Clock, steadyClock } from '../../ops/clock.ts'
import { SECOND } from '../../ops/units.ts'
import type { AnsweredCall, Ledger } from '../ledger/ledger.ts'
import { type Call, createMeter, insist, type Meter } from './meter.ts'

/** What a pass pays for: an answer, or why none. */
export type PassStanding = 'good' | 'unknown' | 'expired' | 'used_up'

export type Passes = Meter & {
  /**
   * As far as it can be told without taking a call: the answer is worked out before its call is taken, and nobody has us work for a
   * pass that pays for nothing. At once for a pass that was met a moment ago.
   */
  standing(digest: string): PassStanding | Promise<PassStanding>
  /** Takes one call for this answer, or gives the one that the call of this name had before. Rejects as `take` does. */
  answer(digest: string, name: string, answer: string): Promise<AnsweredCall | Exclude<PassStanding, 'good'>>
  /** What the call of this name was answered with; null: nothing, or more than five minutes ago. */
  answered(name: string): Promise<AnsweredCall | null>
}

/** So long the ledger's word holds. Of one that is over: what a reorganisation took from it may be given back (decision 008). */
const FOR_MS: Record<Exclude<PassStanding, 'unknown'>, number> = {
  good: 10 * SECOND, //  whoever calls more often is asked about by his calls alone
  expired: 2 * SECOND,
  used_up: 2 * SECOND,
}
/** Passes remembered; who was met first is forgotten first. Those of others are not: nobody makes us keep what he made up. */
const MAX_MET = 50_000

/** Hour passes over the ledger: taking calls, and telling those that pay from others. */
export function createPasses(
  ledger: Pick<Ledger, 'grant' | 'nowMs' | 'spendCalls' | 'answerCall' | 'answeredCall'>,
  { nowMs }: Clock = steadyClock,
): Passes {
  const met = new Map<string, { standing: PassStanding; untilMs: number }>()
  const meter = createMeter((operation, wanted) => ledger.spendCalls('pass', operation, wanted))

  const note = (digest: string, standing: PassStanding): PassStanding => {
    if (standing === 'unknown') {
      met.delete(digest)
      return standing
    }
    const untilMs = nowMs() + FOR_MS[standing]
    const known = met.get(digest)
    if (known !== undefined) {
      known.standing = standing //  in place: every call comes by here
      known.untilMs = untilMs
      return standing
    }
    if (met.size >= MAX_MET) met.delete(met.keys().next().value!)
    met.set(digest, { standing, untilMs })
    return standing
  }
  const look = async (digest: string): Promise<PassStanding> => {
    const [row, ledgerMs] = await Promise.all([ledger.grant('pass', digest), ledger.nowMs()])
    if (row === null) return note(digest, 'unknown')
    if (row.expiresMs <= ledgerMs) return note(digest, 'expired')
    return note(digest, row.fields.calls === '0' ? 'used_up' : 'good')
  }

  const take = async (digest: string): Promise<Call> => {
    const call = await meter.take(digest)
    note(digest, typeof call === 'string' ? call : 'good')
    return call
  }

  return {
    standing(digest) {
      const known = met.get(digest)
      return known !== undefined && nowMs() < known.untilMs ? known.standing : look(digest)
    },
    take,
    async answer(digest, name, answer) {
      const call = await insist(() => ledger.answerCall('pass', name, digest, answer))
      if (call === 'no_room') {
        const taken = await take(digest) //  it is paid: answered, and not kept
        return typeof taken === 'string' ? taken : { ...taken, answer }
      }
      note(digest, typeof call === 'string' ? call : 'good')
      return call
    },
    answered: (name) => ledger.answeredCall(name),
  }
}
