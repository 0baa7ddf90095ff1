import { randomUUID } from 'node:crypto'
import { type Clock, steadyClock } from '../../ops/clock.ts'
import { SECOND } from '../../ops/units.ts'
import type { AnsweredCall, Ledger } from '../ledger/ledger.ts'
import { isRevoked } from './grant.ts'
import { type Call, createMeter, insist } from './meter.ts'

/** Whether a pass pays for an answer, or why not. */
export type PassStanding = 'good' | 'unknown' | 'expired' | 'revoked' | 'used_up'

export type Passes = {
  /** As Meter.take. */
  take(digest: string): Promise<Call | 'revoked'>
  /**
   * The standing as far as it is known without taking a call: answers are composed before their call is taken, and
   * nobody may make us work for a pass that pays for nothing. Synchronous for a recently seen pass.
   */
  standing(digest: string): PassStanding | Promise<PassStanding>
  /**
   * Takes one call for this answer, or returns the earlier answer of the call with this name. Rejects as `take` does.
   * A call without an answer was taken as by `take`, and nothing is kept. 'outdated': nothing was taken.
   * @param untilMs last ms of the answer, by the ledger's clock.
   */
  answer(
    digest: string,
    name: string,
    answer: string,
    untilMs?: number,
  ): Promise<AnsweredCall | Exclude<Call, string> | Ended | 'outdated'>
  /** Gives back a call that `take` took, and that paid for nothing. Rejects if it is not known whether it was done. */
  giveBack(digest: string): Promise<void>
  /** The answer given to the call with this name; null: none, or more than five minutes ago. */
  answered(name: string): Promise<AnsweredCall | null>
}

type Ended = Exclude<PassStanding, 'good'>

/** How long the ledger's word holds. Short once a pass is over: what a reorg took may be given back (decision 008). */
const FOR_MS: Record<Exclude<PassStanding, 'unknown'>, number> = {
  good: 10 * SECOND, //  a pass used more often is only checked by its calls
  expired: 2 * SECOND,
  revoked: 2 * SECOND,
  used_up: 2 * SECOND,
}
/** Passes remembered; the first seen is forgotten first. Unknown ones are not kept: made-up tokens use no memory. */
const MAX_MET = 50_000

/** Hour passes over the ledger: taking calls, and telling those that pay from others. */
export function createPasses(
  ledger: Pick<Ledger, 'grant' | 'nowMs' | 'spendCalls' | 'answerCall' | 'answeredCall' | 'giveBackCall'>,
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
      known.standing = standing //  in place, since every call comes through here
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
    if (row.expiresMs <= ledgerMs) return note(digest, isRevoked(row, ledgerMs) ? 'revoked' : 'expired')
    return note(digest, row.fields.calls === '0' ? 'used_up' : 'good')
  }

  /** The outcome of taking a call. Of a pass that has ended the step does not say whether it was revoked. */
  const noted = async <Outcome extends object>(
    digest: string,
    call: Outcome | Ended,
  ): Promise<Outcome | Ended> => {
    if (call === 'expired' && (await look(digest)) === 'revoked') return 'revoked'
    note(digest, typeof call === 'string' ? call : 'good')
    return call
  }
  const take = async (digest: string): Promise<Call | 'revoked'> => noted(digest, await meter.take(digest))

  return {
    standing(digest) {
      const known = met.get(digest)
      return known !== undefined && nowMs() < known.untilMs ? known.standing : look(digest)
    },
    take,
    async answer(digest, name, answer, untilMs) {
      const call = await insist(() => ledger.answerCall('pass', name, digest, answer, untilMs))
      if (call === 'outdated') return call
      if (call === 'no_room') return await take(digest) //  it is paid: answered, and not kept
      return await noted(digest, call)
    },
    async giveBack(digest) {
      const operation = randomUUID()
      await insist(() => ledger.giveBackCall('pass', operation, digest))
      met.delete(digest) //  its last call may be back
    },
    answered: (name) => ledger.answeredCall(name),
  }
}
