import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isFromBuyer, refuseTransfer } from '../../../api/classic/attribute.ts'
import {
  bookTransfer,
  dueMicro,
  lapse,
  microOf,
  missingOn,
  paidMicro,
  payingOf,
  refund,
  withoutOrphans,
} from '../../../api/classic/book.ts'

import {
  decodeIntent,
  encodeIntent,
  INTENT_STATES,
  type Intent,
  TRANSITIONS,
} from '../../../api/classic/intent.ts'
import { buyerDigest } from '../../../api/entitlements/credit.ts'
import type { RailTransfer } from '../../../api/rails/rail.ts'
import { DAY, HOUR, MINUTE } from '../../../ops/units.ts'

const NOW = 1_790_000_000_000
const GRACE_ENDS = NOW + 45 * MINUTE
const BUYER = `0x${'b1'.repeat(20)}`
const SECRET = Buffer.alloc(32, 5)
const had = (intent: string, untilMs = GRACE_ENDS) => ({ intent, sinceMs: NOW, untilMs })

const someIntent = (change: Partial<Intent> = {}): Intent => ({
  state: 'New',
  sku: 'SKU_DLQ_01',
  buyerDigest: buyerDigest(SECRET, BUYER),
  buyerIsWallet: true,
  opener: 'o',
  place: 'p',
  site: 's',
  rail: 'usdc_base',
  question: '',
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
  suspendedMs: null,
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

  test('CLS-07 what is missing is rounded up: no part on another rail buys a unit', () => {
    const part = someTransfer({ rail: 'eth_base', atomic: 400_000_000n }) //  a millionth, worth 0.999 units
    const intent = bookTransfer(someIntent(), part, NOW)
    expect(missingOn(intent, intent.quotes[0]!)).toBe(999_000n)
    expect(bookTransfer(intent, someTransfer({ atomic: 998_999n }), NOW).state).toBe('Underpaid')
    expect(bookTransfer(intent, someTransfer({ atomic: 999_000n }), NOW).state).toBe('Confirmed')
  })

  test('CLS-09, CLS-10 what follows late money is late too; what follows a payment was paid twice', () => {
    const kinds = (firstMs: number) => {
      const first = bookTransfer(someIntent(), someTransfer({ atMs: firstMs }), NOW)
      return bookTransfer(first, someTransfer({ atMs: GRACE_ENDS + 2 }), NOW).notes.map(({ kind }) => kind)
    }
    expect([kinds(GRACE_ENDS + 1), kinds(GRACE_ENDS)]).toEqual([['late', 'late'], ['paid_twice']])
  })

  test('what is missing on a rail is its quote less what came, on whichever rail', () => {
    const intent = bookTransfer(someIntent(), someTransfer({ atomic: 599_400n }), NOW)
    expect(intent.quotes.map((quote) => missingOn(intent, quote))).toEqual([399_600n, 159_999_999_999_996n])
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

describe('CLS-09 a part of the price is never nobody’s: it pays, or it is store credit', () => {
  const underpaid = () => bookTransfer(someIntent(), someTransfer({ atomic: 400_000n }), NOW)
  const shown = ({ state, transfers, notes }: Intent) => [
    state,
    transfers.map(({ pays }) => pays),
    notes.map(({ kind, transfers: of }) => [kind, of.length]),
  ]
  test.each([
    ['a part at the end of the grace', 599_000n, GRACE_ENDS, ['Late', [false], [['underpaid', 1]]]],
    ['a part a millisecond after it', 599_000n, GRACE_ENDS + 1, ['Late', [false], [['late', 1]]]],
    ['one less than all, in time', 998_999n, NOW, ['Late', [false], [['underpaid', 1]]]],
    ['all of it, in time', 999_000n, NOW, ['Confirmed', [true], []]],
  ])('found when the intent has expired: %s', (_, atomic, atMs, expected) => {
    expect(shown(bookTransfer(lapse(someIntent()), someTransfer({ atomic, atMs }), NOW))).toEqual(expected)
  })

  test.each([
    ['in time completes it', GRACE_ENDS, ['Confirmed', [true, true], []]],
    [
      'late ends it, and both are credit',
      GRACE_ENDS + 1,
      [
        'Late',
        [false, false],
        [
          ['underpaid', 1],
          ['late', 1],
        ],
      ],
    ],
  ])('the rest of an underpaid one %s', (_, atMs, expected) => {
    expect(shown(bookTransfer(underpaid(), someTransfer({ atomic: 599_000n, atMs }), NOW))).toEqual(expected)
  })

  test('the rest in time, deep enough only after the first part became credit: it is credit too', () => {
    const rest = someTransfer({ atomic: 599_000n, atMs: GRACE_ENDS })
    expect(shown(bookTransfer(lapse(underpaid()), rest, NOW))).toEqual([
      'Late',
      [false, false],
      [
        ['underpaid', 1],
        ['underpaid', 1],
      ],
    ])
  })

  test('a row of the version before, whose part was nobody’s: it becomes credit, once', () => {
    const lost: Intent = { ...underpaid(), state: 'Late' }
    const found = withoutOrphans(lost)
    expect(shown(found)).toEqual(['Late', [false], [['underpaid', 1]]])
    expect(found.notes.map(({ micro }) => micro)).toEqual([400_000n])
    expect(withoutOrphans(found)).toBe(found)
  })
})

/** Which of the transfers before it are gone when the next one comes. */
const goneFlags = fc.array(fc.boolean(), { maxLength: 8 })
const goneBy = ({ transfers }: Intent, flags: readonly boolean[]) =>
  new Set(transfers.filter((_, at) => flags[at]).map(({ key }) => key))

const steps = fc.array(
  fc.oneof(
    fc.record({
      rail: fc.constantFrom('usdc_base' as const, 'eth_base' as const),
      halves: fc.integer({ min: 1, max: 4 }), //  of the quote
      odd: fc.constantFrom(-1n, 0n, 1n),
      agoMs: fc.integer({ min: 0, max: 40 * MINUTE }),
      seen: fc.boolean(),
      gone: goneFlags,
    }),
    fc.constantFrom('lapse' as const, 'refund' as const, 'deliver' as const),
  ),
  { minLength: 1, maxLength: 10 },
)

describe('I1 every transfer that arrived paid for what was delivered, or is in exactly one note', () => {
  test('whatever comes, when, and whatever the worker does between', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 20 * MINUTE }), (all, paceMs) => {
        let intent = someIntent()
        let nowMs = NOW
        for (const step of all) {
          nowMs += paceMs
          if (step === 'lapse') {
            const waits = ['New', 'Seen', 'Underpaid'].includes(intent.state)
            if (waits && nowMs > GRACE_ENDS) intent = lapse(intent)
          } else if (step === 'refund') intent = refund(intent)
          else if (step === 'deliver') {
            if (intent.state === 'Confirmed') intent = { ...intent, state: 'Delivered', claimed: true }
          } else {
            const { atomic } = intent.quotes.find(({ rail }) => rail === step.rail)!
            const transfer = someTransfer({
              rail: step.rail,
              atomic: (atomic * BigInt(step.halves)) / 2n + step.odd,
              atMs: nowMs - step.agoMs,
            })
            if (step.seen && intent.state === 'New')
              intent = {
                ...intent,
                state: 'Seen',
                seen: { ...transfer, confirmations: 0, needed: 1 },
              }
            intent = bookTransfer(intent, transfer, nowMs, 0n, goneBy(intent, step.gone))
          }
        }
        if (['New', 'Seen', 'Underpaid'].includes(intent.state)) intent = lapse(intent)
        const isSold = intent.state === 'Confirmed' || intent.state === 'Delivered'
        for (const { key, pays } of intent.transfers) {
          const notes = intent.notes.filter(
            ({ kind, transfers }) => kind !== 'overpaid' && transfers.includes(key),
          )
          expect(Number(isSold && pays) + notes.length).toBe(1)
        }
        const names = intent.notes.map(({ lot }) => lot)
        expect(new Set(names).size).toBe(names.length)
        const worth = microOf(intent, intent.transfers)
        const credited = intent.notes.reduce((sum, { micro }) => sum + micro, 0n)
        const kept = isSold ? paidMicro(intent) : 0n
        expect(kept).toBeGreaterThanOrEqual(0n)
        expect(kept + credited).toBeLessThanOrEqual(worth + BigInt(intent.quotes.length))
        expect(kept + credited).toBeGreaterThanOrEqual(worth - BigInt(intent.transfers.length))
      }),
      { numRuns: 2_000 },
    )
  })
})

