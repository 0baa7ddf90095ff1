import { type Answer, get, type Offer, offerOf, paid, payment } from '../support/buyer.ts'
import { sleep } from '../support/process.ts'
import type { Dice } from './dice.ts'
import { judgeMarket } from './prices.ts'
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

/** A permit for one call, and which Idempotency-Keys it was redeemed under: one, however often it is asked. */
export type Permit = { token: string; keys: string[]; granted: Set<string> }

/** What all buyers did, and what must never have happened. */
export type Log = {
  purchases: Purchase[]
  /** Good payments that came with requests which buy nothing: none of them may ever move. */
  refused: Pick<Purchase, 'kind' | 'payer' | 'proof'>[]
  passes: { token: string; delivered: number }[]
  permits: Permit[]
  accounts: { headers: Record<string, string>; spends: Spend[]; bought: Purchase[] }[]
  secrets: string[]
  wrong: string[]
}

export const newLog = (): Log => ({
  purchases: [],
  refused: [],
  passes: [],
  permits: [],
  accounts: [],
  secrets: [],
  wrong: [],
})

export const PING = '/x402/v1/ping'
export const SPREAD = '/x402/v1/spread'
export const HOUR_PASS = '/x402/v1/hour-pass'
export const CREDITS = '/x402/v1/credits-2'
export const FEED_DAY = '/x402/v1/bot-fuel-day'
export const TOR_CALL = '/x402/v1/tor-call'
const REDEEM = '/api/v1/tor-call-permit'

/** Statuses that say: ask again with the same. */
export const isLater = ({ status, header }: Answer) =>
  (status === 503 || status === 409) && header('retry-after') !== null

type Buyer = { address: `0x${string}`; privateKey: `0x${string}` }
export type Shop = { world: StormWorld; dice: Dice; log: Log; buyer: Buyer; isOver(): boolean }

export const base = ({ world, dice }: Shop): string => dice.pick(world.doors)
/** No request may be open for longer, whatever is broken (I23): a wait for the settler, and what stands still besides. */
const DEADLINE_MS = 30_000

/** One GET; null when the connection died under it. */
export async function call(
  shop: Shop,
  path: string,
  headers: Record<string, string>,
  at = base(shop),
): Promise<Answer | null> {
  const askedMs = Date.now()
  const answer = await get(`${at}${path}`, headers).catch(() => null)
  const tookMs = Date.now() - askedMs
  if (tookMs > DEADLINE_MS) shop.log.wrong.push(`I23 ${path} was open for ${tookMs} ms`)
  return answer
}

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
  const purchase = await sign(shop, kind, path, more)
  return purchase === null ? null : noted(shop, purchase)
}

/** Signs a payment that nobody has seen yet. @returns null while nobody names a price. */
export async function sign(
  shop: Shop,
  kind: string,
  path: string,
  more: Record<string, string> = {},
): Promise<Purchase | null> {
  const offer = await priceOf(shop, path)
  if (offer === null) return null
  const { header, signed, signature } = await payment(offer, shop.buyer)
  shop.log.secrets.push(signature.slice(2))
  return {
    kind,
    path,
    headers: { ...more, ...paid(header) },
    text: null,
    refused: null,
    payer: signed.from.toLowerCase(),
    proof: { nonce: signed.nonce },
    amount: signed.value,
  }
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
    judgeMarket(wrong, answer.json.result)
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
  judgeMarket(log.wrong, answer.json.result)
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

/** Redeems a permit under one of its keys. @returns whether there was an answer that counts. */
export async function redeem(shop: Shop, permit: Permit, key: string): Promise<boolean> {
  const answer = await call(shop, REDEEM, { 'x-service-permit': permit.token, 'idempotency-key': key })
  if (answer === null || isLater(answer) || answer.status >= 500) return false
  if (answer.status === 200) permit.granted.add(key)
  else if (permit.granted.has(key))
    shop.log.wrong.push(`I13 a redemption is ${answer.json.code} when asked again`)
  if (permit.granted.size > 1) shop.log.wrong.push('I13 a permit for one call was redeemed twice')
  return true
}

/** Asks again under each key that was used, so that a lost answer is heard too; soon, since outcomes are kept for five minutes. */
export async function persistPermit(shop: Shop, permit: Permit): Promise<void> {
  const endMs = Date.now() + PATIENCE_MS
  for (const key of permit.keys)
    while (!(await redeem(shop, permit, key)) && Date.now() < endMs) await sleep(100 + shop.dice.whole(200))
}
