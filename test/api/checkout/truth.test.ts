import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mayBecome, refuseTruth, type Session, truthOf } from '../../../api/checkout/truth.ts'
import { CARD_STATUSES } from '../../../api/ledger/cards.ts'

const session = (change: Partial<Session> = {}): Session => ({
  status: 'complete',
  payment_status: 'paid',
  amount_total: 1235,
  currency: 'usd',
  client_reference_id: 'digest',
  created: 1_700_000_000,
  payment_intent: payment(),
  ...change,
})
const payment = (charge: { refunded?: boolean; disputed?: boolean } = {}) => ({
  id: 'pi_1',
  status: 'succeeded',
  latest_charge: {
    ...{ created: 1_700_000_060, amount: 1235, amount_refunded: charge.refunded ? 1235 : 0 },
    ...{ refunded: false, disputed: false, ...charge },
  },
})

describe('OPS-19 what a session means', () => {
  type Case = [string, Partial<Session>, string[], string]
  test.each<Case>([
    ['open', { status: 'open', payment_status: 'unpaid', payment_intent: null }, [], 'open'],
    [
      'complete and not paid yet (a slow method)',
      { payment_status: 'unpaid', payment_intent: null },
      [],
      'open',
    ],
    ...['processing', 'requires_action'].map(
      (status): Case => [
        `complete, and still at the bank: ${status}`,
        { payment_status: 'unpaid', payment_intent: { id: 'pi_1', status, latest_charge: null } },
        [],
        'open',
      ],
    ),
    ...['requires_payment_method', 'canceled'].map(
      (status): Case => [
        `complete, and the bank did not pay: ${status}`,
        { payment_status: 'unpaid', payment_intent: { id: 'pi_1', status, latest_charge: null } },
        [],
        'expired',
      ],
    ),
    [
      'not complete: another card may be tried after one that was refused',
      {
        status: 'open',
        payment_status: 'unpaid',
        payment_intent: { id: 'pi_1', status: 'requires_payment_method', latest_charge: null },
      },
      [],
      'open',
    ],
    ['expired', { status: 'expired', payment_status: 'unpaid', payment_intent: null }, [], 'expired'],
    ['expired, paid after all', { status: 'expired' }, [], 'paid'],
    [
      'no payment needed is no payment',
      { payment_status: 'no_payment_required', payment_intent: null },
      [],
      'open',
    ],
    ['paid', {}, [], 'paid'],
    ['refunded in full', { payment_intent: payment({ refunded: true }) }, [], 'refunded'],
    ['disputed', { payment_intent: payment({ disputed: true }) }, ['needs_response'], 'refunded'],
    ['dispute lost', { payment_intent: payment({ disputed: true }) }, ['lost'], 'refunded'],
    ['dispute won', { payment_intent: payment({ disputed: true }) }, ['won'], 'paid'],
    ...['needs_response', 'under_review', 'closed'].map(
      (state): Case => [
        `an inquiry only: ${state}`,
        { payment_intent: payment({ disputed: true }) },
        [`warning_${state}`],
        'paid',
      ],
    ),
    ['a dispute prevented', { payment_intent: payment({ disputed: true }) }, ['prevented'], 'paid'],
    [
      'one won, one open',
      { payment_intent: payment({ disputed: true }) },
      ['won', 'under_review'],
      'refunded',
    ],
    ['a state nobody knows yet', { payment_intent: payment({ disputed: true }) }, ['seized'], 'refunded'],
  ])('%s', (_, change, disputes, status) => {
    expect(truthOf(session(change), disputes).status).toBe(status)
  })

  test('it was paid when it was charged', () => {
    expect(truthOf(session(), []).paidMs).toBe(1_700_000_060_000)
  })
})

describe('OPS-19 money is believed only for what was ordered', () => {
  const order = { digest: 'digest', cents: 1235 }
  test.each<[string, Partial<Session>, string | null]>([
    ['the order', {}, null],
    ['another checkout', { client_reference_id: 'other' }, 'reference_mismatch'],
    ['nobody', { client_reference_id: null }, 'reference_mismatch'],
    ['a cent less', { amount_total: 1234 }, 'amount_mismatch'],
    ['a cent more', { amount_total: 1236 }, 'amount_mismatch'],
    ['another currency', { currency: 'idr' }, 'currency_mismatch'],
    ['paid by nothing', { payment_intent: null }, 'payment_missing'],
  ])('%s', (_, change, refusal) => {
    expect(refuseTruth(order, truthOf(session(change), []))).toBe(refusal)
  })
})

describe('OPS-19 an old story told late changes nothing', () => {
  test.each(['open', 'expired', 'paid'] as const)(
    '%s: money that went back is news, whatever was missed',
    (known) => {
      expect(mayBecome(known, 'refunded')).toBe(true)
    },
  )

  test('a dispute that was won is news too: what went back is paid again', () => {
    expect(mayBecome('refunded', 'paid')).toBe(true)
  })

  test('what was paid is never open or expired again, whatever is told in whatever order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...CARD_STATUSES), { maxLength: 12 }), (told) => {
        let status: (typeof CARD_STATUSES)[number] = 'open'
        let wasPaid = false
        for (const next of told) {
          if (mayBecome(status, next)) status = next
          wasPaid ||= status === 'paid' || status === 'refunded'
          expect(wasPaid && (status === 'open' || status === 'expired')).toBe(false)
        }
        if (told.includes('paid')) expect(wasPaid).toBe(true)
      }),
    )
  })
})
