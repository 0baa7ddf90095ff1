import { z } from 'zod'

/**
 * A gap card as its buyer got it. The journal of sales carries it, so that history states how a gap was when it was
 * sold and need not infer it from earlier records.
 */
export const SoldCard = z.object({
  cardId: z.string(),
  marketMs: z.int(), //         when the answer was made, market clock
  verdict: z.string(),
  category: z.string().nullable(),
  gapCents: z.number(),
  edgeCents: z.number(),
  suggestedAction: z.string(),
  executable: z.boolean(),
})
export type SoldCard = z.infer<typeof SoldCard>
