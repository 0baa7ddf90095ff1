import { readIntent } from '../classic/money.ts'
import type { MoneyPorts } from '../classic/ports.ts'
import { isThere, whereabouts } from '../classic/whereabouts.ts'
import { intentOfClaim } from '../ledger/intentKeys.ts'
import type { Rail } from '../rails/rail.ts'
import type { FinalityGate } from '../settlement/finalityGate.ts'

type Ports = Pick<MoneyPorts, 'intents' | 'answers' | 'rails'>

/**
 * The gate of one pass over unanswered claims, classic purchases included: the money of one whose process died between
 * claim and answer may have left its chain since, and then nothing is given for it (I3).
 */
export function gateWithClassic(gate: FinalityGate, { rails, ...ports }: Ports): FinalityGate {
  const asked = rails.map(askedOnce)
  return {
    async reached(claim) {
      const name = intentOfClaim(claim.key)
      const read = name === null ? null : await readIntent(name, ports)
      if (read === null) return await gate.reached(claim)
      return isThere(await whereabouts(read.intent, asked))
    },
  }
}

/** A rail that failed once is not asked again in this pass: it must not delay a hundred claims. */
function askedOnce(rail: Rail): Rail {
  let failure: unknown = null
  const guarded = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    if (failure !== null) throw failure
    try {
      return await ask()
    } catch (error) {
      failure = error
      throw error
    }
  }
  return {
    ...rail,
    byHash: (...asked) => guarded(() => rail.byHash(...asked)),
    covers: (atMs) => guarded(() => rail.covers(atMs)),
  }
}
