import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PROBLEMS } from '../../../api/errors.ts'
import { GOODS } from '../../../api/goods/index.ts'
import { type Attempt, endOf, nextStep } from '../../../ops/purchase/resend.ts'

const answered = (
  status: number,
  code: string | null = null,
  retryAfterMs: number | null = null,
): Attempt => ({
  kind: 'answered',
  status,
  code,
  retryAfterMs,
})
const lost = (mayHaveArrived: boolean): Attempt => ({ kind: 'lost', reason: 'x', mayHaveArrived })

describe('the same payment is sent again exactly when the answer says "not now" or got lost', () => {
  test.each([
    [answered(200), 'take'],
    [answered(402), 'take'], //                     a stock client would sign anew here: we never do
    [answered(400), 'take'],
    [answered(409, 'bound_elsewhere'), 'take'],
    [answered(409, 'in_progress', 1_000), 'resend'], // 409 with Retry-After: somebody else settles it
    [answered(410), 'take'],
    [answered(429), 'resend'],
    [answered(500), 'resend'],
    [answered(503, 'settlement_pending', 2_000), 'resend'],
    [lost(true), 'resend'],
    [lost(false), 'resend'],
  ])('%j: %s', (attempt, act) => {
    expect(nextStep(attempt, 1, 60_000).act).toBe(act)
  })

  test('Retry-After is obeyed to the millisecond', () => {
    expect(nextStep(answered(503, null, 2_000), 1, 60_000)).toEqual({ act: 'resend', afterMs: 2_000 })
  })

  test('a wait that does not fit into what is left ends the purchase', () => {
    expect(nextStep(answered(503, null, 2_000), 1, 2_001).act).toBe('resend')
    expect(nextStep(answered(503, null, 2_000), 1, 2_000).act).toBe('give_up')
  })

  test('a service that says "at once" for ever is asked 61 times, with a pause, and no more', () => {
    const atOnce = answered(503, null, 0)
    expect(nextStep(atOnce, 1, 3_600_000)).toEqual({ act: 'resend', afterMs: 50 })
    expect(nextStep(atOnce, 60, 3_600_000).act).toBe('resend')
    expect(nextStep(atOnce, 61, 3_600_000).act).toBe('give_up')
  })

  test('whatever comes back, it ends: resends are bounded and stay within the time left', () => {
    const attempt = fc.oneof(
      fc.record({
        kind: fc.constant('answered' as const),
        status: fc.integer({ min: 200, max: 599 }),
        code: fc.option(fc.constantFrom('stale_data', 'settlement_pending', 'x')),
        retryAfterMs: fc.option(fc.nat(5_000)),
      }),
      fc.record({
        kind: fc.constant('lost' as const),
        reason: fc.constant('x'),
        mayHaveArrived: fc.boolean(),
      }),
    )
    fc.assert(
      fc.property(fc.infiniteStream(attempt), fc.nat(120_000), (attempts, budgetMs) => {
        let leftMs = budgetMs
        for (let sent = 1; ; sent++) {
          expect(sent).toBeLessThan(100)
          const next = nextStep(attempts.next().value, sent, leftMs)
          if (next.act !== 'resend') return
          leftMs -= next.afterMs
          expect(leftMs).toBeGreaterThan(0)
        }
      }),
    )
  })
})

describe('what an unanswered payment means', () => {
  test('what a good cannot deliver is refused before money moves: the payment waits for nothing', () => {
    const codes = [...new Set(GOODS.flatMap(({ refusals }) => refusals ?? []))].filter(
      (code) => code !== 'busy',
    )
    expect(codes).toContain('not_enough_data')
    for (const code of codes)
      expect([code, endOf(answered(PROBLEMS[code].status, code, 5_000), true)]).toEqual([code, 'refused'])
  })

  test.each([
    [answered(402, 'insufficient_funds'), true, 'payment_refused'],
    [answered(409, 'payment_id_bound'), true, 'payment_refused'],
    [answered(410, 'answer_expired'), true, 'payment_refused'],
    [answered(400, 'invalid_parameter'), true, 'refused'],
    [answered(503, 'stale_data', 5_000), true, 'refused'], //        says that nothing was charged
    [answered(503, 'settlement_pending', 2_000), true, 'unknown'],
    [answered(503, 'ledger_unavailable', 2_000), true, 'unknown'],
    [answered(403, 'payer_unproven'), true, 'unknown'], //            the money is there
    [answered(403, 'refund_unproven'), true, 'unknown'],
    [answered(503), true, 'unknown'], //                              a proxy's 503 says nothing about money
    [answered(500), true, 'unknown'],
    [answered(409, 'in_progress', 1_000), true, 'unknown'],
    [lost(true), true, 'unknown'],
    [lost(false), true, 'unknown'], //                                an earlier sending may have arrived
    [lost(false), false, 'unreachable'],
  ])('%j, ever arrived %s: %s', (attempt, arrived, outcome) => {
    expect(endOf(attempt, arrived)).toBe(outcome)
  })
})
