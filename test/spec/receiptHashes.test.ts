import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseQuery } from '../../api/http/query.ts'
import { fingerprintOf } from '../../api/payment/fingerprint.ts'

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
