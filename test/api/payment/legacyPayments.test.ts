import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createIntentIds, legacyTagSpan } from '../../../api/payment/intentId.ts'
import { createLegacyPayments } from '../../../api/payment/legacyPayments.ts'
import { LEGACY_INTENT_MS } from '../../../api/payment/legacyTimes.ts'
import { formatUsdc } from '../../../ops/units.ts'

const ids = createIntentIds(Buffer.alloc(32, 7), '/x402/v1/ping')
const terms = { payTo: '0xAbC', asset: '0xDeF', network: 'eip155:8453' }
const NOW = 1_790_000_000_000

describe('5.2 the payment of each 402', () => {
  test('property: an id of ours for its very amount, no older than 20 ms, each once, all of one width', () => {
    const pauses = fc.array(fc.integer({ min: -50, max: 60 }), { minLength: 1, maxLength: 400 })
    fc.assert(
      fc.property(fc.constantFrom(1_000n, 10_000n, 890_000n, 10_000_000n), pauses, (price, each) => {
        const payments = createLegacyPayments(price, ids, terms)
        const seen = new Set<string>()
        let nowMs = NOW
        for (const pause of each) {
          nowMs += pause > 40 ? pause : Math.sign(pause)
          const text = payments.next(nowMs)
          expect(text).toHaveLength(payments.width)
          const { intentId, amountUsdc, amountAtomic, expiresAtMs, ...said } = JSON.parse(text)
          const intent = ids.read(intentId)!
          const amount = BigInt(amountAtomic)
          expect(intent.amountMicroUsdc).toBe(amount)
          expect(amountUsdc).toBe(formatUsdc(amount))
          expect(amount <= price && amount > price - legacyTagSpan(price)).toBe(true)
          expect(nowMs - intent.issuedMs).toBeGreaterThanOrEqual(0)
          expect(nowMs - intent.issuedMs).toBeLessThanOrEqual(20)
          expect(expiresAtMs).toBe(intent.issuedMs + LEGACY_INTENT_MS)
          expect(said).toMatchObject({ ...terms, paymentRail: 'usdc_base' })
          expect(seen.has(intentId)).toBe(false)
          seen.add(intentId)
        }
      }),
      { numRuns: 50 },
    )
  })
})