const parts = fc.array(
  fc.record({
    rail: fc.constantFrom('usdc_base' as const, 'eth_base' as const),
    thousandths: fc.bigInt({ min: 1n, max: 700n }),
  }),
  { minLength: 1, maxLength: 5 },
)

describe('CLS-07 what is due, what was received and what is missing add up', () => {
  const usdcOf = (micro: bigint) => Number(micro) / 1e6
  test('after any parts on any rails: due less received is missing, and exactly that completes it', () => {
    fc.assert(
      fc.property(parts, (all) => {
        let intent = someIntent()
        for (const { rail, thousandths } of all) {
          const [usdc, eth] = intent.quotes
          const { atomic } = rail === 'usdc_base' ? usdc! : eth!
          intent = bookTransfer(
            intent,
            someTransfer({ rail, atomic: (atomic * thousandths) / 1_000n + 1n }),
            NOW,
          )
          const received = microOf(intent, payingOf(intent))
          const surplus = intent.notes.reduce((sum, { micro }) => sum + micro, 0n)
          const missing = missingOn(intent, usdc!)
          expect(usdcOf(dueMicro(intent, 'usdc_base') - received)).toBe(usdcOf(missing - surplus))
          if (intent.state !== 'Underpaid') return
          const rest = bookTransfer(intent, someTransfer({ atomic: missing }), NOW)
          expect([rest.state, rest.notes]).toEqual(['Confirmed', []])
          const short = bookTransfer(intent, someTransfer({ atomic: missing - 1n }), NOW)
          expect(short.state).toBe(missing === 1n ? intent.state : 'Underpaid')
          expect(dueMicro(rest, 'usdc_base')).toBe(microOf(rest, payingOf(rest)))
        }
      }),
      { numRuns: 2_000 },
    )
  })

  describe('CLS-08 the rest of a price is a fraction of a satoshi, and a whole one is sent', () => {
    const quotes = [
      { rail: 'usdc_base' as const, atomic: 19_999n, plain: 20_000n, validUntilMs: NOW, source: null },
      { rail: 'btc' as const, atomic: 19n, plain: 20n, validUntilMs: NOW, source: 'test' }, //  1,000 micro-USDC each
    ]
    const priced = someIntent({ priceMicro: 20_000n, payableMicro: 20_000n, quotes })
    const rest = someTransfer({ rail: 'btc', atomic: 1n })
    const paid = bookTransfer(bookTransfer(priced, someTransfer({ atomic: 19_998n }), NOW), rest, NOW)

    test('due, and paid, is no more than the price; the rest of it is store credit', () => {
      const part = bookTransfer(priced, someTransfer({ atomic: 19_998n }), NOW)
      expect([part.state, missingOn(part, quotes[1]!), dueMicro(part, 'btc')]).toEqual([
        'Underpaid',
        1n,
        20_000n,
      ])
      expect([paid.state, dueMicro(paid, 'btc'), paidMicro(paid)]).toEqual(['Confirmed', 20_000n, 20_000n])
      expect(paid.notes).toMatchObject([{ kind: 'overpaid', micro: 998n, transfers: [rest.key] }])
    })

    test('one that was paid before such a rest was noted is worth what came', () => {
      expect(paidMicro({ ...paid, notes: [] })).toBe(20_998n)
    })

    test('after any parts what is due is at most the price', () => {
      fc.assert(
        fc.property(fc.bigInt({ min: 1n, max: 19_998n }), fc.bigInt({ min: 0n, max: 5n }), (usdc, more) => {
          const part = bookTransfer(priced, someTransfer({ atomic: usdc }), NOW)
          const due = dueMicro(part, 'btc')
          expect(due).toBeLessThanOrEqual(20_000n)
          const atomic = missingOn(part, quotes[1]!) + more
          const whole = bookTransfer(part, someTransfer({ rail: 'btc', atomic }), NOW)
          const credited = whole.notes.reduce((sum, { micro }) => sum + micro, 0n)
          expect([whole.state, paidMicro(whole)]).toEqual(['Confirmed', due])
          expect(due + credited).toBe(usdc + atomic * 1_000n)
        }),
      )
    })
  })

  test('nothing came: what each rail asks for, in USDC at the price', () => {
    expect(['usdc_base', 'eth_base'].map((rail) => dueMicro(someIntent(), rail as 'usdc_base'))).toEqual([
      999_000n,
      999_999n,
    ])
  })
})

