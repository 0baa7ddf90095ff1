import type { Check } from '../ops/health.ts'
import { isProblem } from './errors.ts'
import type { GoodPorts } from './goods/good.ts'
import { provenanceOf } from './goods/market/freshness.ts'
import type { Ledger } from './ledger/ledger.ts'

/** Ready means money-ready: the ledger is durable, the chain answers, the data is fresh enough to be sold. */
export function readinessChecks({
  ledger,
  goods,
  chain,
}: {
  ledger: Ledger
  goods: GoodPorts
  chain: { problem(): Promise<string | null> }
}): Check[] {
  return [
    { name: 'ledger', problem: () => ledger.problem() },
    { name: 'chain', problem: () => chain.problem() },
    {
      name: 'boards',
      problem: () => {
        const provenance = provenanceOf(goods.boards.gaps?.snapshot ?? null, goods)
        return isProblem(provenance) ? `${provenance.problem}: ${provenance.detail ?? ''}` : null
      },
    },
  ]
}
