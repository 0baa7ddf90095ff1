import type { Good, Sellable } from './good.ts'
import { CREDIT_PACKS } from './grants/creditPacks.ts'
import { alpha7d, alphaDay, botFuelDay } from './grants/feedTokens.ts'
import { hourPass } from './grants/hourPass.ts'
import { torCall } from './grants/torCall.ts'
import { book } from './market/book.ts'
import { botFuel } from './market/botFuel.ts'
import { botFuelPack } from './market/botFuelPack.ts'
import { edge } from './market/edge.ts'
import { edgePack } from './market/edgePack.ts'
import { match } from './market/match.ts'
import { move } from './market/move.ts'
import { net } from './market/net.ts'
import { spread } from './market/spread.ts'
import { ping } from './ping.ts'
import { receiptOracle } from './receiptOracle.ts'
import { SERVICES } from './services/index.ts'
import { UTILITY_GOODS } from './utility/index.ts'

/** Everything sold on /x402/v1. Adding a good is adding one file and one line. */
export const GOODS: readonly Good<unknown>[] = [
  ping,
  receiptOracle,
  spread,
  match,
  net,
  move,
  book,
  edge,
  edgePack,
  botFuel,
  botFuelPack,
  botFuelDay,
  alphaDay,
  alpha7d,
  hourPass,
  torCall,
  ...CREDIT_PACKS,
  ...UTILITY_GOODS,
]

const BY_SKU: ReadonlyMap<string, Sellable<unknown>> = new Map(
  [...GOODS, ...SERVICES].map((good) => [good.sku, good]),
)

/** Whatever was ever sold stays known: its claims may still be undelivered. */
export const sellableOfSku = (sku: string): Sellable<unknown> | undefined => BY_SKU.get(sku)
