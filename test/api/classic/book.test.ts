import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isFromBuyer, refuseTransfer } from '../../../api/classic/attribute.ts'
import { bookTransfer, lapse, microOf, missingOn, paidMicro, refund } from '../../../api/classic/book.ts'
import {
  decodeIntent,
  encodeIntent,
  INTENT_STATES,
  type Intent,
  TRANSITIONS,
} from '../../../api/classic/intent.ts'
import { buyerDigest } from '../../../api/entitlements/credit.ts'
import type { RailTransfer } from '../../../api/rails/rail.ts'

const NOW = 1_790_000_000_000
const MINUTE = 60_000
const GRACE_ENDS = NOW + 45 * MINUTE
const BUYER = `0x${'b1'.repeat(20)}`
const SECRET = Buffer.alloc(32, 5)

const someIntent = (change: Partial<Intent> = {}): Intent => ({
  state: 'New',
  sku: 'SKU_DLQ_01',
  buyerDigest: buyerDigest(SECRET, BUYER),
  buyerIsWallet: true,
  opener: 'o',
  rail: 'usdc_base',
  input: null,
  priceMicro: 1_000_000n,
  payableMicro: 1_000_000n,
  hold: null,
  creditTo: null,
  saleBuyer: null,
  referral: '',
  quotes: [
    { rail: 'usdc_base', atomic: 999_000n, plain: 1_000_000n, validUntilMs: NOW, source: null },
    {
      rail: 'eth_base',
      atomic: 399_999_999_999_990n,
      plain: 4n * 10n ** 14n,
      validUntilMs: NOW,
      source: 'test',
    },
  ],
  createdMs: NOW,
  expiresMs: NOW + 15 * MINUTE,
  graceUntilMs: GRACE_ENDS,
  seen: null,
  transfers: [],
  notes: [],
  confirmedMs: null,
  claimed: false,
  failedMs: null,
  ...change,
})

let sent = 0
const someTransfer = (change: Partial<RailTransfer> = {}): RailTransfer => ({
  key: `tx:8453:0x${(sent++).toString(16)}:0`,
  rail: 'usdc_base',
  tx: '0x1',
  index: 0,
  from: BUYER,
  to: '0xee',
  atomic: 999_000n,
  confirmations: 9,
  atMs: NOW + MINUTE,
  byAuthorization: false,
  ...change,
})

describe('3 states of a purchase', () => {
  test.each([
    ['the exact amount', 999_000n, NOW, 'Confirmed', []],
    ['one less', 998_999n, NOW, 'Underpaid', []],
    ['one more', 999_001n, NOW, 'Confirmed', ['overpaid']],
    ['the exact amount at the end of the grace', 999_000n, GRACE_ENDS, 'Confirmed', []],
    ['a millisecond after it', 999_000n, GRACE_ENDS + 1, 'Late', ['late']],
  ])('%s: %s', (_, atomic, atMs, state, notes) => {
    const intent = bookTransfer(someIntent(), someTransfer({ atomic, atMs }), NOW)
    expect([intent.state, intent.notes.map(({ kind }) => kind)]).toEqual([state, notes])
  })

  test.each([
    ['RAIL-11 a moment late', 1],
    ['RAIL-09 three days late', 72 * 60 * MINUTE],
  ])('a transfer first seen in time and mined %s is in time', (_, lateMs) => {
    const late = someTransfer({ atMs: GRACE_ENDS + lateMs })
    const seen = { key: late.key, atMs: NOW, confirmations: 0, needed: 1 }
    expect(bookTransfer(someIntent({ state: 'Seen', seen }), late, NOW).state).toBe('Confirmed')
  })

  test('what is missing is the quote less what came on that rail', () => {
    const intent = bookTransfer(someIntent(), someTransfer({ atomic: 600_000n }), NOW)
    expect(intent.quotes.map((quote) => missingOn(intent, quote))).toEqual([399_000n, 399_999_999_999_990n])
  })

  test('after an answer is bound nothing is refunded', () => {
    const paid = bookTransfer(someIntent(), someTransfer(), NOW)
    expect(refund({ ...paid, claimed: true })).toMatchObject({ state: 'Confirmed', notes: [] })
    expect(refund(paid)).toMatchObject({ state: 'Refunded', notes: [{ micro: 999_000n }] })
  })

  test('every state leads somewhere, and only known ones', () => {
    for (const state of INTENT_STATES)
      for (const next of Object.values(TRANSITIONS[state])) expect(INTENT_STATES).toContain(next)
    expect(Object.keys(TRANSITIONS).sort()).toEqual([...INTENT_STATES].sort())
  })
})

