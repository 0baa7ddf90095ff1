import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { someGap, someSnapshot } from '../../support/boards.ts'
import {
  freshNonce,
  get,
  headerOf,
  nowS,
  type Offer,
  offerOf,
  paid,
  payloadOf,
  payment,
  rawRequest,
  type Signed,
  signTransfer,
  termsFor,
} from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { type Service, startService } from '../../support/service.ts'

const PING = '/x402/v1/ping'
const SPREAD = '/x402/v1/spread'

let chain: TestChain
let service: Service
let base: string
let ping: Offer
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1 })
  base = service.bases[0]!
  ping = await offerOf(base, PING)
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

/** Everything a payment could have written. */
const claims = async () =>
  (await service.ledger.redis.keys('*:*')).filter((key) => /^(claim|spent):/.test(key)).length

/** Sends it and checks the two things that hold for every refusal: no money moved, nothing was claimed. */
async function refused(path: string, headers: Record<string, string>) {
  const [money, before] = await Promise.all([chain.balance(chain.receiver), claims()])
  const answer = await get(`${base}${path}`, headers)
  expect(await chain.balance(chain.receiver)).toBe(money)
  expect(await claims()).toBe(before)
  expect(answer.json.ok).toBe(false)
  return { status: answer.status, code: answer.json.code as string, answer }
}

const signedPayload = async (offer: Offer, change: Partial<Signed>, accepted: object = offer) => {
  const buyer = chain.buyers[0]!
  const signed = { ...termsFor(offer, buyer.address), ...change }
  return headerOf(payloadOf(accepted, signed, await signTransfer(buyer.privateKey, offer, signed)))
}

describe('7. unpaid calls get 402 before parameters are looked at', () => {
  test.each(['', '?echo=x', '?echo=%zz', `?echo=${'a'.repeat(2_000)}`, '?echo=1&echo=2'])(
    'ping%s',
    async (query) => {
      const { status, code, answer } = await refused(`${PING}${query}`, {})
      expect([status, code]).toEqual([402, 'payment_required'])
      const header = JSON.parse(Buffer.from(answer.header('payment-required')!, 'base64').toString())
      expect(header.accepts).toHaveLength(1)
      const { amount, network, redemption, ...same } = { ...header.accepts[0], ...header.accepts[0].extra }
      expect(answer.json).toMatchObject({ x402Version: 1, error: header.error }) // for clients of version 1
      expect({ ...answer.json.accepts[0], ...answer.json.accepts[0].extra }).toMatchObject({
        ...same,
        extra: { name: same.name, version: same.version },
        maxAmountRequired: amount,
        network: 'base',
      })
      expect(answer.json.payment).toMatchObject({ payTo: chain.receiver, paymentRail: 'usdc_base' })
    },
  )

  test('two hundred at once claim nothing and move nothing', async () => {
    const before = await claims()
    const height = await chain.clients.reads.getBlockNumber()
    await Promise.all(Array.from({ length: 200 }, () => get(`${base}${SPREAD}`)))
    expect(await claims()).toBe(before)
    expect(await chain.clients.reads.getBlockNumber()).toBe(height)
  })

  test('VAL-19 resource.url comes from configuration, not from the Host header', async () => {
    const unpaid = await rawRequest(base, { path: PING, headers: { host: 'evil.example' } })
    const header = JSON.parse(Buffer.from(unpaid.header('payment-required')!, 'base64').toString())
    for (const url of [header.resource.url, unpaid.json.accepts[0].resource])
      expect(url).toBe(`http://127.0.0.1:8402${PING}`)
  })

  test('the 402 fits the header budget of 4 KB', async () => {
    for (const path of [PING, SPREAD])
      expect((await get(`${base}${path}`)).header('payment-required')!.length).toBeLessThan(4_096)
  })
})

