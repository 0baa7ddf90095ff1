import type { Check } from '../ops/health.ts'
import { isProblem } from './errors.ts'
import type { GoodPorts } from './goods/good.ts'
import { provenanceOf } from './goods/market/freshness.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { SettlerState } from './ledger/settlerState.ts'

/**
 * Ready means money-ready: the ledger is durable, the chain answers, claims get settled, and the data is fresh enough
 * to be sold.
 * @param settler null: a facilitator settles.
 */
export function readinessChecks({
  ledger,
  goods,
  chain,
  settler,
}: {
  ledger: Ledger
  goods: GoodPorts
  chain: { problem(): Promise<string | null> }
  settler: Pick<SettlerState, 'problem'> | null
}): Check[] {
  return [
    { name: 'ledger', problem: () => ledger.problem() },
    { name: 'chain', problem: () => chain.problem() },
    ...(settler === null ? [] : [{ name: 'settler', problem: () => settler.problem() }]),
    {
      name: 'boards',
      problem: () => {
        const provenance = provenanceOf(goods.boards.gaps?.snapshot ?? null, goods)
        return isProblem(provenance) ? `${provenance.problem}: ${provenance.detail ?? ''}` : null
      },
    },
  ]
}
