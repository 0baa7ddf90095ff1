import { roundTo, usdcNumber } from '../../ops/units.ts'
import type { Sellable } from '../goods/good.ts'
import type { AgentPricing } from './record.ts'

type Priced = Pick<Sellable<unknown>, 'listPriceMicroUsdc' | 'priceMicroUsdc'>

/** What a wallet agent pays and saves against the list price. Everybody is charged the agent price. */
export function agentPricing({ listPriceMicroUsdc, priceMicroUsdc }: Priced): AgentPricing {
  const saved = listPriceMicroUsdc > priceMicroUsdc ? listPriceMicroUsdc - priceMicroUsdc : 0n
  return {
    basePriceUsdc: usdcNumber(listPriceMicroUsdc),
    agentPriceUsdc: usdcNumber(priceMicroUsdc),
    agentSavingsUsdc: usdcNumber(saved),
    agentSavingsPct:
      listPriceMicroUsdc === 0n ? 0 : roundTo(Number((saved * 10_000n) / listPriceMicroUsdc) / 100, 2),
  }
}
