import type { Good } from './good.ts'
import { spread } from './market/spread.ts'
import { ping } from './ping.ts'

/** Everything sold on /x402/v1. Adding a good is adding one file and one line. */
export const GOODS: readonly Good<unknown>[] = [ping, spread]

export const goodOfSku = (sku: string): Good<unknown> | undefined => GOODS.find((good) => good.sku === sku)
