import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../../api/settlement/rpcProxy.ts'
import {
  get,
  headerOf,
  nowS,
  type Offer,
  offerOf,
  paid,
  payloadOf,
  type Signed,
  signTransfer,
  termsFor,
} from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'
import { provenBy, SHORT_S, submitAuthorization, whenOver } from '../../support/submitted.ts'

const PING = '/x402/v1/ping'

let chain: TestChain
let node: RpcProxy
let service: Service
let offer: Offer
beforeAll(async () => {
  chain = await startTestChain()
  node = await startRpcProxy(chain.rpcUrl)
  service = await startService({ chain, processes: 1, env: { BASE_RPC_URL: node.url } })
  offer = await offerOf(service.bases[0]!, PING)
})
afterAll(async () => {
  await service?.stop()
  await node?.close()
  await chain?.stop()
})

const received = () => chain.balance(chain.receiver)
const send = (signed: Signed, signature: Hex, accepted: Offer = offer, headers: object = {}) =>
  get(`${service.bases[0]}${PING}`, { ...paid(headerOf(payloadOf(accepted, signed, signature))), ...headers })
const shortTerms = (from: Hex): Signed => ({ ...termsFor(offer, from), validBefore: nowS() + SHORT_S })
const submit = (signed: Signed, signature: Hex) =>
  submitAuthorization({ chain, by: chain.buyers[4]! }, signed, signature)

describe('I5, RPL-12 a payment of long ago, whose claim is forgotten: nobody who has paid is told that he has not', () => {
  test('settled and delivered once: 410 for who signs that it is his, no offer to sign, nothing moves', async () => {
    const buyer = chain.buyers[0]!
    const signed = shortTerms(buyer.address)
    const signature = await signTransfer(buyer.privateKey, offer, signed)
    expect((await send(signed, signature)).status).toBe(200)
    const before = await received()
    await service.ledger.redis.del(
      `claim:auth:8453:${offer.asset}:${buyer.address}:${signed.nonce}`.toLowerCase(),
    )
    await whenOver(signed)
    const former = { ...offer, maxTimeoutSeconds: offer.maxTimeoutSeconds + 1 }
    for (const [accepted, headers] of [
      [former, {}],
      [offer, await provenBy(buyer, await send(signed, signature))],
    ] as const) {
      const again = await send(signed, signature, accepted, headers)
      expect([again.status, again.json.code, again.json.retryable]).toEqual([410, 'answer_expired', false])
      expect(again.header('payment-required')).toBeNull()
      expect(`${again.json.detail} ${again.json.next}`).not.toMatch(/nothing was charged|24 hours/)
    }
    expect(await received()).toBe(before)
  })

  test('of a wallet: nothing is told for what it did not sign', async () => {
    const owner = chain.buyers[1]!
    const wallet = await chain.deploy1271(owner.address)
    await chain.mint(wallet, 1_000_000n)
    const signed = shortTerms(wallet)
    const signature = await signTransfer(owner.privateKey, offer, signed)
    await submit(signed, signature)
    await whenOver(signed)
    expect((await send(signed, signature)).json.code).toBe('payer_unproven')
    expect((await send(signed, `0x${'5a'.repeat(64)}1b`)).json.code).toBe('expired')
  })

  test('never used: 402, sign a new one', async () => {
    const buyer = chain.buyers[2]!
    const signed = { ...termsFor(offer, buyer.address), validBefore: nowS() - 100_000n }
    const answer = await send(signed, await signTransfer(buyer.privateKey, offer, signed))
    expect([answer.status, answer.json.code]).toEqual([402, 'expired'])
  })

  test('the chain does not say: 503, the same payment again; then what it says', async () => {
    const buyer = chain.buyers[3]!
    const signed = shortTerms(buyer.address)
    const signature = await signTransfer(buyer.privateKey, offer, signed)
    await submit(signed, signature)
    await whenOver(signed)
    node.treat(() => 'cut')
    const away = await send(signed, signature)
    node.treat(() => 'pass')
    expect([away.status, away.json.code]).toEqual([503, 'chain_unavailable'])
    expect(away.header('payment-required')).toBeNull()
    await until('the node is back', async () => (await send(signed, signature)).status === 403)
  })
})

test('I4, I7 what was paid is fetched when price table or receiver are others by then, and by its own question only', async () => {
  const buyer = chain.buyers[0]!
  const signed = termsFor(offer, buyer.address)
  const signature = await signTransfer(buyer.privateKey, offer, signed)
  const bought = await send(signed, signature)
  expect(bought.status).toBe(200)
  await service.restartApi(0, { RECEIVER_ADDRESS: chain.buyers[4]!.address })
  const now = await offerOf(service.bases[0]!, PING)
  expect(now.payTo).not.toBe(offer.payTo)
  expect((await send(signed, signature)).text).toBe(bought.text)
  const elsewhere = await get(
    `${service.bases[0]}${PING}?echo=other`,
    paid(headerOf(payloadOf(offer, signed, signature))),
  )
  expect([elsewhere.status, elsewhere.json.code]).toEqual([409, 'bound_elsewhere'])
})
