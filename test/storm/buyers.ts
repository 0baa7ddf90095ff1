import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { encodeFunctionData } from 'viem'
import { signerOf } from '../../ops/sandbox/chain/setup.ts'
import { TOKEN_ABI } from '../../ops/sandbox/chain/tokenAbi.ts'
import { rawRequest } from '../support/buyer.ts'
import { sleep } from '../support/process.ts'
import { shownTransfer, transferProof } from '../support/transferProof.ts'
import { judgeMarket } from './prices.ts'
import {
  base,
  CREDITS,
  call,
  FEED_DAY,
  HOUR_PASS,
  isLater,
  note,
  noted,
  noteSpend,
  open,
  PING,
  type Purchase,
  persist,
  persistPermit,
  redeem,
  type Shop,
  SPREAD,
  type Spend,
  sign,
  TOR_CALL,
} from './purchase.ts'

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
  const purchase = await open(shop, 'cross path', `${PING}?echo=bought`)
  if (purchase === null) return
  await persist(shop, purchase)
  if (purchase.text === null) return //  nobody took it yet: the first who is asked may, for whatever is asked of him
  for (const path of [`${PING}?echo=another`, SPREAD]) {
    const other = await call(shop, path, purchase.headers)
    if (other?.status === 200)
      shop.log.wrong.push(`I7 cross path: one payment was answered for two requests, the other is ${path}`)
  }
}

/** Asks for two things with one payment at the same moment: one of them is answered, the other belongs elsewhere. */
export const twoAtOnce = async (shop: Shop): Promise<void> => {
  const [one, two] = [`${PING}?echo=one`, `${PING}?echo=two`]
  const purchase = await open(shop, 'two at once', one)
  if (purchase === null) return
  const paths = [one, two, one, two]
  const { doors } = shop.world
  const first = await Promise.all(
    paths.map((path, at) => call(shop, path, purchase.headers, doors[at % doors.length])),
  )
  const won = paths.filter((_, at) => first[at]?.status === 200)
  if (new Set(won).size > 1) shop.log.wrong.push('I7 two at once: one payment was answered for two requests')
  const bound = first.some((answer, at) => paths[at] === one && answer?.status === 409 && !isLater(answer))
  if (won[0] !== undefined) purchase.path = won[0]
  else if (bound) purchase.path = two
  for (const [at, answer] of first.entries())
    if (paths[at] === purchase.path) note(shop.log, purchase, answer)
  //  nobody has said yet which of the two it is: whoever is asked first at the end decides
  for (let at = 0; purchase.text === null && purchase.refused === null && at < 40; at++) {
    const answer = await call(shop, purchase.path, purchase.headers)
    if (answer?.json.code === 'bound_elsewhere') purchase.path = purchase.path === one ? two : one
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

/** The legacy path: a transfer, shown by its hash. Nothing else can be bought with it, with an intent of its own or without. */
const transfers = async (shop: Shop) => {
  const { world, buyer, log } = shop
  const intentOf = async () => (await call(shop, PING, {}))?.json.payment
  const [intent, second] = [await intentOf(), await intentOf()]
  if (intent === undefined || second === undefined) return
  const amount = BigInt(intent.amountAtomic)
  const { usdc, receiver } = world.chain
  const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args: [receiver, amount] })
  const tx = await world.chain.clients.wallet.sendTransaction({ account: signerOf(buyer), to: usdc, data })
  const shown = await transferProof(buyer, intent.intentId, tx)
  const purchase = noted(shop, {
    kind: 'transfer',
    path: `${PING}?echo=transfer`,
    headers: shown,
    proof: { tx },
    payer: buyer.address.toLowerCase(),
    amount,
    text: null,
    refused: null,
  })
  await persist(shop, purchase)
  if (purchase.text === null) return
  const others = [
    [`${PING}?echo=another`, shown],
    [`${PING}?echo=transfer`, shownTransfer(second.intentId, tx)],
  ] as const
  for (const [path, headers] of others)
    if ((await call(shop, path, headers))?.status === 200)
      log.wrong.push('I2 transfer: one transfer was answered for two requests')
}

