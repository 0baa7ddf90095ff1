import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { type Answer, get, type Offer, offerOf, paid, payment } from '../support/buyer.ts'
import { sleep } from '../support/process.ts'
import type { Dice } from './dice.ts'
import type { StormWorld } from './world.ts'

/** One payment as its buyer saw it: he keeps the header and asks again until he knows. */
export type Purchase = {
  kind: string
  path: string
  headers: Record<string, string>
  payer: string
  nonce: string
  amount: bigint
  text: string | null //     of the answer, once there was one
  refused: string | null //  a code that ends it
}

/** A spend of store credit under its Idempotency-Key. */
export type Spend = { headers: Record<string, string>; path: string; text: string | null }

/** What all buyers did, and what must never have happened. */
export type Log = {
  purchases: Purchase[]
  passes: { token: string; delivered: number }[]
  accounts: { headers: Record<string, string>; spends: Spend[]; bought: Purchase[] }[]
  secrets: string[]
  wrong: string[]
}

export const newLog = (): Log => ({ purchases: [], passes: [], accounts: [], secrets: [], wrong: [] })

const PING = '/x402/v1/ping'
const SPREAD = '/x402/v1/spread'
const HOUR_PASS = '/x402/v1/hour-pass'
const CREDITS = '/x402/v1/credits-2'
const FEED_DAY = '/x402/v1/bot-fuel-day'

/** Statuses that say: ask again with the same. */
const isLater = ({ status, header }: Answer) =>
  (status === 503 || status === 409) && header('retry-after') !== null

type Buyer = { address: `0x${string}`; privateKey: `0x${string}` }
export type Shop = { world: StormWorld; dice: Dice; log: Log; buyer: Buyer; isOver(): boolean }

const base = ({ world, dice }: Shop) => dice.pick(world.service.bases)
const call = (shop: Shop, path: string, headers: Record<string, string>, at = base(shop)) =>
  get(`${at}${path}`, headers).catch(() => null)

/** The price of a path; null while nobody answers. */
const priceOf = async (shop: Shop, path: string): Promise<Offer | null> =>
  offerOf(base(shop), path).catch(() => null)

async function open(shop: Shop, kind: string, path: string, more: Record<string, string> = {}) {
  const offer = await priceOf(shop, path)
  if (offer === null) return null
  const { header, signed, signature } = await payment(offer, shop.buyer)
  const purchase: Purchase = {
    ...{ kind, path, headers: { ...more, ...paid(header) }, text: null, refused: null },
    ...{ payer: signed.from.toLowerCase(), nonce: signed.nonce, amount: signed.value },
  }
  shop.log.purchases.push(purchase)
  shop.log.secrets.push(signature.slice(2))
  return purchase
}

/** Takes one answer into the purchase; whatever contradicts an earlier one is wrong. */
function note(log: Log, purchase: Purchase, answer: Answer | null): void {
  if (answer === null || isLater(answer)) return
  const { kind, path } = purchase
  if (answer.status === 200) {
    if (purchase.refused !== null) log.wrong.push(`${kind} ${path}: answered after ${purchase.refused}`)
    if (purchase.text !== null && purchase.text !== answer.text)
      log.wrong.push(`${kind} ${path}: two different answers`)
    purchase.text = answer.text
    return
  }
  if (answer.status >= 500) return
  const code = String(answer.json.code)
  if (purchase.text !== null) log.wrong.push(`${kind} ${path}: ${code} after it was answered`)
  purchase.refused = code
}

/** The same payment again until there is an answer. */
export async function persist(shop: Shop, purchase: Purchase, tries = 400): Promise<void> {
  for (let at = 0; at < tries && purchase.text === null && purchase.refused === null; at++) {
    note(shop.log, purchase, await call(shop, purchase.path, purchase.headers))
    await sleep(100 + shop.dice.whole(200))
    if (at > 5 && !shop.isOver() && shop.dice.chance() < 0.05) return // comes back when the storm is over
  }
}

const honest = async (shop: Shop) => {
  const purchase = await open(shop, 'honest', shop.dice.pick([`${PING}?echo=storm`, SPREAD]))
  if (purchase === null) return
  await persist(shop, purchase)
  note(shop.log, purchase, await call(shop, purchase.path, purchase.headers))
}

const copies = async (shop: Shop) => {
  const purchase = await open(shop, 'copies', SPREAD)
  if (purchase === null) return
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => call(shop, purchase.path, purchase.headers)),
  )
  for (const answer of answers) note(shop.log, purchase, answer)
  await persist(shop, purchase)
}

/** Pays once and asks for two things: at most one of them is answered. */
const crossPath = async (shop: Shop) => {
  const purchase = await open(shop, 'cross path', SPREAD)
  if (purchase === null) return
  await persist(shop, purchase)
  const other = await call(shop, `${SPREAD}?q=another`, purchase.headers)
  if (other?.status === 200) shop.log.wrong.push('cross path: one payment was answered for two requests')
}

