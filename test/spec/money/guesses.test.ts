import { randomBytes } from 'node:crypto'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WRONG_AT_ONCE } from '../../../api/entitlements/guesses.ts'
import { get, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { type Service, startService } from '../../support/service.ts'

const SPREAD = '/x402/v1/spread'

let chain: TestChain
let service: Service
let base: string
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1 })
  base = service.bases[0]!
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const buy = async (path: string, headers: Record<string, string> = {}) => {
  const { header } = await payment(await offerOf(base, path), chain.buyers[0]!)
  const answer = await get(`${base}${path}`, { ...headers, ...paid(header) })
  expect(answer.status, answer.text).toBe(200)
  return answer.json.result
}
const madeUp = () => randomBytes(32).toString('base64url')
const wrong = [
  () => get(`${base}${SPREAD}`, { 'x-service-pass': `pass_${madeUp()}` }),
  () => get(`${base}${SPREAD}`, { 'x-agent-id': 'victim', 'x-service-credit-auth': madeUp() }),
  () => get(`${base}${SPREAD}`, { 'x-agent-id': madeUp(), 'x-service-credit-auth': madeUp() }),
  () =>
    fetch(`${base}/purchase-intent`, {
      method: 'POST',
      body: JSON.stringify({ sku: 'SKU_AG_PING_01', buyerId: 'victim', creditSpendAuth: madeUp() }),
    }),
]

describe('CRD-03, ENT-09 secrets are not guessed from one address, over whatever route and account', () => {
  test('after thirty wrong ones also a right one waits, 429; what needs no secret is served as before', async () => {
    const agent = { 'x-agent-id': 'victim', 'x-service-credit-auth': 'the-secret-of-the-victim' }
    await buy('/x402/v1/credits-2', agent)
    const { token } = await buy('/x402/v1/hour-pass')
    expect((await get(`${base}${SPREAD}`, { 'x-service-pass': token })).status).toBe(200)
    for (let sent = 0; sent < WRONG_AT_ONCE; sent++)
      expect((await wrong[sent % wrong.length]!()).status).toBe(402)

    const rights = [{ 'x-service-pass': token }, agent]
    for (const headers of rights) {
      const answer = await get(`${base}${SPREAD}`, headers)
      expect([answer.status, answer.json.code]).toEqual([429, 'rate_limited'])
      expect(Number(answer.header('retry-after'))).toBeGreaterThan(0)
    }
    const intent = await fetch(`${base}/purchase-intent`, {
      method: 'POST',
      body: JSON.stringify({
        sku: 'SKU_AG_PING_01',
        buyerId: 'victim',
        creditSpendAuth: agent['x-service-credit-auth'],
      }),
    })
    expect(intent.status).toBe(429)
    await buy('/x402/v1/ping')
    expect((await get(`${base}${SPREAD}`)).status).toBe(402)
  })
})

describe('CRD-03 neither are they beside a payment, which need not be worth anything', () => {
  const PACK = '/x402/v1/credits-2'
  const victim = { 'x-agent-id': 'second-victim', 'x-service-credit-auth': 'the-secret-of-the-second' }
  const guess = () => ({ ...victim, 'x-service-credit-auth': madeUp() })

  test('of an empty wallet: thirty are told wrong, then all wait, the right one too; nobody is charged', async () => {
    await service.restartApi(0) //  forgets the wrong guesses above
    await buy(PACK, victim)
    const before = await chain.balance(chain.receiver)
    const privateKey = generatePrivateKey()
    const empty = { privateKey, address: privateKeyToAccount(privateKey).address }
    const { header } = await payment(await offerOf(base, PACK), empty)
    const codes: string[] = []
    for (let sent = 0; sent < 3 * WRONG_AT_ONCE; sent++)
      codes.push((await get(`${base}${PACK}`, { ...paid(header), ...guess() })).json.code)
    expect(codes.filter((code) => code === 'credit_auth_mismatch')).toHaveLength(WRONG_AT_ONCE)
    expect(codes.slice(WRONG_AT_ONCE).every((code) => code === 'rate_limited')).toBe(true)
    const right = await get(`${base}${PACK}`, { ...paid(header), ...victim })
    expect([right.status, right.json.code]).toEqual([429, 'rate_limited'])
    expect(Number(right.header('retry-after'))).toBeGreaterThan(0)

    const funded = await payment(await offerOf(base, PACK), chain.buyers[0]!)
    const waits = await get(`${base}${PACK}`, { ...paid(funded.header), ...victim })
    expect(waits.status).toBe(429)
    expect(await chain.balance(chain.receiver)).toBe(before)
  })

  test('what was bought before is fetched meanwhile: that tells nothing about a secret', async () => {
    await service.restartApi(0)
    const { header } = await payment(await offerOf(base, PACK), chain.buyers[0]!)
    const first = await get(`${base}${PACK}`, { ...paid(header), ...victim })
    expect(first.status, first.text).toBe(200)
    const other = await payment(await offerOf(base, PACK), chain.buyers[0]!)
    for (let sent = 0; sent <= WRONG_AT_ONCE; sent++)
      await get(`${base}${PACK}`, { ...paid(other.header), ...guess() })
    expect((await get(`${base}${PACK}`, { ...paid(other.header), ...victim })).status).toBe(429)
    expect((await get(`${base}${PACK}`, { ...paid(header), ...victim })).text).toBe(first.text)
  })
})

test('CRD-03 nor are they guessed all at once: of two hundred spends over as many connections thirty are told', async () => {
  await service.restartApi(0)
  const right = { 'x-agent-id': 'third-victim', 'x-service-credit-auth': 'the-secret-of-the-third' }
  await buy('/x402/v1/credits-2', right)
  const told = await Promise.all(
    Array.from({ length: 200 }, () =>
      get(`${base}${SPREAD}`, { ...right, 'x-service-credit-auth': madeUp() }).then(({ json }) => json.code),
    ),
  )
  expect(told.filter((code) => code === 'credit_refused')).toHaveLength(WRONG_AT_ONCE)
  expect(told.filter((code) => code === 'rate_limited')).toHaveLength(200 - WRONG_AT_ONCE)
})

test('CRD-03 nor with sixty purchases at once, of anything, with a secret or a claim code beside it', async () => {
  const right = { buyerId: 'fourth-victim', creditSpendAuth: 'the-secret-of-the-fourth' }
  const open = (body: object) =>
    fetch(`${base}/purchase-intent`, { method: 'POST', body: JSON.stringify({ ...right, ...body }) })
  const guesses = [
    () => ({ sku: 'SKU_AG_PING_01', creditSpendAuth: madeUp() }),
    () => ({ sku: 'SKU_AG_CREDITS_02', creditSpendAuth: madeUp() }),
    () => ({ sku: 'SKU_AG_PING_01', claimCode: `credit_${madeUp()}` }),
  ]
  for (const guess of guesses) {
    await service.restartApi(0)
    await buy('/x402/v1/credits-2', {
      'x-agent-id': right.buyerId,
      'x-service-credit-auth': right.creditSpendAuth,
    })
    const codes = await Promise.all(
      Array.from({ length: 60 }, async () => ((await (await open(guess())).json()) as { code: string }).code),
    )
    expect(codes.filter((code) => code === 'credit_refused')).toHaveLength(WRONG_AT_ONCE)
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(60 - WRONG_AT_ONCE)
  }
})
