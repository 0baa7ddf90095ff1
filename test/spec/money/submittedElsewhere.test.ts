import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  get,
  headerOf,
  nowS,
  type Offer,
  offerOf,
  paid,
  payloadOf,
  signTransfer,
  termsFor,
} from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'
import { provenBy, SHORT_S, submitAuthorization, whenOver } from '../../support/submitted.ts'

/**
 * Anybody may submit an authorization. One that moved without a claim of ours was never bound to a request, and from then on
 * it stands in public calldata (decision 011).
 */
const PING = '/x402/v1/ping'
const CREDITS = '/x402/v1/credits-2'
const REPORT = '/x402/v1/scan?raw=timeout'

let chain: TestChain
let service: Service
let offers: Record<string, Offer>
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 2 })
  const paths = [PING, CREDITS, REPORT]
  const found = await Promise.all(paths.map((path) => offerOf(service.bases[0]!, path)))
  offers = Object.fromEntries(paths.map((path, index) => [path, found[index]!]))
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

type Account = { address: Hex; privateKey: Hex }
const thief = () => chain.buyers[3]!
const received = () => chain.balance(chain.receiver)
const standing = (answer: Answer) => [answer.status, answer.json.code]

/** An authorization over the price of a path: `ask` pays with it, `submit` puts it on the chain as anybody may. */
async function signedFor(path: string, by: Account, { from = by.address, leftS = 250n } = {}) {
  const offer = offers[path]!
  const signed = { ...termsFor(offer, from), validBefore: nowS() + leftS }
  const signature = await signTransfer(by.privateKey, offer, signed)
  const ask = async (more: { to?: string; offer?: Offer; headers?: object; base?: number } = {}) =>
    get(`${service.bases[more.base ?? 0]}${more.to ?? path}`, {
      ...paid(headerOf(payloadOf(more.offer ?? offer, signed, signature))),
      ...more.headers,
    })
  const submit = async (change: { to?: Hex } = {}) => {
    const other = { ...signed, ...change }
    const signature = await signTransfer(by.privateKey, offer, other)
    return submitAuthorization({ chain, by: chain.buyers[4]! }, other, signature)
  }
  const key = `auth:8453:${offer.asset}:${from}:${signed.nonce}`.toLowerCase()
  return { offer, signed, ask, submit, key }
}
/** A thief who has read the chain can only combine it with an offer of its own. */
const offerOfThief = (path: string) => offerOf(service.bases[0]!, path)
const claimed = (key: string) => service.ledger.redis.exists(`claim:${key}`)

describe('I3 within its window: what can be spent later, or costs more than a cheap look, is the payer’s', () => {
  test.each([CREDITS, REPORT])('%s: a stranger has the calldata, the payer his key', async (path) => {
    const { ask, submit, key } = await signedFor(path, chain.buyers[0]!)
    await submit()
    const before = await received()
    const stolen = await ask({ offer: await offerOfThief(path) })
    expect(standing(stolen)).toEqual([403, 'payer_unproven'])
    expect(stolen.header('payment-required')).toBeNull()
    expect(standing(await ask({ headers: await provenBy(thief(), stolen) }))).toEqual([403, 'payer_unproven'])
    expect(await claimed(key)).toBe(0)
    const mine = await ask({ headers: await provenBy(chain.buyers[0]!, stolen) })
    expect(mine.status, mine.text).toBe(200)
    expect((await ask()).text).toBe(mine.text)
    expect(await received()).toBe(before)
  })

  test('a cheap look goes to who asks first, as ever (RPL-13)', async () => {
    const { ask, submit } = await signedFor(PING, chain.buyers[0]!)
    await submit()
    expect((await ask()).status).toBe(200)
  })
})

