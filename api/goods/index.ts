import type { Good } from './good.ts'
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

/** Everything sold on /x402/v1. Adding a good is adding one file and one line. */
export const GOODS: readonly Good<unknown>[] = [
  ping,
  spread,
  match,
  net,
  move,
  book,
  edge,
  edgePack,
  botFuel,
  botFuelPack,
]

export const goodOfSku = (sku: string): Good<unknown> | undefined => GOODS.find((good) => good.sku === sku)
