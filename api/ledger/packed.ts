import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Shorter texts stay as they are, such as market answers; answers that repeat a long question several times do not. */
const PACKED_FROM_CHARS = 8 * 1024
/** No JSON begins like this. */
const PACKED = 'deflate:'

/**
 * JSON as a row of the ledger keeps it. A question of 8 KB may be repeated into an answer of 140 KB, which is kept for
 * a day for a tenth of a cent: packed, it is about as long as what is new in it.
 */
export function pack(json: string): string {
  if (json.length < PACKED_FROM_CHARS) return json
  const packed = `${PACKED}${deflateRawSync(json).toString('base64')}`
  return packed.length < json.length ? packed : json
}

/** The same JSON, byte for byte. Rows written before packing was introduced hold it as it is. */
export const unpack = (kept: string): string =>
  kept.startsWith(PACKED) ? inflateRawSync(Buffer.from(kept.slice(PACKED.length), 'base64')).toString() : kept
