import { z } from 'zod'
import { JsonText } from '../../../ops/jsonText.ts'

const Micro = z.string().regex(/^-?\d+$/)

/** What the books read of an entry of the sales journal; the rest goes on with it, into what is written of it again. */
export const JournalEntry = JsonText.pipe(
  z.looseObject({
    atMs: z.number(),
    rail: z.string(),
    purchasePath: z.string(),
    attestationId: z.string(),
    tx: z.string(),
    logIndex: z.number(),
    payer: z.string(),
    amountMicroUsdc: Micro,
    creditMicroUsdc: Micro.default('0'), //  older entries do not say
  }),
)
