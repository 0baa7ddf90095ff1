import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  freshNonce,
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
import { type Service, startService } from '../../support/service.ts'
import { submitAuthorization } from '../../support/submitted.ts'

const PING = '/x402/v1/ping'
/** Signatures that anybody can make up: 65 bytes that recover to an unknown address, and bytes that no key made. */
const GARBAGE: readonly (readonly [string, Hex])[] = [
  ['65 bytes', `0x${'5a'.repeat(64)}1b`],
  ['200 bytes', `0x${'5a'.repeat(200)}`],
]

let chain: TestChain
let service: Service
let offer: Offer
let stranger: TestChain['buyers'][number] // submits what others signed
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1, env: { SETTLE_WAIT_MS: '8000' } })
  offer = await offerOf(service.bases[0]!, PING)
  stranger = chain.buyers[4]!
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const received = () => chain.balance(chain.receiver)
const ask = (signed: Signed, signature: Hex, who = 'owner'): Promise<Answer> =>
  get(`${service.bases[0]}${PING}?echo=${who}`, paid(headerOf(payloadOf(offer, signed, signature))))
const standing = (answer: Answer) => [answer.status, answer.json.code]
const claimOf = ({ from, nonce }: Signed) =>
  service.ledger.redis.hget(`claim:auth:8453:${offer.asset}:${from}:${nonce}`.toLowerCase(), 'state')
const submit = (signed: Signed, signature: Hex) =>
  submitAuthorization({ chain, by: stranger }, signed, signature)

describe('x402-v2 2.8, I3, I4: a used nonce pays only for whoever proves that he signed these terms', () => {
  test.each(GARBAGE)(
    'RPL-13 a stranger with another window and %s buys nothing, and the payer is served',
    async (_, garbage) => {
      const buyer = chain.buyers[0]!
      const signed = termsFor(offer, buyer.address)
      const signature = await signTransfer(buyer.privateKey, offer, signed)
      await submit(signed, signature)
      const before = await received()
      const forged = { ...signed, validBefore: signed.validBefore - 1n }
      expect(standing(await ask(forged, garbage, 'thief'))).toEqual([402, 'nonce_used'])
      expect(standing(await ask(forged, signature, 'thief'))).toEqual([402, 'nonce_used']) // it signs other terms
      expect(await claimOf(signed)).toBeNull()
      expect((await ask(signed, signature)).json.result.ping.echo).toBe('owner')
      expect(await received()).toBe(before)
    },
  )

  test('RPL-13 a wallet says whether it signed: garbage buys nothing, its own payment is delivered once', async () => {
    const owner = chain.buyers[1]!
    const wallet = await chain.deploy1271(owner.address)
    await chain.mint(wallet, 1_000_000n)
    const signed = termsFor(offer, wallet)
    const signature = await signTransfer(owner.privateKey, offer, signed)
    await submit(signed, signature)
    const before = await received()
    const forged = { ...signed, validBefore: signed.validBefore - 1n }
    for (const [, garbage] of [...GARBAGE, ['over other terms', signature] as const])
      expect(standing(await ask(forged, garbage, 'thief'))).toEqual([402, 'nonce_used'])
    const answer = await ask(signed, signature)
    expect([answer.status, answer.json.result.ping.echo]).toEqual([200, 'owner'])
    expect((await ask(signed, signature)).text).toBe(answer.text)
    expect(await received()).toBe(before)
  })

  test('RPL-11, RPL-18 a nonce that paid somebody else, or us another sum: 402, and nothing is kept of it', async () => {
    const buyer = chain.buyers[2]!
    for (const other of [{ to: stranger.address }, { value: 9_999n }]) {
      const elsewhere = { ...termsFor(offer, buyer.address), nonce: freshNonce(), ...other }
      await submit(elsewhere, await signTransfer(buyer.privateKey, offer, elsewhere))
      const signed = { ...termsFor(offer, buyer.address), nonce: elsewhere.nonce }
      expect(standing(await ask(signed, await signTransfer(buyer.privateKey, offer, signed)))).toEqual([
        402,
        'nonce_used',
      ])
      expect(await claimOf(signed)).toBeNull()
    }
    expect(await service.ledger.redis.zcard('claims:settling')).toBe(0)
  })

  test('I5 a payment that was refused, then submitted by somebody, and is sent again: delivered', async () => {
    const poor = chain.accounts.owner
    const signed = termsFor(offer, poor.address)
    const signature = await signTransfer(poor.privateKey, offer, signed)
    expect(standing(await ask(signed, signature))).toEqual([402, 'insufficient_funds'])
    await chain.mint(poor.address, 10_000n)
    await submit(signed, signature)
    expect((await ask(signed, signature)).status).toBe(200)
  })

  test('I5 a claim that was written down as refused, submitted by somebody, and is sent again: delivered', async () => {
    const buyer = chain.buyers[2]!
    const signed = termsFor(offer, buyer.address)
    const signature = await signTransfer(buyer.privateKey, offer, signed)
    const sold = await ask(signed, signature)
    const { redis } = service.ledger
    const name = `auth:8453:${offer.asset}:${signed.from}:${signed.nonce}`.toLowerCase()
    const [tx, log] = await redis.hmget(`claim:${name}`, 'tx', 'log')
    await redis.del(`spent:tx:8453:${tx}:log${log}`)
    await redis.hdel(
      `claim:${name}`,
      ...['body', 'pr', 'deliveredAt', 'settledAt', 'tx', 'log', 'block', 'blockMs'],
    )
    await redis.hset(`claim:${name}`, { state: 'refused', reason: 'transfer_failed' })
    const before = await received()
    const again = await ask(signed, signature)
    expect([again.status, again.json.result?.ping]).toEqual([200, sold.json.result.ping])
    expect(await received()).toBe(before)
  })
})

test('SIG-09 the token is paused: 402 with that reason, nothing is charged, and the same payment buys when it is not any more', async () => {
  const buyer = chain.buyers[0]!
  const signed = { ...termsFor(offer, buyer.address), validBefore: nowS() + 200n }
  const signature = await signTransfer(buyer.privateKey, offer, signed)
  await chain.administer('pause')
  const before = await received()
  const answer = await ask(signed, signature)
  await chain.administer('unpause')
  expect(standing(answer)).toEqual([402, 'token_paused'])
  expect(answer.header('payment-required')).not.toBeNull() //  as with every other 402
  expect(await received()).toBe(before)
  expect((await ask(signed, signature)).status).toBe(200)
})
