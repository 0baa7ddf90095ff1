import { z } from 'zod'

/**
 * A row that is given away: no price, no size, no market id. Differences are bands five cents wide, in words: a band
 * asserts no value, so nothing free equals anything paid, whatever prices do meanwhile (VEN-17).
 */
export const PreviewRow = z.object({
  topic: z.string(),
  category: z.string().nullable(),
  gapBand: z.string(), //             `5 to 10 cents`, the lower end included
  edgeBand: z.string().nullable(), // after fees; null where only the gap is told
})
export type PreviewRow = z.infer<typeof PreviewRow>

/** Free sample of the cards as they were at least `delayMs` ago. Instants are market clock. */
export const AlphaPreview = z.object({
  rows: z.array(PreviewRow),
  delayMs: z.int(),
  asOfMs: z.int().nullable(), //  when the cards looked like this; null: nothing that old is known yet
  nextMs: z.int(), //             when the next look can be there
})
export type AlphaPreview = z.infer<typeof AlphaPreview>

/** Free sample of the gaps, the same rows for half an hour. */
export const VenueWire = z.object({
  rows: z.array(PreviewRow),
  asOfMs: z.int(),
  nextMs: z.int(), //             full and half hours, market clock
})
export type VenueWire = z.infer<typeof VenueWire>

export const PreviewBoard = z.object({ alpha: AlphaPreview, wire: VenueWire.nullable() })
export type PreviewBoard = z.infer<typeof PreviewBoard>

export const PREVIEW = 'preview'
