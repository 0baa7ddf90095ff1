import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { parseQuery } from '../../api/http/query.ts'
import { fingerprintOf } from '../../api/payment/fingerprint.ts'
import { BUYER, classicWorld } from '../api/classic/world.ts'

test('2.5 requestHash is what the descriptor says, so that a buyer can compute it', () => {
  const offer = {
    scheme: 'exact' as const,
    network: 'eip155:8453',
    amount: '1000',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payTo: '0xAbCdEf0123456789abcdef0123456789ABCDEF01',
    maxTimeoutSeconds: 300,
    extra: { name: 'USD Coin', version: '2' },
  }
  const lines = [
    'GET',
    '/x402/v1/spread',
    'q=fed%20rate&x=1',
    'SKU_AG_SPREAD_01',
    '1000',
    offer.asset.toLowerCase(),
    offer.payTo.toLowerCase(),
  ]
  const expected = createHash('sha256').update(lines.join('\n')).digest('hex')
  expect(
    fingerprintOf(
      '/x402/v1/spread',
      { query: parseQuery('x=1&q=fed+rate')!, payload: '' },
      'SKU_AG_SPREAD_01',
      offer,
    ),
  ).toBe(expected)
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('2.5 the same of what is bought without a paid GET', () => {
  const world = classicWorld()
  const bought = async (body: object, later: object) => {
    const { intentId, amountAtomic } = await world.open({ sku: 'SKU_AG_PING_01', ...body })
    world.cash.send('usdc_base', { atomic: amountAtomic })
    const said = await world.post('/fulfill', { buyerId: BUYER, intentId, ...later })
    expect(said.status, said.text).toBe(200)
    return { intentId, requestHash: said.json.result.paymentAttestation.payload.requestHash }
  }
  test.each([
    ['the payload of its opening', { payload: { q: 'x', echo: 'a b' } }, {}, '{"echo":"a b","q":"x"}'],
    ['the payload of /fulfill', {}, { payload: { echo: 'c' } }, '{"echo":"c"}'],
    ['no payload at all', {}, {}, '{}'],
  ])('classic, with %s', async (_, body, later, text) => {
    const { intentId, requestHash } = await bought(body, later)
    const lines = ['POST', '/fulfill', sha256(`intent|${intentId}`), 'SKU_AG_PING_01', sha256(text)]
    expect(requestHash).toBe(sha256(lines.join('\n')))
  })
})
