import { type Answer, get, type Offer, offerOf, paid, payment } from '../support/buyer.ts'
import { sleep } from '../support/process.ts'
import type { Dice } from './dice.ts'
import type { StormWorld } from './world.ts'

/** One payment as its buyer saw it: he keeps what proves it and asks again until he knows. */
export type Purchase = {
  kind: string
  path: string
  headers: Record<string, string>
  payer: string
  /** What the chain can be asked about. A transfer was sent before the buyer asks, and cannot fail. */
  proof: { nonce: `0x${string}` } | { tx: `0x${string}` }
  amount: bigint
  text: string | null //     of the answer, once there was one
  refused: string | null //  a code that ends it
}

/** A spend of store credit under its Idempotency-Key. */
export type Spend = {
  headers: Record<string, string>
  path: string
  text: string | null
  last: string | null //  what was answered last instead
}

/** What all buyers did, and what must never have happened. */
export type Log = {
  purchases: Purchase[]
  passes: { token: string; delivered: number }[]
  accounts: { headers: Record<string, string>; spends: Spend[]; bought: Purchase[] }[]
  secrets: string[]
  wrong: string[]
}

export const newLog = (): Log => ({ purchases: [], passes: [], accounts: [], secrets: [], wrong: [] })

export const PING = '/x402/v1/ping'
export const SPREAD = '/x402/v1/spread'
export const HOUR_PASS = '/x402/v1/hour-pass'
export const CREDITS = '/x402/v1/credits-2'
export const FEED_DAY = '/x402/v1/bot-fuel-day'

/** Statuses that say: ask again with the same. */
export const isLater = ({ status, header }: Answer) =>
  (status === 503 || status === 409) && header('retry-after') !== null

type Buyer = { address: `0x${string}`; privateKey: `0x${string}` }
export type Shop = { world: StormWorld; dice: Dice; log: Log; buyer: Buyer; isOver(): boolean }

export const base = ({ world, dice }: Shop): string => dice.pick(world.doors)
/** One GET; null when the connection died under it. */
export const call = (
  shop: Shop,
  path: string,
  headers: Record<string, string>,
  at = base(shop),
): Promise<Answer | null> => get(`${at}${path}`, headers).catch(() => null)

/** The price of a path; null while nobody answers. */
const priceOf = async (shop: Shop, path: string): Promise<Offer | null> =>
  offerOf(base(shop), path).catch(() => null)

/** Signs a payment and notes it. @returns null while nobody names a price. */
export async function open(
  shop: Shop,
  kind: string,
  path: string,
  more: Record<string, string> = {},
): Promise<Purchase | null> {
  const offer = await priceOf(shop, path)
  if (offer === null) return null
  const { header, signed, signature } = await payment(offer, shop.buyer)
  shop.log.secrets.push(signature.slice(2))
  return noted(shop, {
    kind,
    path,
    headers: { ...more, ...paid(header) },
    text: null,
    refused: null,
    payer: signed.from.toLowerCase(),
    proof: { nonce: signed.nonce },
    amount: signed.value,
  })
}

export function noted({ log }: Shop, purchase: Purchase): Purchase {
  log.purchases.push(purchase)
  return purchase
}

/** Takes one answer into the purchase; whatever contradicts an earlier one, or was not asked for, is wrong. */
export function note({ wrong }: Log, purchase: Purchase, answer: Answer | null): void {
  if (answer === null || isLater(answer)) return
  const { kind, path } = purchase
  if (answer.status === 200) {
    if (purchase.refused !== null) wrong.push(`${kind} ${path}: answered after ${purchase.refused}`)
    if (purchase.text !== null && purchase.text !== answer.text)
      wrong.push(`${kind} ${path}: two different answers`)
    const echo = new URLSearchParams(path.split('?')[1]).get('echo')
    if (echo !== null && answer.json.result.ping.echo !== echo)
      wrong.push(`I7 ${kind} ${path}: the answer of another request`)
    purchase.text = answer.text
    return
  }
  if (answer.status >= 500) return
  const code = String(answer.json.code)
  if (purchase.text !== null) wrong.push(`${kind} ${path}: ${code} after it was answered`)
  purchase.refused = code
}

/** Longer than anything takes to recover that can. */
const PATIENCE_MS = 60_000

/** The same payment again until there is an answer. */
export async function persist(shop: Shop, purchase: Purchase): Promise<void> {
  const endMs = Date.now() + PATIENCE_MS
  for (let at = 0; Date.now() < endMs && purchase.text === null && purchase.refused === null; at++) {
    note(shop.log, purchase, await call(shop, purchase.path, purchase.headers))
    await sleep(100 + shop.dice.whole(200))
    if (at > 5 && !shop.isOver() && shop.dice.chance() < 0.05) return // comes back when the storm is over
  }
}

export function noteSpend(log: Log, spend: Spend, answer: Answer | null): void {
  if (answer === null) return
  if (answer.status !== 200) {
    spend.last = `${answer.status} ${answer.text.slice(0, 200)}`
    return
  }
  if (spend.text !== null && spend.text !== answer.text) log.wrong.push('credit: two answers to one key')
  spend.text = answer.text
}

/** The same spend again until there is an answer. */
export async function persistSpend(shop: Shop, spend: Spend): Promise<void> {
  const endMs = Date.now() + PATIENCE_MS
  while (spend.text === null && Date.now() < endMs) {
    noteSpend(shop.log, spend, await call(shop, spend.path, spend.headers))
    await sleep(100 + shop.dice.whole(200))
  }
}