describe('VAL what does not agree with the offer is refused; nothing is charged', () => {
  test.each<[string, object]>([
    ['VAL-01 test network', { network: 'eip155:84532' }],
    ['VAL-01 mainnet', { network: 'eip155:1' }],
    ['VAL-02 another token', { asset: '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA' }],
    ['VAL-03 our other receiver', { payTo: '0x000000000000000000000000000000000000dEaD' }],
    ['VAL-06 another amount in the copy', { amount: '9999' }],
    ['VAL-11 another scheme', { scheme: 'upto' }],
    ['VAL-12 another token name', { extra: { name: 'USDC', version: '2' } }],
  ])('%s', async (_, change) => {
    const header = await signedPayload(ping, {}, { ...ping, ...change })
    expect(await refused(PING, paid(header))).toMatchObject({ status: 402, code: 'offer_mismatch' })
  })

  test.each<[string, () => Partial<Signed>, string]>([
    [
      'VAL-03 one nibble of to',
      () => ({
        to: `${chain.receiver.slice(0, -1)}${chain.receiver.endsWith('0') ? '1' : '0'}`.toLowerCase() as `0x${string}`,
      }),
      'wrong_recipient',
    ],
    ['VAL-03 zero address', () => ({ to: `0x${'00'.repeat(20)}` }), 'wrong_recipient'],
    ['VAL-04 one unit less', () => ({ value: 9_999n }), 'wrong_amount'],
    ['VAL-04 one unit more', () => ({ value: 10_001n }), 'wrong_amount'],
    ['VAL-04 zero', () => ({ value: 0n }), 'wrong_amount'],
    ['VAL-04 all there is', () => ({ value: (1n << 256n) - 1n }), 'wrong_amount'],
    ['VAL-09 expired', () => ({ validBefore: nowS() - 1n }), 'expired'],
    ['VAL-09 expires too soon', () => ({ validBefore: nowS() + 3n }), 'expired'],
    ['VAL-09 not yet valid', () => ({ validAfter: nowS() + 3_600n }), 'not_yet_valid'],
    ['VAL-09 for ever', () => ({ validBefore: (1n << 256n) - 1n }), 'window_too_long'],
  ])('%s', async (_, change, code) => {
    expect(await refused(PING, paid(await signedPayload(ping, change())))).toMatchObject({
      status: 402,
      code,
    })
  })

  test.each([
    ['VAL-14 no base64', paid('!'), 'malformed_payment'],
    ['VAL-11 another version', paid(headerOf({ x402Version: 3 })), 'unsupported_payment'],
    ['VAL-16 no v1 payment', { 'x-payment': headerOf({ x402Version: 1 }) }, 'malformed_payment'],
  ])('%s: 400, beside what to pay and why this does not count', async (_, headers, code) => {
    const { answer, ...refusal } = await refused(PING, headers)
    expect(refusal).toEqual({ status: 400, code })
    const required = JSON.parse(Buffer.from(answer.header('payment-required')!, 'base64').toString())
    expect([required.error, required.accepts[0].amount]).toEqual([code, ping.amount])
  })

  test('VAL-07 the offer of a cheaper path buys nothing dearer', async () => {
    const cheap = await offerOf(base, SPREAD)
    const { header } = await payment(cheap, chain.buyers[0]!)
    expect(await refused(PING, paid(header))).toMatchObject({ status: 402, code: 'offer_mismatch' })
  })

  test('VAL-08 an offer of before the price changed: the price of today, and nothing is charged', async () => {
    const former = { ...ping, amount: '9000' }
    const { answer, ...refusal } = await refused(PING, paid((await payment(former, chain.buyers[0]!)).header))
    expect(refusal).toEqual({ status: 402, code: 'offer_mismatch' })
    const required = JSON.parse(Buffer.from(answer.header('payment-required')!, 'base64').toString())
    expect(required.accepts[0].amount).toBe(ping.amount)
  })

  test.each([
    ['10 KB', 'a'.repeat(10_240)],
    ['two words', 'ann bob'],
  ])('ENT-16 x-agent-id of %s: 400, and the payment is still good', async (_, agentId) => {
    const { header } = await payment(ping, chain.buyers[0]!)
    expect(await refused(PING, { ...paid(header), 'x-agent-id': agentId })).toMatchObject({ status: 400 })
    expect((await get(`${base}${PING}`, paid(header))).status).toBe(200)
  })

  test('ENT-16 x-agent-id is nobody’s authority: with another buyer’s one’s own payment pays, and nothing of his is had', async () => {
    const [mine, his] = chain.buyers.map(({ address }) => address)
    const before = await chain.balance(his!)
    const { header } = await payment(ping, chain.buyers[0]!)
    const answer = await get(`${base}${PING}`, { ...paid(header), 'x-agent-id': his! })
    expect(answer.json.result.paymentAttestation.payload.payer).toBe(mine!.toLowerCase())
    expect(await chain.balance(his!)).toBe(before)
    const credit = { 'x-agent-id': his!, 'x-service-credit-auth': 'a-secret-of-my-own-making' }
    expect(await refused(PING, credit)).toMatchObject({ status: 402, code: 'credit_refused' })
  })

  test('VAL-02 a lower-case address is the same address', async () => {
    const header = await signedPayload(
      ping,
      {},
      { ...ping, asset: ping.asset.toLowerCase(), payTo: ping.payTo.toLowerCase() },
    )
    expect((await get(`${base}${PING}`, paid(header))).status).toBe(200)
  })

  test.each([
    [
      'VAL-13 duplicate key',
      (text: string) => text.replace('"value":"10000"', '"value":"1","value":"10000"'),
    ],
    ['VAL-13 __proto__', (text: string) => text.replace('{', '{"__proto__":{"x":1},')],
    ['VAL-05 a number for a string', (text: string) => text.replace('"value":"10000"', '"value":10000')],
    ['VAL-05 hex', (text: string) => text.replace('"value":"10000"', '"value":"0x2710"')],
    ['VAL-11 version 1', (text: string) => text.replace('"x402Version":2', '"x402Version":1')],
    ['cut off', (text: string) => text.slice(0, -5)],
    ['null', () => 'null'],
  ])('%s: 400', async (_, change) => {
    const { header } = await payment(ping, chain.buyers[0]!)
    const text = change(Buffer.from(header, 'base64').toString())
    const { status } = await refused(PING, paid(Buffer.from(text).toString('base64')))
    expect(status).toBe(400)
  })

  test('VAL-15 two instruments in one request: 400, neither is used', async () => {
    const { header } = await payment(ping, chain.buyers[0]!)
    expect(await refused(PING, { ...paid(header), 'x-payment': '{}' })).toMatchObject({
      status: 400,
      code: 'two_payments',
    })
    const answer = await get(`${base}${PING}`, { ...paid(header), 'x-payment': '{}' })
    const required = JSON.parse(Buffer.from(answer.header('payment-required')!, 'base64').toString())
    expect(required).toMatchObject({ error: 'two_payments', accepts: [{ amount: '10000' }] })
  })

  test('VAL-15 two payments, or one twice: 400, neither is used, and each is still good by itself', async () => {
    const [one, two] = await Promise.all([0, 1].map(() => payment(ping, chain.buyers[0]!)))
    const money = await chain.balance(chain.receiver)
    const before = await claims()
    for (const both of [
      [one!.header, two!.header],
      [one!.header, one!.header],
    ]) {
      const headers = { 'payment-signature': both } as never
      const answer = await rawRequest(base, { path: PING, headers })
      expect([answer.status, answer.json.code]).toEqual([400, 'two_payments'])
    }
    expect([await chain.balance(chain.receiver), await claims()]).toEqual([money, before])
    for (const { header } of [one!, two!])
      expect((await get(`${base}${PING}`, paid(header))).status).toBe(200)
  })

  test.each(['X-PAYMENT', 'X-Service-Pass', 'X-Service-Credit-Auth'])(
    'VAL-15 %s twice: 400, whichever would be used',
    async (name) => {
      const headers = { 'x-agent-id': 'one', [name]: ['{}', '{"a":1}'] } as never
      const answer = await rawRequest(base, { path: PING, headers })
      expect([answer.status, answer.json.code]).toEqual([400, 'two_payments'])
    },
  )

  test.each([
    'x-agent-id',
    'X-Service-Payload',
    'X-Service-Claim-Code',
    'Idempotency-Key',
    'X-Service-Payer-Signature',
  ])('CRD-06 %s twice: 400, whichever would be read, and the payment is still good', async (name) => {
    const { header } = await payment(ping, chain.buyers[0]!)
    const twice = { ...paid(header), [name]: ['one', 'two'] }
    const answer = await rawRequest(base, { path: PING, headers: twice as never })
    expect([answer.status, answer.json.code]).toEqual([400, 'malformed_request'])
    expect((await get(`${base}${PING}`, paid(header))).status).toBe(200)
  })

  test.each(['x-agent-id', 'X-Service-Credit-Auth', 'X-Service-Claim-Code', 'Idempotency-Key'])(
    'CRD-06 %s twice with a classic purchase: 400, whichever would be read',
    async (name) => {
      const headers = { [name]: ['one', 'two'] } as never
      for (const path of ['/quote', '/purchase-intent', '/fulfill', '/checkout/settle']) {
        const body = JSON.stringify({ sku: 'SKU_AG_PING_01', buyerId: 'one' })
        const answer = await rawRequest(base, { path, method: 'POST', headers, body })
        expect([path, answer.status, answer.json.code]).toEqual([path, 400, 'malformed_request'])
      }
    },
  )

  test('VAL-16 an x402 v1 object in X-PAYMENT: a clear 400, no crash', async () => {
    const { header } = await payment(ping, chain.buyers[0]!)
    expect(await refused(PING, { 'x-payment': header })).toMatchObject({
      status: 400,
      code: 'unsupported_payment',
    })
  })
})

