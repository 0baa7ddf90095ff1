import { z } from 'zod'
import { assert } from '../../ops/errors.ts'
import { accountDigest, buyerDigest, isWallet } from '../entitlements/credit.ts'
import { RAIL_IDS, type RailId } from '../rails/rail.ts'

/**
 * Where a purchase stands. New: nothing seen. Seen: a paying transfer is not deep enough yet. Underpaid: less than due
 * has come. Confirmed: the money is there. Delivered: answered. Expired: not enough came in time. Late: what came after
 * that is store credit. Refunded: it could not be delivered, or was taken back for good; the money that is there is
 * store credit.
 */
export const INTENT_STATES = [
  'New',
  'Seen',
  'Underpaid',
  'Confirmed',
  'Delivered',
  'Expired',
  'Late',
  'Refunded',
] as const
export type IntentState = (typeof INTENT_STATES)[number]
export type IntentEvent =
  | 'seen'
  | 'vanished'
  | 'part'
  | 'paid'
  | 'late'
  | 'lapsed'
  | 'delivered'
  | 'refunded'
  | 'unclaimed'

/** What may happen in which state, and where it leads; everything else is impossible. */
export const TRANSITIONS: Record<IntentState, Partial<Record<IntentEvent, IntentState>>> = {
  New: { seen: 'Seen', part: 'Underpaid', paid: 'Confirmed', late: 'Late', lapsed: 'Expired' },
  Seen: {
    seen: 'Seen',
    vanished: 'New',
    part: 'Underpaid',
    paid: 'Confirmed',
    late: 'Late',
    lapsed: 'Expired',
  },
  Underpaid: { part: 'Underpaid', paid: 'Confirmed', late: 'Late', lapsed: 'Expired' },
  Confirmed: {
    paid: 'Confirmed',
    delivered: 'Delivered',
    refunded: 'Refunded',
    late: 'Confirmed',
    unclaimed: 'Confirmed',
  },
  Delivered: { delivered: 'Delivered', late: 'Delivered', refunded: 'Refunded', unclaimed: 'Confirmed' },
  Expired: { seen: 'Expired', part: 'Late', paid: 'Confirmed', late: 'Late', lapsed: 'Expired' },
  Late: { late: 'Late', part: 'Late', paid: 'Late', lapsed: 'Late' },
  Refunded: { late: 'Refunded', refunded: 'Refunded' },
}

export function nextState(state: IntentState, event: IntentEvent): IntentState {
  const next = TRANSITIONS[state][event]
  assert(next !== undefined, `an intent that is ${state} never meets '${event}'`)
  return next
}

/** Whether money that comes now may still buy. */
export const isWaiting = ({ state }: Pick<Intent, 'state'>): boolean =>
  state === 'New' || state === 'Seen' || state === 'Underpaid'

/** Whether it ended without a sale that stands. Money that came in time may still be found for one that expired. */
export const isOver = ({ state }: Pick<Intent, 'state'>): boolean =>
  state === 'Expired' || state === 'Late' || state === 'Refunded'

/**
 * Whether its time is over, even if the worker has not ended it yet: others may wait for its amounts now, so nobody is
 * told to pay them. What was sent in time still buys.
 */
export const isLapsed = ({ state, graceUntilMs }: Intent, nowMs: number): boolean =>
  state === 'Expired' || ((state === 'New' || state === 'Underpaid') && graceUntilMs <= nowMs)

/** Integer as decimal text: wei do not fit a JSON number. */
const Integer = z
  .string()
  .regex(/^\d+$/)
  .transform((text) => BigInt(text))

const Quoted = z.object({
  rail: z.enum(RAIL_IDS),
  atomic: Integer, //          the amount asked for: the price less its tag
  plain: Integer, //           the price itself, by which money is valued
  validUntilMs: z.int(),
  source: z.string().nullable(),
  receivers: z.array(z.string()).optional(), // receivers it names; absent in rows until 2026-11-26: the current ones
})
export type Quoted = z.infer<typeof Quoted>

/** Why money of an intent became store credit. */
export const NOTE_KINDS = ['overpaid', 'paid_twice', 'late', 'underpaid', 'undeliverable'] as const
const Note = z.object({
  kind: z.enum(NOTE_KINDS),
  lot: z.string(), //          names the deposit; a claim code is made of it
  micro: Integer,
  transfers: z.array(z.string()),
  deposited: z.boolean(),
  to: z.enum(['account', 'lot']).nullable().default(null), // where; null in rows until 2026-11-23: ask the ledger
  goneMs: z.int().nullable().default(null), // since when its transfers are not on their chain
  revoked: z.boolean().default(false), // the credit is taken back while they are missing
})
export type Note = z.infer<typeof Note>

