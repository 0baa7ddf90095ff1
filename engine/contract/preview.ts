import { z } from 'zod'

/**
 * A row that is given away: no price, no size, no market id. Differences are bands five cents wide, in words: a band
 * asserts no value, so nothing free equals anything paid, whatever prices do meanwhile (VEN-17).
 */
export const PreviewRow = z.object({
  topic: z.string(),
  category: z.string().nullable(),
  gapBand: z.string(), //             `5 to 10 cents`, the lower end included
  edgeBand: z.string().nullable(), // after fees; null where only the gap is given
})
export type PreviewRow = z.infer<typeof PreviewRow>