describe('VAL-17, I8 paid, but the request cannot be answered: nothing is charged', () => {
  test.each([
    [`?echo=${'a'.repeat(257)}`, 400, 'invalid_parameter'],
    ['?echo=%zz', 400, 'malformed_request'],
    ['?echo=a&echo=b', 400, 'malformed_request'],
    ['?ECHO=a', 400, 'invalid_parameter'],
  ])('%s', async (query, status, code) => {
    const { header } = await payment(ping, chain.buyers[0]!)
    expect(await refused(`${PING}${query}`, paid(header))).toMatchObject({ status, code })
    expect((await get(`${base}${PING}`, paid(header))).status).toBe(200) // the payment is still good
  })

  test('stale data: 503 with Retry-After before any money moves, and the payment is still good later', async () => {
    const spread = await offerOf(base, SPREAD)
    const { header } = await payment(spread, chain.buyers[0]!)
    await service.publish(
      someSnapshot([someGap()], { version: 2, asOfMs: { a: Date.now(), b: Date.now() - 7_200_000 } }),
    )
    await expect.poll(async () => (await refused(SPREAD, paid(header))).code).toBe('stale_data')
    expect((await refused(SPREAD, paid(header))).answer.header('retry-after')).toMatch(/^\d+$/)
    const canary = (await payment(ping, chain.buyers[0]!)).header
    expect((await get(`${base}${PING}`, paid(canary))).status, '4.1 rule 1: no market data').toBe(200)
    await service.publish(someSnapshot([someGap()], { version: 3 }))
    await expect.poll(async () => (await get(`${base}${SPREAD}`, paid(header))).status).toBe(200)
  })

  test('a body or a transfer coding on a paid GET is refused before the payment is read (HTTP-02)', async () => {
    const { header } = await payment(ping, chain.buyers[0]!)
    const ask = (extra: Record<string, string>) =>
      rawRequest(base, { path: PING, headers: { ...paid(header), ...extra }, body: '{}' })
    expect((await ask({ 'content-length': '2' })).status).toBe(400)
    expect((await ask({ 'transfer-encoding': 'chunked' })).status).toBe(400)
    expect((await get(`${base}${PING}`, paid(header))).status).toBe(200)
  })
})