const transfers = fc.array(
  fc.record({
    rail: fc.constantFrom('usdc_base' as const, 'eth_base' as const),
    parts: fc.bigInt({ min: 1n, max: 3_000n }), //  thousandths of a quote
    lateMs: fc.integer({ min: -50 * MINUTE, max: 50 * MINUTE }),
    twice: fc.boolean(),
    lapses: fc.boolean(),
    gone: goneFlags,
  }),
  { maxLength: 8 },
)

describe('I1 money is never lost and never counted twice', () => {
  test('whatever comes, when and in which order: what paid, and what became credit, is what came', () => {
    fc.assert(
      fc.property(transfers, (steps) => {
        let intent = someIntent()
        for (const { rail, parts, lateMs, twice, lapses, gone } of steps) {
          const quote = intent.quotes.find((quoted) => quoted.rail === rail)!
          const transfer = someTransfer({
            rail,
            atomic: (quote.atomic * parts) / 1_000n + 1n,
            atMs: GRACE_ENDS + lateMs,
          })
          const lost = goneBy(intent, gone)
          intent = bookTransfer(intent, transfer, NOW, 0n, lost)
          if (twice) expect(bookTransfer(intent, transfer, NOW, 0n, lost)).toBe(intent)
          if (lapses && ['New', 'Underpaid'].includes(intent.state)) intent = lapse(intent)
          intent = decodeIntent(encodeIntent(intent), SECRET)
        }
        const came = intent.transfers.reduce((sum, taken) => sum + microOf(intent, [taken]), 0n)
        const credited = intent.notes.reduce((sum, { micro }) => sum + micro, 0n)
        const kept = intent.confirmedMs === null ? 0n : paidMicro(intent)
        if (intent.state === 'Underpaid') return //  it still waits
        expect(intent.transfers).toHaveLength(steps.length)
        const rounding = BigInt(steps.length) //  parts of one rail are added before they are rounded
        expect(kept + credited).toBeGreaterThanOrEqual(came)
        expect(kept + credited).toBeLessThanOrEqual(came + rounding)
        expect(kept).toBeLessThanOrEqual(intent.payableMicro)
        if (intent.confirmedMs !== null) expect(kept).toBeGreaterThanOrEqual(998_998n) //  lowest quote, less rounding
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

describe('CLS-06, RAIL-08 a Bitcoin block is stamped later than the middle of the eleven before it, no more', () => {
  const quotes = [
    { rail: 'btc' as const, atomic: 20_000n, plain: 20_100n, validUntilMs: NOW, source: 'test' },
  ]
  const evidence = {
    seenBy: null,
    before: null,
    owner: had('me'),
    fromBuyer: false,
    signed: false,
    shownMs: null,
  }
  test.each([
    ['an hour before the intent', 60 * MINUTE, {}, {}, null],
    ['a millisecond more', 60 * MINUTE + 1, {}, {}, 'before_intent'],
    ['three hours, and the intent saw it on its way', 180 * MINUTE, { seen: 'mine' }, {}, null],
    ['three hours, and it saw another one', 180 * MINUTE, { seen: 'other' }, {}, 'before_intent'],
    ['an hour before, of another amount', 60 * MINUTE, {}, { atomic: 20_001n }, 'wrong_amount'],
  ])('%s', (_, beforeMs, known: { seen?: string }, change: { atomic?: bigint }, why) => {
    const { atomic = 20_000n } = change
    const seen = { key: known.seen ?? '', atMs: NOW, confirmations: 0, needed: 1 }
    const intent = someIntent({ quotes, buyerIsWallet: false, seen: known.seen === undefined ? null : seen })
    const transfer = someTransfer({ key: 'mine', rail: 'btc', from: 'bc1q', atomic, atMs: NOW - beforeMs })
    expect(refuseTransfer(intent, 'me', transfer, evidence)).toBe(why)
  })
})

describe('CLS-03, CLS-06 whether a transfer pays an intent', () => {
  const evidence = {
    seenBy: null,
    before: null,
    owner: had('me'),
    fromBuyer: false,
    signed: false,
    shownMs: null,
  }
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
    ['another amount, which another intent had then', { atomic: 5n }, { owner: had('other') }, 'reserved'],
    ['what another intent saw on its way', {}, { seenBy: 'other' }, 'reserved'],
    ['what this one saw', {}, { seenBy: 'me' }, null],
    ['and it is signed for', { atomic: 5n }, { owner: had('other'), signed: true }, 'reserved'],
    ['another amount, though the buyer is called by its sender', { atomic: 5n }, {}, 'wrong_amount'],
    ['another amount, signed for', { atomic: 5n }, { signed: true }, null],
  ])('%s', (_, transfer, change, why) => {
    const sent = someTransfer(transfer)
    const fromBuyer = isFromBuyer(someIntent(), sent, SECRET)
    expect(refuseTransfer(someIntent(), 'me', sent, { ...evidence, fromBuyer, ...change })).toBe(why)
  })

  /** An amount as intents ask for it: not one that people arrive at by rounding. */
  const ASKED = 999_001n
  const askedFor = (atomic = ASKED) =>
    someIntent().quotes.map((quote, at) => (at === 0 ? { ...quote, atomic } : quote))
  test.each([
    ['in time, and another intent had it since', 0, had('other', GRACE_ENDS + HOUR), null],
    ['in time to the millisecond', 45 * MINUTE, had('other'), null],
    ['late, and nobody had it since', 45 * MINUTE + 1, had('me'), null],
    ['late, while another intent had it', 45 * MINUTE + 1, had('other', GRACE_ENDS + HOUR), 'reserved'],
    ['late, after another intent had it', 45 * MINUTE + 1, had('other', GRACE_ENDS), 'contended'],
    ['late by the last millisecond of another’s', 45 * MINUTE + 1, had('other', GRACE_ENDS + 1), 'reserved'],
    ['late, and nobody knows who had it', 45 * MINUTE + 1, null, 'contended'],
  ])('CLS-04, CLS-09 the exact amount from anybody: %s', (_, afterMs, owner, why) => {
    const agent = { buyerDigest: buyerDigest(SECRET, 'agent'), buyerIsWallet: false }
    const intent = someIntent({ ...agent, quotes: askedFor() })
    const sent = someTransfer({ atMs: NOW + afterMs, atomic: ASKED })
    expect(refuseTransfer(intent, 'me', sent, { ...evidence, owner })).toBe(why)
    const signed = { ...evidence, nowMs: NOW + DAY, owner, signed: true }
    const isHeld = owner !== null && owner.intent !== 'me' && owner.untilMs >= sent.atMs
    expect(refuseTransfer(intent, 'me', sent, signed)).toBe(
      afterMs > 45 * MINUTE && isHeld ? 'reserved' : null,
    )
  })

  test.each([
    ['in time for the one before too: it was his then', { before: had('other', NOW + 15_000) }, 'reserved'],
    ['a millisecond after the time of the one before', { before: had('other', NOW + 14_999) }, null],
    ['this one had it then', { before: had('me') }, null],
    ['this one saw it, whatever its block says', { before: had('other', NOW + HOUR), seenBy: 'me' }, null],
    ['another showed it before this intent was opened', { shownMs: NOW - 1 }, 'before_intent'],
    ['and it is signed for', { shownMs: NOW - 1, signed: true }, null],
    ['another has shown it since', { shownMs: NOW }, null],
  ])('CLS-04 the exact amount in time: %s', (_, known, why) => {
    const sent = someTransfer({ from: null, atMs: NOW })
    expect(refuseTransfer(someIntent(), 'me', sent, { ...evidence, ...known })).toBe(why)
  })

  test('CLS-09, RAIL-09 late, and another had the amount since: its own if it saw it, or the sender signs; a name proves nothing', () => {
    const late = { ...evidence, owner: had('other', GRACE_ENDS + 1) }
    const sent = someTransfer({ atMs: GRACE_ENDS + HOUR, from: null, atomic: ASKED })
    const said = (known: object) =>
      refuseTransfer(someIntent({ quotes: askedFor() }), 'me', sent, { ...late, ...known })
    expect(said({})).toBe('contended')
    expect(said({ fromBuyer: true })).toBe('contended')
    expect(said({ fromBuyer: true, owner: null })).toBeNull()
    expect(said({ signed: true })).toBeNull()
    expect(said({ seenBy: 'me' })).toBeNull()
    expect(said({ fromBuyer: true, seenBy: 'other' })).toBe('reserved')
  })

  test.each<[bigint, object, string | null]>([
    [999_000n, {}, 'wrong_amount'],
    [999_000n, { signed: true }, null],
    [999_000n, { seenBy: 'me' }, null],
    [999_100n, {}, null],
  ])(
    'CLS-03, CLS-09 late over %d, which was asked for before round amounts were not: %o',
    (atomic, known, why) => {
      const intent = someIntent({ quotes: askedFor(atomic) })
      const sent = someTransfer({ atMs: GRACE_ENDS + HOUR, atomic, from: null })
      expect(refuseTransfer(intent, 'me', sent, { ...evidence, owner: had('me'), ...known })).toBe(why)
    },
  )

  const half = (from: string) => bookTransfer(someIntent(), someTransfer({ atomic: 500_000n, from }), NOW)
  const ether = missingOn(half(BUYER), someIntent().quotes[1]!)
  test.each<[string, Intent, Partial<RailTransfer>, object, string | null]>([
    ['from the wallet of the first part', half('0xa'), { from: '0xa' }, {}, null],
    ['an EVM address, spelled otherwise', half(BUYER), { from: `0x${'B1'.repeat(20)}` }, {}, null],
    ['a Solana account, spelled otherwise', half('So1'), { from: 'sO1' }, {}, 'wrong_amount'],
    ['from the buyer, who sent no part', half('0xa'), {}, { fromBuyer: true }, 'wrong_amount'],
    ['where no sender is known', half('0xa'), { from: null }, {}, 'wrong_amount'],
    ['on another rail', half(BUYER), { rail: 'eth_base', atomic: ether }, {}, null],
    ['and another intent waits for it', half(BUYER), {}, { owner: had('other') }, 'reserved'],
    ['a unit less', half(BUYER), { atomic: 498_999n }, {}, 'wrong_amount'],
    ['what came became credit', lapse(half(BUYER)), {}, {}, 'wrong_amount'],
  ])('CLS-07 the rest of a part: %s', (_, intent, change, known, why) => {
    const sent = someTransfer({ atomic: 499_000n, ...change })
    expect(refuseTransfer(intent, 'me', sent, { ...evidence, fromBuyer: true, ...known })).toBe(why)
  })

  test('a buyer that is no address: the exact amount, whoever sent it, and no other', () => {
    const intent = someIntent({ buyerDigest: buyerDigest(SECRET, 'agent'), buyerIsWallet: false })
    expect(refuseTransfer(intent, 'me', someTransfer({ from: '0xany' }), evidence)).toBeNull()
    expect(refuseTransfer(intent, 'me', someTransfer({ atomic: 5n }), evidence)).toBe('wrong_amount')
  })
})
