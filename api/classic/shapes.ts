import { z } from 'zod'
import { AgentPricing } from '../catalog/record.ts'
import { PAYLOAD_WORDS, Payload } from '../checkout/payload.ts'
import { ACCOUNT_FORM, SECRET_FORM } from '../entitlements/credit.ts'
import { TIP_WORDS, tip } from '../goods/services/tip.ts'
import { RAIL_IDS } from '../rails/rail.ts'
import { CreditNote } from '../receipts/creditNote.ts'
import { INTENT_STATES, NOTE_KINDS } from './intent.ts'

/** Bodies of the classic routes as they are sent (spec 4.2). Fields we do not know are ignored. */
const RailName = z.enum(RAIL_IDS)
/** Publishes the form of a text. Another form is refused later, in words of its own; an empty text counts as absent. */
const formed = (text: z.ZodString, { pattern, description }: typeof ACCOUNT_FORM) =>
  text.meta({ pattern: `${pattern}|^$`, description })
const StableId = formed(z.string().max(128), ACCOUNT_FORM)
const Secret = formed(z.string().max(256), SECRET_FORM)

export const PurchaseRequest = z.object({
  sku: z.string().max(64).describe('As /agent-store.json lists it'),
  buyerId: StableId.optional(), //             the same as x-agent-id
  paymentRail: RailName.default('usdc_base').describe('The one that payment is of; paymentOptions has all'),
  options: z
    .object({ tipUsdc: z.number().optional().describe(`Amount of a tip, ${TIP_WORDS}`) })
    .optional()
    .describe(`{tipUsdc: ${TIP_WORDS}}, for ${tip.sku} alone`),
  creditSpendAuth: Secret.optional(), //       secret of the buyer's store credit
  claimCode: z
    .string()
    .max(64)
    .optional()
    .describe('Opens credit that was bought without a secret, on its first spend'),
  payload: Payload.optional().describe(PAYLOAD_WORDS),
  referralCode: z.string().max(128).meta(ACCOUNT_FORM).optional(), // stable id of the account that referred the buyer
})

export const FulfillRequest = z.object({
  intentId: z.string().max(64).describe('payment.intentId of the purchase'),
  txHash: z.string().max(128).optional().describe('Of the transfer, where discovers is false'),
  buyerId: StableId.optional(),
  paymentRail: RailName.optional().describe('The rail the money was sent on; omitted: that of the intent'),
  payload: Payload.optional().describe(`${PAYLOAD_WORDS}; not needed where the intent had it`),
  payerSignature: z
    .string()
    .max(512)
    .optional()
    .describe(
      'Where another amount was sent: of "intent <intentId> paid by <txHash>" by the sender, EIP-191 or, on Solana, ed25519 in base58',
    ),
})

export const SettleRequest = FulfillRequest.omit({ payload: true })

export const QuoteRequest = PurchaseRequest.pick({ sku: true, buyerId: true, options: true })

const Time = z.iso.datetime()
const Decimal = z.string().regex(/^\d+(\.\d+)?$/)

/** One way to pay: send exactly `amountAsset` of `asset` to `receiverAddress`. */
export const PaymentOption = z.object({
  paymentRail: RailName,
  label: z.string(),
  chain: z.string(),
  asset: z.string(),
  amountAsset: Decimal, //                     in units of the asset
  amountAtomic: Decimal,
  receiverAddress: z.string(),
  alternateReceivers: z.array(z.string()),
  discovers: z.boolean(), //                   true: no txHash is needed
  validUntil: Time,
  priceSource: z.string().nullable(), //       null: one for one
})
export type PaymentOption = z.infer<typeof PaymentOption>

/** What fetches a purchase (CLS-05), worded the same everywhere; an intent opened without a buyer needs none. */
export const INTENT_AND_BUYER = 'intentId and the same buyerId (or x-agent-id)'
export const PAY_THEN_FULFILL = `Pay one of payment.paymentOptions, then POST /fulfill with ${INTENT_AND_BUYER}.`
export const NOTHING_TO_PAY = `Nothing to pay. POST /fulfill with ${INTENT_AND_BUYER} gives the result again.`
export const HOW_TO_PAY = `Send exactly amountAsset to receiverAddress, then POST /fulfill with ${INTENT_AND_BUYER}, and txHash where discovers is false; if you pay another of paymentOptions, name its paymentRail.`

/** 402 of POST /purchase-intent. */
export const PurchaseAnswer = z.object({
  ok: z.literal(false),
  code: z.literal('payment_required'),
  sku: z.string(),
  mode: z.string(),
  payment: PaymentOption.extend({
    intentId: z.string(),
    state: z.enum(INTENT_STATES),
    priceUsdc: Decimal,
    amountUsdc: Decimal, //                    due, after credit: amountAsset in USDC at the price
    creditUsdc: Decimal, //                    held of the buyer's store credit
    expiresAt: Time,
    graceUntil: Time, //                       money that comes until then still buys
    paymentOptions: z.array(PaymentOption),
    howTo: z.string(),
  }),
  agentPricing: AgentPricing,
})
export type PurchaseAnswer = z.infer<typeof PurchaseAnswer>

/** What became of money that bought nothing: store credit. */
export const MoneyNote = z.object({
  kind: z.enum(NOTE_KINDS),
  creditUsdc: z.number(),
  transactions: z.array(z.string()),
  claimCode: z.string().nullable(), //         null: it went onto the account whose secret was sent
  revoked: z.boolean(), //                     taken back while the money is gone from its chain
  attestation: CreditNote.nullable(), //       the same, signed; null: not deposited yet
})

export type MoneyNote = z.infer<typeof MoneyNote>

/** Where a purchase stands: 200 of POST /checkout/settle, and 202 of POST /fulfill while confirmations are missing. */
export const StandingAnswer = z.object({
  ok: z.literal(true),
  sku: z.string(),
  mode: z.string(),
  settlement: z.object({
    intentId: z.string(),
    state: z.enum(INTENT_STATES),
    paid: z.boolean(),
    revoked: z.boolean(), //                   what paid has left its chain: what was bought is suspended; for good if Refunded
    dueUsdc: Decimal, //                       in total, as asked for on the rail that paid last, else on the chosen one
    receivedUsdc: Decimal,
    missing: z.array(PaymentOption), //        how to pay the rest: dueUsdc less receivedUsdc, in whole units of the asset
    confirmations: z.object({ have: z.int(), need: z.int() }).nullable(),
    transactions: z.array(z.string()),
    notes: z.array(MoneyNote),
    expiresAt: Time,
    next: z.string(),
  }),
})
export type StandingAnswer = z.infer<typeof StandingAnswer>

/** 200 of POST /quote. Opens nothing and reserves nothing. */
export const QuoteAnswer = z.object({
  ok: z.literal(true),
  sku: z.string(),
  mode: z.string(),
  offer: z.object({
    amountUsdc: Decimal,
    agentPricing: AgentPricing,
    paymentOptions: z.array(PaymentOption),
    unavailable: z.array(RailName), //         cannot be quoted now
    note: z.string(),
  }),
})
export type QuoteAnswer = z.infer<typeof QuoteAnswer>
