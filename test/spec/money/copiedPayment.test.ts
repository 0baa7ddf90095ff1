import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorizationKey } from '../../../api/ledger/ledger.ts'
import { get, headerOf, offerOf, paid, payloadOf, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

/** Anybody who reads the chain has authorization and signature of every settled payment (decision 011). */
const PING = '/x402/v1/ping?echo=mine'

let chain: TestChain
let service: Service
let url: string
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1 })
  url = `${service.bases[0]}${PING}`
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

/** @param bound whether the buyer sends the offer's secret along, as stock clients do. */
async function buy({ bound }: { bound: boolean }) {
  const [buyer, stranger] = [chain.buyers[0]!, chain.buyers[1]!]
  const offer = await offerOf(service.bases[0]!, '/x402/v1/ping')
  const made = await payment(offer, buyer)
  const { redemption: _, ...extra } = offer.extra
  const withExtra = (more: object) =>
    paid(headerOf(payloadOf({ ...offer, extra: { ...extra, ...more } }, made.signed, made.signature)))
  const copied = withExtra({})
  const mine = bound ? paid(made.header) : copied
  const first = await get(url, mine)
  expect(first.status, first.text).toBe(200)
  const { nonce, from } = made.signed
  const asset = offer.asset.toLowerCase() as `0x${string}`
  const key = authorizationKey({
    chainId: 8453,
    asset,
    signature: '0x',
    signer: 'ecdsa',
    authorization: { ...made.signed, nonce, from: from.toLowerCase() as `0x${string}` },
  })
  const signed = async (by: typeof buyer, message: string) => ({
    'x-service-payer-signature': await privateKeyToAccount(by.privateKey).signMessage({ message }),
  })
  return { buyer, stranger, first, mine, copied, withExtra, key, signed }
}

describe('the stored answer of a payment that carries the secret of its offer', () => {
  test('goes to who has it, not to who copied the payment, with no secret or another', async () => {
    const { first, mine, copied, withExtra } = await buy({ bound: true })
    for (const thief of [copied, withExtra({ redemption: 'x'.repeat(24) })]) {
      const stolen = await get(url, thief)
      expect([stolen.status, stolen.json.code]).toEqual([409, 'bound_elsewhere'])
      expect(stolen.text).not.toContain(first.json.result.paymentAttestation.attestationId)
    }
    expect((await get(url, mine)).text).toBe(first.text)
  })

  test('a payer who lost it gets the same bytes by a signature over the text of the refusal, nobody else does', async () => {
    const { buyer, stranger, first, copied, signed } = await buy({ bound: true })
    const { prove } = (await get(url, copied)).json
    expect(prove).toMatchObject({ header: 'X-Service-Payer-Signature', scheme: 'EIP-191' })
    expect((await get(url, { ...copied, ...(await signed(buyer, prove.text)) })).text).toBe(first.text)
    for (const wrong of [
      await signed(stranger, prove.text),
      await signed(buyer, prove.text.replace(/.$/, '0 ')),
      { 'x-service-payer-signature': '0x00' },
    ])
      expect((await get(url, { ...copied, ...wrong })).json.code).toBe('bound_elsewhere')
  })

  test('who copied the payment is told the same whatever they ask, and does not learn what was asked', async () => {
    const { buyer, stranger, copied, signed, withExtra } = await buy({ bound: true })
    const { text } = (await get(url, copied)).json.prove
    const thefts = [copied, withExtra({ redemption: 'x'.repeat(24) })]
    const attempts = [...thefts, { ...copied, ...(await signed(stranger, text)) }]
    for (const theft of attempts) {
      const right = await get(url, theft)
      expect([right.status, right.json.code]).toEqual([409, 'bound_elsewhere'])
      for (const path of [`${PING}2`, '/x402/v1/spread', '/x402/v1/pii?q=a', '/x402/v1/hour-pass']) {
        const wrong = await get(`${service.bases[0]}${path}`, theft)
        expect([path, wrong.status, wrong.text]).toEqual([path, right.status, right.text])
        expect([path, wrong.headerNames]).toEqual([path, right.headerNames])
      }
    }
    expect((await get(url, { ...copied, ...(await signed(buyer, text)) })).status).toBe(200)
  })

  test('a signature moves no payment onto another request', async () => {
    const { buyer, copied, signed } = await buy({ bound: true })
    const { prove } = (await get(url, copied)).json
    const elsewhere = await get(`${url}2`, { ...copied, ...(await signed(buyer, prove.text)) })
    expect([elsewhere.status, elsewhere.json.code]).toEqual([409, 'bound_elsewhere'])
    expect(elsewhere.json).not.toHaveProperty('prove')
  })
})