describe('I4, I5 its window is over: what arrived buys for who signs that it is his, as long as answers are kept', () => {
  const wallets = () => ({
    [PING]: fresh(),
    [CREDITS]: fresh(),
    coded: chain.buyers[1]!,
    crashed: fresh(),
    spent: fresh(),
  })
  const fresh = (): Account => {
    const privateKey = generatePrivateKey()
    return { privateKey, address: privateKeyToAccount(privateKey).address }
  }
  type Missed = Awaited<ReturnType<typeof signedFor>> & { by: Account; tx: Hex }
  let missed: Record<keyof ReturnType<typeof wallets>, Missed>
  beforeAll(async () => {
    const found = Object.entries(wallets()).map(async ([name, by]): Promise<[string, Missed]> => {
      const from = name === 'coded' ? await chain.deploy1271(by.address) : by.address
      const path = name === CREDITS ? CREDITS : PING
      return [name, { by, tx: '0x', ...(await signedFor(path, by, { from, leftS: SHORT_S })) }]
    })
    missed = Object.fromEntries(await Promise.all(found)) as typeof missed
    for (const [name, { signed, ask, submit }] of Object.entries(missed)) {
      expect(standing(await ask())).toEqual([402, 'insufficient_funds'])
      await chain.mint(signed.from, signed.value)
      missed[name as 'spent'].tx = await submit(name === 'spent' ? { to: thief().address } : {})
    }
    for (const { signed } of Object.values(missed)) await whenOver(signed) //  the wallet with code signed after its deployment
  }, 60_000)

  test.each([PING, CREDITS] as const)('%s: its payer has it once, and nobody else', async (path) => {
    const { by, ask, key } = missed[path]
    const before = await received()
    const unsigned = await ask()
    expect(standing(unsigned)).toEqual([403, 'payer_unproven'])
    expect([unsigned.header('payment-required'), unsigned.json.retryable]).toEqual([null, true])
    const stolen = await ask({ offer: await offerOfThief(path), headers: await provenBy(thief(), unsigned) })
    expect([standing(stolen), await claimed(key)]).toEqual([[403, 'payer_unproven'], 0])

    const headers = await provenBy(by, unsigned)
    const both = await Promise.all([0, 1].map((base) => ask({ headers, base })))
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(both[1]!.text).toBe(both[0]!.text)
    expect((await ask()).text).toBe(both[0]!.text) //  with its secret, as every sale
    const other = await ask({ to: `${path}?echo=other`, headers })
    expect(standing(other)).toEqual([409, 'bound_elsewhere'])
    expect(await received()).toBe(before)

    //  even when the claim is gone, its transfer is booked
    await service.ledger.redis.del(`claim:${key}`)
    expect(standing(await ask({ headers }))).toEqual([410, 'answer_expired'])
  })

  test('a wallet with code says itself whether it signed', async () => {
    const { by, ask } = missed.coded
    const unsigned = await ask()
    expect(standing(unsigned)).toEqual([403, 'payer_unproven'])
    expect(standing(await ask({ headers: await provenBy(thief(), unsigned) }))).toEqual([
      403,
      'payer_unproven',
    ])
    expect((await ask({ headers: await provenBy(by, unsigned) })).status).toBe(200)
  })

  test('CRA-02 we die as soon as it is claimed: whoever goes on knows where its money is, however long ago it moved', async () => {
    const { by, ask, key, tx } = missed.crashed
    const headers = await provenBy(by, await ask())
    await service.restartApi(0, { FAULT_POINT: 'CP4' })
    await expect(ask({ headers })).rejects.toThrow()
    expect(await service.ledger.redis.hget(`claim:${key}`, 'txs')).toBe(tx)
    await until('the worker has settled it', async () => (await ask({ headers, base: 1 })).status === 200)
    await service.restartApi(0)
  })

  test('its nonce paid somebody else: 410, and nothing is kept of it', async () => {
    const { by, ask, key } = missed.spent
    const answer = await ask({ headers: await provenBy(by, await ask()) })
    expect([standing(answer), await claimed(key)]).toEqual([[410, 'answer_expired'], 0])
  })
})