const transfers = fc.array(
  fc.record({
    rail: fc.constantFrom('usdc_base' as const, 'eth_base' as const),
    parts: fc.bigInt({ min: 1n, max: 3_000n }), //  thousandths of a quote
    lateMs: fc.integer({ min: -50 * MINUTE, max: 50 * MINUTE }),
    twice: fc.boolean(),
    lapses: fc.boolean(),
  }),
  { maxLength: 8 },
)

describe('I1 money is never lost and never counted twice', () => {
  test('whatever comes, when and in which order: what paid, and what became credit, is what came', () => {
    fc.assert(
      fc.property(transfers, (steps) => {
        let intent = someIntent()
        for (const { rail, parts, lateMs, twice, lapses } of steps) {
          const quote = intent.quotes.find((quoted) => quoted.rail === rail)!
          const transfer = someTransfer({
            rail,
            atomic: (quote.atomic * parts) / 1_000n + 1n,
            atMs: GRACE_ENDS + lateMs,
          })
          intent = bookTransfer(intent, transfer, NOW)
          if (twice) expect(bookTransfer(intent, transfer, NOW)).toBe(intent)
          if (lapses && ['New', 'Underpaid'].includes(intent.state)) intent = lapse(intent)
          intent = decodeIntent(encodeIntent(intent), SECRET)
        }
        const came = intent.transfers.reduce((sum, taken) => sum + microOf(intent, [taken]), 0n)
        const credited = intent.notes.reduce((sum, { micro }) => sum + micro, 0n)
        const kept = paidMicro(intent)
        expect(intent.transfers).toHaveLength(steps.length)
        const rounding = BigInt(steps.length) //  parts of one rail are added before they are rounded
        expect(kept + credited).toBeGreaterThanOrEqual(came)
        expect(kept + credited).toBeLessThanOrEqual(came + rounding)
        expect(kept).toBeLessThanOrEqual(intent.payableMicro)
        if (intent.confirmedMs !== null) expect(kept).toBeGreaterThanOrEqual(998_998n) //  the dearest tag
      }),
    )
  })

  test('RAIL-05 amounts beyond 2^53 go through the stored text unchanged', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 80n }), (atomic) => {
        const intent = bookTransfer(someIntent(), someTransfer({ rail: 'eth_base', atomic }), NOW)
        expect(decodeIntent(encodeIntent(intent), SECRET)).toEqual(intent)
      }),
    )
  })
})

describe('CLS-03, CLS-06 whether a transfer pays an intent', () => {
  const evidence = { nowMs: NOW + 2 * MINUTE, owner: 'me', fromBuyer: false, signed: false }
  test.each([
    ['the exact amount', {}, {}, null],
    ['an x402 settlement', { byAuthorization: true }, {}, 'not_ours'],
    ['nothing moved', { atomic: 0n }, {}, 'not_ours'],
    ['a rail that was not quoted', { rail: 'btc' as const }, {}, 'not_ours'],
    ['15 s before the intent', { atMs: NOW - 15_000 }, {}, null],
    ['a millisecond more', { atMs: NOW - 15_001 }, {}, 'before_intent'],
    ['another sender', { from: `0x${'c1'.repeat(20)}` }, {}, 'other_sender'],
    ['the sender in capital letters', { from: `0x${'B1'.repeat(20)}` }, {}, null],
    ['a chain that names no sender', { from: null }, {}, null],
    ['an amount that another intent waits for', {}, { owner: 'other' }, 'reserved'],
    ['an amount that nobody waits for any more', {}, { owner: null }, null],
    ['another amount, just sent', { atomic: 5n }, {}, 'unproven'],
    ['another amount, signed for', { atomic: 5n }, { signed: true }, null],
    ['another amount, two hours old', { atomic: 5n }, { nowMs: NOW + 121 * MINUTE }, null],
    ['a millisecond younger', { atomic: 5n }, { nowMs: NOW + 121 * MINUTE - 1 }, 'unproven'],
  ])('%s', (_, transfer, change, why) => {
    const sent = someTransfer(transfer)
    const fromBuyer = isFromBuyer(someIntent(), sent, SECRET)
    expect(refuseTransfer(someIntent(), 'me', sent, { ...evidence, fromBuyer, ...change })).toBe(why)
  })

  test('a buyer that is no address: the exact amount, whoever sent it, and no other', () => {
    const intent = someIntent({ buyerDigest: buyerDigest(SECRET, 'agent'), buyerIsWallet: false })
    expect(refuseTransfer(intent, 'me', someTransfer({ from: '0xany' }), evidence)).toBeNull()
    const other = { ...evidence, nowMs: NOW + 500 * MINUTE }
    expect(refuseTransfer(intent, 'me', someTransfer({ atomic: 5n }), other)).toBe('wrong_amount')
  })
})