describe('HTTP-07, HTTP-10 only the exact path and method sell', () => {
  test.each([
    '/X402/v1/ping',
    '//x402/v1/ping',
    '/x402/v1/ping/',
    '/x402/v1/%70ing',
    '/x402/v1/../v1/ping;',
    '/x402/v1/pin',
  ])('%s is unknown', async (path) => {
    const { header } = await payment(ping, chain.buyers[0]!)
    expect((await rawRequest(base, { path, headers: paid(header) })).status).toBe(404)
  })

  test.each([
    ['POST', 405],
    ['PUT', 405],
    ['DELETE', 405],
    ['PATCH', 405],
    ['HEAD', 402], //  as if no payment had been sent
  ])('%s with a payment: %d, and nothing is settled', async (method, status) => {
    const { header } = await payment(ping, chain.buyers[0]!)
    const before = await chain.balance(chain.receiver)
    const response = await fetch(`${base}${PING}`, { method, headers: paid(header) })
    expect(response.status).toBe(status)
    if (status === 405) expect(response.headers.get('allow')).toContain('GET')
    expect(await chain.balance(chain.receiver)).toBe(before)
  })
})

test('a fresh nonce each time: ten payments of one buyer are ten sales', async () => {
  const before = await chain.balance(chain.receiver)
  const headers = await Promise.all(
    Array.from({ length: 10 }, () => payment(ping, chain.buyers[1]!, { nonce: freshNonce() })),
  )
  const answers = await Promise.all(headers.map(({ header }) => get(`${base}${PING}`, paid(header))))
  expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200))
  expect(new Set(answers.map((answer) => answer.json.result.paymentAttestation.attestationId)).size).toBe(10)
  expect((await chain.balance(chain.receiver)) - before).toBe(100_000n)
})