//  No divisor of the calls of a pass: the last of them must come in the middle of a round.
const CALLS_AT_ONCE = 130
const PASS_ROUNDS = 8
const NAMED_AT_ONCE = 8

/** One call of a pass under a name, asked for by three at once and once more: one answer, which is taken once (CRA-13). */
async function namedCall(shop: Shop, pass: { token: string; delivered: number }, key: string): Promise<void> {
  const headers = { 'x-service-pass': pass.token, 'idempotency-key': key }
  const ask = () => call(shop, SPREAD, headers)
  const answers = [...(await Promise.all([ask(), ask(), ask()])), await ask()]
  const texts = new Set(answers.flatMap((answer) => (answer?.status === 200 ? answer.text : [])))
  if (texts.size > 1) shop.log.wrong.push('I16 pass: two answers to one key')
  pass.delivered += texts.size
}

/** Uses a pass up, many calls at once. */
export const passes = async (shop: Shop) => {
  const purchase = await open(shop, 'pass', HOUR_PASS)
  if (purchase === null) return
  await persist(shop, purchase)
  if (purchase.text === null) return
  const token = JSON.parse(purchase.text).result.token as string
  const pass = { token, delivered: 0 }
  shop.log.passes.push(pass)
  shop.log.secrets.push(token)
  const newest = new Map<string, number>() //  version of the board that a door has shown
  for (let round = 0; round < PASS_ROUNDS && !shop.isOver(); round++) {
    const shown: [door: string, version: number][] = []
    await Promise.all([
      ...Array.from({ length: CALLS_AT_ONCE }, async () => {
        const door = base(shop)
        const answer = await call(shop, SPREAD, { 'x-service-pass': token }, door)
        if (answer?.status !== 200) return
        pass.delivered++
        judgeMarket(shop.log.wrong, answer.json.result)
        shown.push([door, answer.json.result.snapshot.version])
      }),
      ...Array.from({ length: NAMED_AT_ONCE }, (_, at) => namedCall(shop, pass, `round-${round}-${at}`)),
    ])
    for (const [door, version] of shown)
      if (version < (newest.get(door) ?? 0))
        shop.log.wrong.push(`I17 version ${version} was shown after ${newest.get(door)}`)
    for (const [door, version] of shown) newest.set(door, Math.max(version, newest.get(door) ?? 0))
  }
}

/** Buys credit for an account of its own. @returns null while nobody names a price. */
export async function openAccount(shop: Shop) {
  const secret = randomBytes(16).toString('hex')
  const headers = { 'x-agent-id': `storm-${randomBytes(8).toString('hex')}`, 'x-service-credit-auth': secret }
  const purchase = await open(shop, 'credit', CREDITS, headers)
  if (purchase === null) return null
  shop.log.secrets.push(secret)
  const account = { headers, spends: [] as Spend[], bought: [purchase] }
  shop.log.accounts.push(account)
  return { account, purchase }
}

const REDEEMERS = 6

/** A permit for one call, redeemed by many at the same moment, each of them twice: one of them has it. */
export const permits = async (shop: Shop): Promise<void> => {
  const purchase = await open(shop, 'permit', TOR_CALL)
  if (purchase === null) return
  await persist(shop, purchase)
  if (purchase.text === null) return
  const keys = Array.from({ length: REDEEMERS }, (_, at) => `call-${at}`)
  const permit = {
    token: JSON.parse(purchase.text).result.torCallPermit.token,
    keys,
    granted: new Set<string>(),
  }
  shop.log.permits.push(permit)
  shop.log.secrets.push(permit.token)
  await Promise.all([...keys, ...keys].map((key) => redeem(shop, permit, key)))
  await persistPermit(shop, permit)
}

/** Where those live who are refused on purpose: after some refusals their address has to wait. */
const REFUSED_ONES = '127.0.0.8'