const Taken = z.object({
  key: z.string(),
  rail: z.enum(RAIL_IDS),
  tx: z.string(),
  index: z.int(),
  from: z.string().nullable(),
  to: z.string(),
  atomic: Integer,
  atMs: z.int(),
  pays: z.boolean(), //        false: it is store credit
})
export type Taken = z.infer<typeof Taken>

/** A paying transfer on its way. */
const Seen = z.object({
  key: z.string(),
  atMs: z.int(),
  confirmations: z.int(),
  needed: z.int(),
  on: z.object({ rail: z.enum(RAIL_IDS), tx: z.string(), to: z.string() }).optional(), // absent in rows until 2026-11-28
  goneMs: z.int().optional(), // since when its chain does not have it
})
export type Seen = z.infer<typeof Seen>

/** An account and its secret, by their digests (CreditHolder). */
const Holder = z.object({ account: z.string(), auth: z.string() })

/** One classic purchase, from its opening on. Money in micro-USDC, amounts of rails in atomic units. */
export const Intent = z.object({
  state: z.enum(INTENT_STATES),
  sku: z.string(),
  buyerDigest: z.string(), //  keyed, of the buyer's name; '' if unnamed
  buyerIsWallet: z.boolean(), // named by an EVM address: the money must come from it
  opener: z.string(), //       digest under which open intents are counted
  place: z.string().default(''), // digest of the address it was opened from
  site: z.string().default(''), //  digest of its IPv6 /48; '' in rows until 2026-11-23
  rail: z.enum(RAIL_IDS), //   the chosen one; any quoted rail will do
  question: z.string().default(''), // keyed digest of the question asked with a secret: recognises a repeated request
  input: z.string().nullable(), // JSON of the payload; null: comes with /fulfill, if at all, or is used up
  priceMicro: Integer,
  payableMicro: Integer, //    price less what is held of the buyer's credit
  hold: Holder.extend({ micro: Integer }).nullable(),
  creditTo: Holder.nullable(), // where this purchase's credit goes
  saleBuyer: z.string().nullable(), // digest; a free report of the opening sale
  referral: z.string().default(''), // digest of the account that referred the buyer; '' for none
  quotes: z.array(Quoted),
  createdMs: z.int(),
  expiresMs: z.int(),
  graceUntilMs: z.int(),
  seen: Seen.nullable(),
  transfers: z.array(Taken),
  notes: z.array(Note),
  confirmedMs: z.int().nullable(),
  claimed: z.boolean(), //     its answer is bound: from here on it is delivered, never refunded
  failedMs: z.int().nullable(), // since when it has its money and cannot be answered
  suspendedMs: z.int().nullable().default(null), // since when what it gave is taken back, for its money has left
})
export type Intent = z.infer<typeof Intent>

/** Its money has left its chain before it was given as credit: it is once the money is back. */
export const isHeld = ({ deposited, goneMs }: Note): boolean => !deposited && goneMs !== null

export const quoteOn = ({ quotes }: Pick<Intent, 'quotes'>, rail: RailId): Quoted | undefined =>
  quotes.find((quote) => quote.rail === rail)

/** The stored form. The buyer's input is dropped once it is answered, or never will be. */
export function encodeIntent(intent: Intent): string {
  const isOver = intent.claimed || intent.state === 'Late' || intent.state === 'Refunded'
  return JSON.stringify({ ...intent, input: isOver ? null : intent.input }, (_, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}

/** @param secret the service's own, for rows that contain their buyer's name. */
export function decodeIntent(body: string, secret: Buffer): Intent {
  const stored = JSON.parse(body)
  return Intent.parse(isNamed(stored) ? withoutNames(stored, secret) : stored)
}

/** Until 2026-11-22 an intent held its buyer's and account's names. Such rows are read, and rewritten without them. */
type Named = z.infer<typeof Named>
const Named = z.looseObject({
  state: z.enum(INTENT_STATES),
  buyer: z.string(),
  opener: z.string(),
  creditTo: Holder.nullable(),
})
export const isNamed = (stored: unknown): stored is Named => Named.safeParse(stored).success

function withoutNames({ buyer, opener, creditTo, ...rest }: Named, secret: Buffer): object {
  return {
    ...rest,
    buyerDigest: buyerDigest(secret, buyer),
    buyerIsWallet: isWallet(buyer),
    opener: isWaiting(rest) ? opener : '', //  was no keyed digest; nothing is counted by it any more
    creditTo: creditTo && { ...creditTo, account: accountDigest(creditTo.account) },
  }
}