describe('the stored answer of a payment without the secret (version 1, or a client that drops it)', () => {
  test('is as public as its question for as long as it is kept', async () => {
    const { first, copied } = await buy({ bound: false })
    expect((await get(url, copied)).text).toBe(first.text)
    expect((await get(`${url}2`, copied)).status).toBe(409)
  })
})

describe('money that was given back is its payer’s alone', () => {
  /** Makes the answer one that can never be stored, so that the worker gives the price back. */
  async function refunded(key: string) {
    const { redis } = service.ledger
    const settledAt = Date.now() - 3_600_000
    const draft = JSON.stringify({ result: { echo: '\ud800' }, snapshotVersion: null })
    await redis.hset(`claim:${key}`, { draft, settledAt })
    await redis.hdel(`claim:${key}`, 'body', 'pr')
    await redis.zadd('claims:undelivered', settledAt, key)
    await until('the worker gives the price back', async () =>
      ((await redis.hget(`claim:${key}`, 'body')) ?? '').includes('"refunded":true'),
    )
  }

  test('who resends the original request gets note and claim code, and the code opens the credit', async () => {
    const { mine, copied, key } = await buy({ bound: true })
    await refunded(key)
    const note = await get(url, mine)
    expect([note.status, note.json.refunded]).toEqual([200, true])
    const { claimCode } = note.json.result.storeCredit
    const stolen = await get(url, copied)
    expect([stolen.status, stolen.json.code]).toEqual([409, 'bound_elsewhere'])
    expect(stolen.text).not.toContain('credit_')
    const spent = await get(url, {
      'x-agent-id': 'refunded-1',
      'x-service-credit-auth': 'a secret of mine'.replaceAll(' ', '-'),
      'x-service-claim-code': claimCode,
    })
    expect(spent.status, spent.text).toBe(200)
  })

  test('without the secret the payer signs for it: a stranger with the same payment gets nothing', async () => {
    const { buyer, stranger, copied, key, signed } = await buy({ bound: false })
    await refunded(key)
    const refused = await get(url, copied)
    expect([refused.status, refused.json.code]).toEqual([403, 'refund_unproven'])
    expect(refused.text).not.toContain('credit_')
    const { text } = refused.json.prove
    expect((await get(url, { ...copied, ...(await signed(stranger, text)) })).json.code).toBe(
      'refund_unproven',
    )
    const note = await get(url, { ...copied, ...(await signed(buyer, text)) })
    expect([note.status, note.json.refunded]).toEqual([200, true])
    expect(note.json.result.storeCredit.claimCode).toMatch(/^credit_/)
  })

  test('in version 1 as well', async () => {
    const { buyer, copied, key, signed } = await buy({ bound: false })
    await refunded(key)
    const { payload } = JSON.parse(Buffer.from(copied['payment-signature'], 'base64').toString())
    const v1 = { 'x-payment': headerOf({ x402Version: 1, scheme: 'exact', network: 'base', payload }) }
    const { code, prove } = (await get(url, v1)).json
    expect(code).toBe('refund_unproven')
    const note = await get(url, { ...v1, ...(await signed(buyer, prove.text)) })
    expect(note.json.result.storeCredit.claimCode).toMatch(/^credit_/)
  })
})
