import { z } from 'zod'
import { assert } from '../../ops/errors.ts'
import { RAIL_IDS } from '../rails/rail.ts'

/**
 * Where a purchase stands. New: nothing seen. Seen: a paying transfer is not deep enough yet. Underpaid: less than due has
 * come. Confirmed: the money is there. Delivered: answered. Expired: nothing came in time. Late: what came after that is
 * store credit. Refunded: it could not be delivered, the money is store credit.
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
export type IntentEvent = 'seen' | 'vanished' | 'part' | 'paid' | 'late' | 'lapsed' | 'delivered' | 'refunded'

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
  Confirmed: { delivered: 'Delivered', refunded: 'Refunded', late: 'Confirmed' },
  Delivered: { delivered: 'Delivered', late: 'Delivered' },
  Expired: { seen: 'Expired', part: 'Late', paid: 'Confirmed', late: 'Late', lapsed: 'Expired' },
  Late: { late: 'Late', part: 'Late', paid: 'Late', lapsed: 'Late' },
  Refunded: { late: 'Refunded', refunded: 'Refunded' },
}

export function nextState(state: IntentState, event: IntentEvent): IntentState {
  const next = TRANSITIONS[state][event]
  assert(next !== undefined, `an intent that is ${state} never meets '${event}'`)
  return next
}

/** Integer as decimal text: wei do not fit a JSON number. */
const Integer = z
  .string()
  .regex(/^\d+$/)
  .transform((text) => BigInt(text))

const Quoted = z.object({
  rail: z.enum(RAIL_IDS),
  atomic: Integer, //          what is asked for: below the price by its tag
  plain: Integer, //           the price itself: what money is worth
  validUntilMs: z.int(),
  source: z.string().nullable(),
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

/** One classic purchase, from its opening on. Money in micro-USDC, amounts of rails in atomic units. */
export const Intent = z.object({
  state: z.enum(INTENT_STATES),
  sku: z.string(),
  buyer: z.string(), //        as the buyer calls himself; '' when he does not
  opener: z.string(), //       digest of whose open intents are counted
  rail: z.enum(RAIL_IDS), //   chosen; any quoted one will do
  input: z.string().nullable(), // JSON of the payload; null: comes with /fulfill, if at all
  priceMicro: Integer,
  payableMicro: Integer, //    price less what is held of the buyer's credit
  hold: z.object({ account: z.string(), auth: z.string(), micro: Integer }).nullable(),
  creditTo: z.object({ account: z.string(), auth: z.string() }).nullable(), // where credit goes that this purchase brings
  saleBuyer: z.string().nullable(), // digest; a free report of the opening sale
  referral: z.string().default(''), // digest of who brought the buyer; '' for nobody
  quotes: z.array(Quoted),
  createdMs: z.int(),
  expiresMs: z.int(),
  graceUntilMs: z.int(),
  seen: z.object({ key: z.string(), atMs: z.int(), confirmations: z.int(), needed: z.int() }).nullable(),
  transfers: z.array(Taken),
  notes: z.array(Note),
  confirmedMs: z.int().nullable(),
  claimed: z.boolean(), //     its answer is bound: from here on it is delivered, never refunded
  failedMs: z.int().nullable(), // since when it has its money and cannot be answered
})
export type Intent = z.infer<typeof Intent>

export const encodeIntent = (intent: Intent): string =>
  JSON.stringify(intent, (_, value) => (typeof value === 'bigint' ? value.toString() : value))

export const decodeIntent = (body: string): Intent => Intent.parse(JSON.parse(body))
