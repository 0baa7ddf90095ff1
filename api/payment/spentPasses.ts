import { type Clock, steadyClock } from '../../ops/clock.ts'
import { SECOND } from '../../ops/units.ts'

/** So long the ledger's word holds: what a reorganisation took from a pass may be given back (decision 008). */
const FOR_MS = 2 * SECOND
/** Passes remembered; the one that was refused longest ago is forgotten first. */
const MAX_PASSES = 10_000

export type SpentPasses = {
  /** Why this pass was refused just now; null: it was not. */
  refusal(digest: string): 'expired' | 'used_up' | null
  note(digest: string, refusal: 'expired' | 'used_up'): void
}

function createSpentPasses({ nowMs }: Clock): SpentPasses {
  const refused = new Map<string, { refusal: 'expired' | 'used_up'; untilMs: number }>()
  return {
    refusal(digest) {
      const known = refused.get(digest)
      if (known === undefined) return null
      if (nowMs() < known.untilMs) return known.refusal
      refused.delete(digest)
      return null
    },
    note(digest, refusal) {
      refused.delete(digest)
      refused.set(digest, { refusal, untilMs: nowMs() + FOR_MS })
      if (refused.size > MAX_PASSES) refused.delete(refused.keys().next().value!)
    },
  }
}

const made = new WeakMap<object, SpentPasses>()

/** One for all routes of a process, which share its passes. The answer comes before the call is taken, so without it whoever holds a dead pass has us work for nothing. */
export function spentPassesOf(passes: object, steady: Clock = steadyClock): SpentPasses {
  const known = made.get(passes) ?? createSpentPasses(steady)
  made.set(passes, known)
  return known
}
