import { readFileSync } from 'node:fs'
import { z } from 'zod'

const Share = z.number().min(0).max(1)
const Count = z.int().min(0)
const Measured = {
  precision: Share, //  of the pairs that would be sold, those labelled so; four decimals, cut off
  recall: Share, //     of the pairs labelled the same or opposite, those that would be sold
  judged: Count, //     labelled pairs; gray ones, on which careful readers differ, are not among them
  sold: Count,
  wrong: Count, //      would be sold though labelled otherwise
  missed: Count,
}

/** How well the pairing does on labelled pairs, as measured by `npm run pairs -- --record`. */
export const MatchPrecision = z.object({
  ...Measured,
  sets: z.array(z.object({ name: z.string(), ...Measured, grayWrong: Count })),
  measuredOn: z.iso.date(),
  rules: z.string().regex(/^[0-9a-f]{16}$/), // hash of the pairing's sources: changed sources need a new measurement
})
export type MatchPrecision = z.infer<typeof MatchPrecision>

export const MATCH_PRECISION_FILE = new URL('./matchPrecision.json', import.meta.url)

/** The committed measurement. Read once; a record that does not fit stops the start. */
export const matchPrecision: MatchPrecision = MatchPrecision.parse(
  JSON.parse(readFileSync(MATCH_PRECISION_FILE, 'utf8')),
)
