import { randomBytes } from 'node:crypto'
import { assert } from '../../ops/errors.ts'

/*
 * Once settled, a payment's signature is public: it is part of the transaction. What was bought must not go to somebody
 * who copies it from there, so a payment is also bound to a secret that was only ever in the 402 and in the buyer's
 * header: `extra.redemption` of the offer, which a client echoes in `accepted`.
 */

const SHAPE = /^[A-Za-z0-9_-]{22,64}$/
const BYTES = 18
const CHARS = 24
/** Length of the text in base64: whole groups, so that it fits into a header that is already encoded. */
const BASE64_CHARS = 32
/** Made at once: each 402 has its own, and most are never used. */
const BATCH = 512

/** @property base64 of `text`, which has no padding. */
export type Redemption = { text: string; base64: string }

let texts = ''
let encoded = ''
let next = BATCH

export function newRedemption(): Redemption {
  if (next === BATCH) {
    texts = randomBytes(BYTES * BATCH).toString('base64url')
    encoded = Buffer.from(texts, 'latin1').toString('base64')
    assert(encoded.length === BASE64_CHARS * BATCH, 'a secret is whole groups of base64')
    next = 0
  }
  const text = texts.slice(next * CHARS, (next + 1) * CHARS)
  const base64 = encoded.slice(next * BASE64_CHARS, (next + 1) * BASE64_CHARS)
  next++
  return { text, base64 }
}

/** The secret a payment echoes; null when there is none. */
export function redemptionOf(extra: Record<string, unknown> | undefined): string | null {
  const value = extra?.redemption
  return typeof value === 'string' && SHAPE.test(value) ? value : null
}