/** Sends a good payment with what buys nothing, a few times: it is refused for that, or later, and never taken. */
async function refusedFor(shop: Shop, code: string, path: string, purchase: Purchase | null): Promise<void> {
  if (purchase === null) return
  shop.log.refused.push(purchase)
  for (let at = 0; at < 3; at++) {
    const request = { path, headers: purchase.headers, localAddress: REFUSED_ONES }
    const answer = await rawRequest(base(shop), request).catch(() => null)
    if (answer === null || isLater(answer) || answer.status === 429 || answer.status >= 500) continue
    if (answer.json.code !== code)
      shop.log.wrong.push(`I8 ${purchase.kind}: ${answer.status} ${answer.json.code ?? 'delivered'}`)
  }
}

const BAD_INPUTS = [
  ['malformed_request', 'echo=%zz'],
  ['invalid_parameter', `echo=${'long'.repeat(65)}`],
  ['invalid_parameter', 'ECHO=misnamed'],
] as const

/** Each kind of input that buys nothing, with a payment of its own. */
export const badInputs = async (shop: Shop): Promise<void> => {
  for (const [code, query] of BAD_INPUTS)
    await refusedFor(shop, code, `${PING}?${query}`, await sign(shop, `bad input ${code}`, PING))
}

/** A payment and credit, or a payment and a pass, for one request: neither is touched. */
const twoInstruments = async (shop: Shop) => {
  const account = shop.log.accounts.at(-1)?.headers
  const pass = shop.log.passes.at(-1)
  const other = shop.dice.chance() < 0.5 ? account : pass && { 'x-service-pass': pass.token }
  if (other === undefined) return
  await refusedFor(shop, 'two_payments', SPREAD, await sign(shop, 'I15 two instruments', SPREAD, other))
}

/** Where thieves live: who shares an address with them has to wait, with a right secret too. */
const THIEF = '127.0.0.9'

const credit = async (shop: Shop) => {
  const opened = await openAccount(shop)
  if (opened === null) return
  const { account, purchase } = opened
  const copies = await Promise.all(Array.from({ length: 4 }, () => call(shop, CREDITS, purchase.headers)))
  for (const answer of copies) note(shop.log, purchase, answer)
  await persist(shop, purchase)
  if (purchase.text === null) return
  for (let at = 0; at < 20 && !shop.isOver(); at++) {
    const headers = { ...account.headers, 'idempotency-key': `k${at}` }
    const spend: Spend = { headers, path: SPREAD, text: null, last: null }
    account.spends.push(spend)
    const twice = await Promise.all([call(shop, SPREAD, headers), call(shop, SPREAD, headers)])
    for (const answer of twice) noteSpend(shop.log, spend, answer)
    const guess = { ...account.headers, 'x-service-credit-auth': 'a-guess-of-a-thief' }
    const theft = { path: SPREAD, headers: guess, localAddress: THIEF }
    const stolen = await rawRequest(base(shop), theft).catch(() => null)
    if (stolen?.status === 200) shop.log.wrong.push('I14 credit: spent with another secret')
  }
}

const feedToken = async (shop: Shop) => {
  const purchase = await open(shop, 'feed token', FEED_DAY)
  if (purchase === null) return
  await persist(shop, purchase)
  if (purchase.text !== null) shop.log.secrets.push(JSON.parse(purchase.text).result.token)
}

const WAYS = [
  honest,
  credit,
  copies,
  transfers,
  passes,
  twoInstruments,
  crossPath,
  permits,
  twoAtOnce,
  badInputs,
  aborts,
  feedToken,
]

/** Every way of buying, one after the other, each buyer from another one on; then as chance has it, until the storm is over. */
export async function goShopping(shop: Shop, first: number): Promise<void> {
  for (const at of WAYS.keys()) if (!shop.isOver()) await WAYS[(first + at) % WAYS.length]!(shop)
  while (!shop.isOver()) await shop.dice.pick(WAYS)(shop)
}
