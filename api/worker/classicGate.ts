import { readIntent } from '../classic/money.ts'
import type { MoneyPorts } from '../classic/ports.ts'
import { isThere, whereabouts } from '../classic/whereabouts.ts'
import { intentOfClaim } from '../ledger/intentKeys.ts'
import { untilItFails } from '../rails/forOnePass.ts'
import type { FinalityGate } from '../settlement/finalityGate.ts'

type Ports = Pick<MoneyPorts, 'intents' | 'answers' | 'rails'>

/**
 * The gate of one pass over unanswered claims, classic purchases included: the money of one whose process died between
 * claim and answer may have left its chain since, and then nothing is given for it (I3).
 */
export function gateWithClassic(gate: FinalityGate, { rails, ...ports }: Ports): FinalityGate {
  const asked = rails.map(untilItFails) //  one that failed must not delay a hundred claims
  return {
    async reached(claim) {
      const name = intentOfClaim(claim.key)
      const read = name === null ? null : await readIntent(name, ports)
      if (read === null) return await gate.reached(claim)
      return isThere(await whereabouts(read.intent, asked))
    },
  }
}