/** Asks for two things with one payment at the same moment: one of them is answered, the other belongs elsewhere. */
const twoAtOnce = async (shop: Shop) => {
  const purchase = await open(shop, 'two at once', SPREAD)
  if (purchase === null) return
  const paths = [SPREAD, `${SPREAD}?q=another`, SPREAD, `${SPREAD}?q=another`]
  const first = await Promise.all(paths.map((path) => call(shop, path, purchase.headers)))
  const won = paths.filter((_, at) => first[at]?.status === 200)
  if (new Set(won).size > 1) shop.log.wrong.push('two at once: one payment was answered for two requests')
  const bound = first.some((answer, at) => paths[at] === SPREAD && answer?.status === 409 && !isLater(answer))
  if (won[0] !== undefined) purchase.path = won[0]
  else if (bound) purchase.path = paths[1]!
  for (const [at, answer] of first.entries())
    if (paths[at] === purchase.path) note(shop.log, purchase, answer)
  //  nobody has said yet which of the two it is: whoever is asked first at the end decides
  for (let at = 0; purchase.text === null && purchase.refused === null && at < 40; at++) {
    const answer = await call(shop, purchase.path, purchase.headers)
    if (answer?.json.code === 'bound_elsewhere') purchase.path = purchase.path === SPREAD ? paths[1]! : SPREAD
    else note(shop.log, purchase, answer)
    await sleep(100)
  }
}

/** Goes away in the middle of it and comes back at the end. */
const aborts = async (shop: Shop) => {
  const purchase = await open(shop, 'aborts', SPREAD)
  if (purchase === null) return
  const { hostname, port } = new URL(base(shop))
  await new Promise<void>((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      const head = Object.entries(purchase.headers).map(([name, value]) => `${name}: ${value}`)
      socket.write([`GET ${purchase.path} HTTP/1.1`, 'Host: storm', ...head, '', ''].join('\r\n'))
      setTimeout(() => socket.destroy(), shop.dice.whole(120))
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
}

const passes = async (shop: Shop) => {
  const purchase = await open(shop, 'pass', HOUR_PASS)
  if (purchase === null) return
  await persist(shop, purchase)
  if (purchase.text === null) return
  const token = JSON.parse(purchase.text).result.token as string
  const pass = { token, delivered: 0 }
  shop.log.passes.push(pass)
  shop.log.secrets.push(token)
  for (let round = 0; round < 8 && !shop.isOver(); round++) {
    const answers = await Promise.all(
      Array.from({ length: 120 }, () => call(shop, SPREAD, { 'x-service-pass': token })),
    )
    pass.delivered += answers.filter((answer) => answer?.status === 200).length
  }
}

const credit = async (shop: Shop) => {
  const secret = randomBytes(16).toString('hex')
  const headers = { 'x-agent-id': `storm-${randomBytes(8).toString('hex')}`, 'x-service-credit-auth': secret }
  const purchase = await open(shop, 'credit', CREDITS, headers)
  if (purchase === null) return
  shop.log.secrets.push(secret)
  const account = { headers, spends: [] as Spend[], bought: [purchase] }
  shop.log.accounts.push(account)
  const copies = await Promise.all(Array.from({ length: 4 }, () => call(shop, CREDITS, purchase.headers)))
  for (const answer of copies) note(shop.log, purchase, answer)
  await persist(shop, purchase)
  if (purchase.text === null) return
  for (let at = 0; at < 20 && !shop.isOver(); at++) {
    const spend: Spend = { headers: { ...headers, 'idempotency-key': `k${at}` }, path: SPREAD, text: null }
    account.spends.push(spend)
    const twice = await Promise.all([call(shop, SPREAD, spend.headers), call(shop, SPREAD, spend.headers)])
    for (const answer of twice) noteSpend(shop.log, spend, answer)
    const stolen = await call(shop, SPREAD, { ...headers, 'x-service-credit-auth': 'a-guess-of-a-thief' })
    if (stolen?.status === 200) shop.log.wrong.push('credit: spent with another secret')
  }
}

export function noteSpend(log: Log, spend: Spend, answer: Answer | null): void {
  if (answer?.status !== 200) return
  if (spend.text !== null && spend.text !== answer.text) log.wrong.push('credit: two answers to one key')
  spend.text = answer.text
}

const feedToken = async (shop: Shop) => {
  const purchase = await open(shop, 'feed token', FEED_DAY)
  if (purchase === null) return
  await persist(shop, purchase)
  if (purchase.text !== null) shop.log.secrets.push(JSON.parse(purchase.text).result.token)
}

const WAYS = [honest, honest, copies, crossPath, twoAtOnce, aborts, passes, credit, feedToken]

/** Buys in one way after the other until the storm is over. */
export async function goShopping(shop: Shop): Promise<void> {
  while (!shop.isOver()) await shop.dice.pick(WAYS)(shop)
}
