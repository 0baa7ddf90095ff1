import { z } from 'zod'
import { Mode } from '../../ops/mode.ts'
import { PaymentAttestation } from '../goods/attested.ts'
import type { Output } from '../goods/good.ts'
import { CreditGrant } from '../goods/grants/shapes.ts'
import { GOODS } from '../goods/index.ts'
import { SERVICES } from '../goods/services/index.ts'
import { camelCase, capital } from '../letterCase.ts'

/** What a classic purchase adds to the result. */
const Purchase = z.object({
  rail: z.string(),
  priceUsdc: z.number(),
  creditSpentUsdc: z.number(),
  overpaid: z.object({ creditUsdc: z.number(), note: z.string() }).optional(),
})

const PROTOCOLS = ['x402-v2', 'x-payment', 'hour-pass', 'store-credit', 'classic', 'card'] as const

/** `result` of everything that is sold. */
export const resultOf = ({ output }: { output: Output }) =>
  output.extend({
    paymentAttestation: PaymentAttestation.optional().describe(
      'Signed receipt; absent where an hour pass paid',
    ),
    purchase: Purchase.optional().describe('Of a classic purchase'),
  })

/** 200 of everything sold (spec 2.1). */
const answerOf = (sold: { sku: string; output: Output }) =>
  z.object({
    ok: z.literal(true),
    protocol: z.enum(PROTOCOLS).describe('How it was paid'),
    sku: z.literal(sold.sku),
    mode: Mode,
    pass: z
      .object({ callsRemaining: z.int().min(0), expiresAt: z.iso.datetime() })
      .optional()
      .describe('Where an hour pass paid'),
    result: resultOf(sold),
  })

type SoldSchema = ReturnType<typeof answerOf>

/** 200 of each SKU. */
export const ANSWERS: ReadonlyMap<string, SoldSchema> = new Map(
  [...GOODS, ...SERVICES].map((good) => [good.sku, answerOf(good)]),
)

/** 200 of everything that may be bought in one way, told apart by its SKU. */
export const SoldAnswer = z.discriminatedUnion('sku', [...ANSWERS.values()] as [SoldSchema, ...SoldSchema[]])

/** `SKU_AG_BOT_FUEL_01` → `AgBotFuel01Answer`: the name of that answer's schema. */
const answerName = (sku: string): string =>
  `${capital(camelCase(sku.slice('SKU_'.length).toLowerCase().split('_')))}Answer`

/** All answers by name. */
export const NAMED_ANSWERS: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  [...ANSWERS].map(([sku, schema]) => [answerName(sku), schema]),
)

/** 200 of a payment whose answer could not be delivered: its whole price as store credit. */
export const RefundAnswer = z.object({
  ok: z.literal(false),
  refunded: z.literal(true),
  protocol: z.enum(PROTOCOLS),
  sku: z.string(),
  mode: Mode,
  result: CreditGrant.extend({
    delivered: z.literal(false),
    refund: z.object({
      reason: z.string(),
      amountUsdc: z.string(),
      as: z.literal('storeCredit'),
      note: z.string(),
    }),
    paymentAttestation: PaymentAttestation,
  }),
})
