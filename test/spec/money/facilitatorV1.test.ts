import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { get, headerOf, type Offer, offerOf, paid, payloadOf, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { type Service, startService } from '../../support/service.ts'

const PING = '/x402/v1/ping'

let chain: TestChain
let service: Service
let offer: Offer
let url: string
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1 })
  url = `${service.bases[0]}${PING}?echo=v1`
  offer = await offerOf(service.bases[0]!, PING)
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const received = () => chain.balance(chain.receiver)
const inV1 =
  (change: object = {}) =>
  async (buyer: number, signed: object = {}) => {
    const made = await payment(offer, chain.buyers[buyer]!, signed)
    const { payload } = payloadOf(offer, made.signed, made.signature)
    const v1 = { x402Version: 1, scheme: 'exact', network: 'base', payload, ...change }
    const { redemption: _, ...extra } = offer.extra
    const unbound = headerOf(payloadOf({ ...offer, extra }, made.signed, made.signature))
    return { ...made, unbound, v1: { 'x-payment': headerOf(v1) } }
  }
const decoded = (header: string | null) => JSON.parse(Buffer.from(header!, 'base64').toString())

describe('VAL-16 an x402 v1 payment in X-PAYMENT is served', () => {
  test('with the result in X-PAYMENT-RESPONSE, networks by name', async () => {
    const before = await received()
    const { v1, signed } = await inV1()(0)
    const answer = await get(url, v1)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.header('payment-response')).toBeNull()
    expect(decoded(answer.header('x-payment-response'))).toEqual({
      success: true,
      network: 'base',
      payer: signed.from.toLowerCase(),
      transaction: answer.json.result.ping.txHash,
    })
    expect((await received()) - before).toBe(10_000n)
  })

  test('x402-v2 1.7 the same payment as v2 without a secret, before or after, is the same claim: paid once, the same bytes', async () => {
    const before = await received()
    const { v1, unbound } = await inV1()(1)
    const [first, second] = [await get(url, v1), await get(url, paid(unbound))]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.text).toBe(first.text)
    expect(second.header('payment-response')).not.toBeNull()
    const other = await inV1()(1)
    const asV2 = await get(url, paid(other.unbound))
    expect((await get(url, other.v1)).text).toBe(asV2.text)
    expect((await received()) - before).toBe(20_000n)
    expect((await get(`${url}2`, v1)).json.code).toBe('bound_elsewhere')
  })

  test('what was paid in v2 with its secret is not given to v1, which whoever reads the chain can write', async () => {
    const { v1, header } = await inV1()(1)
    expect((await get(url, paid(header))).status).toBe(200)
    expect((await get(url, v1)).json.code).toBe('bound_elsewhere')
  })

  test.each<[string, object, number, string]>([
    ['another network', { network: 'base-sepolia' }, 402, 'offer_mismatch'],
    ['another scheme', { scheme: 'upto' }, 402, 'offer_mismatch'],
    ['version 2', { x402Version: 2 }, 400, 'unsupported_payment'],
    ['version "1"', { x402Version: '1' }, 400, 'unsupported_payment'],
    ['no payload', { payload: undefined }, 400, 'malformed_payment'],
    ['an empty payload', { payload: {} }, 400, 'malformed_payment'],
  ])('%s: refused, nothing moves', async (_, change, status, code) => {
    const before = await received()
    const { v1 } = await inV1(change)(2)
    const answer = await get(url, v1)
    expect([answer.status, answer.json.code]).toEqual([status, code])
    expect(answer.header('payment-required')).not.toBeNull()
    expect(await received()).toBe(before)
  })

  test('VAL-04 the signed amount is judged as in v2', async () => {
    const { v1 } = await inV1()(2, { value: 9_999n })
    expect((await get(url, v1)).json.code).toBe('wrong_amount')
  })

  test('4.2 Idempotency-Key is the payment id of version 1: signed again by mistake, paid once', async () => {
    const before = await received()
    const key = { 'idempotency-key': 'order-of-this-morning-1' }
    const [first, second] = [await inV1()(4), await inV1()(4)]
    const bought = await get(url, { ...first.v1, ...key })
    expect(bought.status, bought.text).toBe(200)
    const again = await get(url, { ...second.v1, ...key })
    expect([again.status, again.json.code]).toEqual([409, 'already_paid'])
    expect(again.json.paidBy.nonce).toBe(first.signed.nonce)
    expect((await get(`${url}2`, { ...second.v1, ...key })).json.code).toBe('payment_id_bound')
    expect((await get(url, { ...first.v1, ...key })).text).toBe(bought.text)
    expect((await get(url, { ...second.v1, 'idempotency-key': 'short' })).json.code).toBe('malformed_payment')
    expect((await received()) - before).toBe(10_000n)
  })

  test('VAL-15 both headers at once: 400', async () => {
    const { v1, header } = await inV1()(2)
    expect((await get(url, { ...v1, ...paid(header) })).json.code).toBe('two_payments')
  })

  test('a token is not sold by v1, which cannot carry its redemption secret', async () => {
    const pass = await offerOf(service.bases[0]!, '/x402/v1/hour-pass')
    const made = await payment(pass, chain.buyers[3]!)
    const { payload } = payloadOf(pass, made.signed, made.signature)
    const v1 = headerOf({ x402Version: 1, scheme: 'exact', network: 'base', payload })
    const answer = await get(`${service.bases[0]}/x402/v1/hour-pass`, { 'x-payment': v1 })
    expect([answer.status, answer.json.code]).toEqual([402, 'redemption_missing'])
  })
})
