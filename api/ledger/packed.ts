import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Shorter ones are kept as they are. Answers over the market are; what repeats a long question several times is not. */
const PACKED_FROM_CHARS = 8 * 1024
/** No JSON begins like this. */
const PACKED = 'deflate:'

/**
 * JSON as a row of the ledger keeps it. A question of 8 KB may be repeated to an answer of 140 KB, which is kept for a day for a tenth of a
 * cent: packed it is about as long as what is new in it.
 */
export function pack(json: string): string {
  if (json.length < PACKED_FROM_CHARS) return json
  const packed = `${PACKED}${deflateRawSync(json).toString('base64')}`
  return packed.length < json.length ? packed : json
}

/** The same JSON, byte for byte. Rows of before it was packed hold it as it is. */
export const unpack = (kept: string): string =>
  kept.startsWith(PACKED) ? inflateRawSync(Buffer.from(kept.slice(PACKED.length), 'base64')).toString() : kept
