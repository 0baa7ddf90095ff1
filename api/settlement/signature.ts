import type { Hex } from 'viem'

/** Longest signature we read, in bytes. A passkey wallet's is under 1 KiB, with a factory call under 4 KiB. */
export const MAX_SIGNATURE_BYTES = 8 * 1024

/** Order of secp256k1, and the largest s the token takes (EIP-2). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const HALF_ORDER = ORDER / 2n

export type EcdsaSignature = { hex: Hex; compact: Uint8Array; recovery: 0 | 1 }

/** Why no payer could mean these characters as a signature, in the order the checks run. */
export type SignatureFault = 'malformed_signature' | 'signature_too_large'

/**
 * @property hex the same bytes in lower case.
 * @property ecdsa the one form of the signature that the token accepts, when the bytes can be read as ECDSA:
 *
 * | bytes | read as |
 * | --- | --- |
 * | 65, r and s in [1, n), v 27 or 28 | as it stands |
 * | 65, v 0 or 1 (some hardware wallets) | v + 27 |
 * | 65, high s (the malleable twin) | n − s and the other v |
 * | 64 (EIP-2098) | expanded |
 * | anything else: r or s out of range, other v, 66 bytes, … | null: only a wallet contract may like it |
 *
 * Twins of one signature give one form, so a twin is the same payment and never a second one (RPL-10), and
 * the token never sees a form that it would revert on (SIG-01). The reading is a guess until it recovers
 * to the payer; a wallet contract gets the original bytes.
 */
export type ReadSignature = { hex: Hex; ecdsa: EcdsaSignature | null }

/** Accepts 0x and an even, positive number of hex digits of either case, bounded. */
export function readSignature(text: string): ReadSignature | { refusal: SignatureFault } {
  if (typeof text !== 'string' || !text.startsWith('0x') || text.length % 2 !== 0 || text.length < 4)
    return { refusal: 'malformed_signature' }
  if (text.length > 2 + 2 * MAX_SIGNATURE_BYTES) return { refusal: 'signature_too_large' }
  const bytes = Buffer.from(text.slice(2), 'hex')
  if (bytes.length !== text.length / 2 - 1) return { refusal: 'malformed_signature' }
  return { hex: `0x${bytes.toString('hex')}`, ecdsa: readEcdsa(bytes) }
}

function readEcdsa(bytes: Buffer): EcdsaSignature | null {
  if (bytes.length !== 64 && bytes.length !== 65) return null
  const compact = new Uint8Array(bytes.subarray(0, 64)) //  a copy with a buffer of its own
  let odd: boolean
  if (bytes.length === 64) {
    odd = compact[32]! >= 0x80 //  EIP-2098: the parity sits in the top bit of s
    compact[32]! &= 0x7f
  } else {
    const v = bytes[64]!
    if (v !== 27 && v !== 28 && v !== 0 && v !== 1) return null
    odd = v === 28 || v === 1
  }
  const r = word(compact, 0)
  let s = word(compact, 32)
  if (r === 0n || r >= ORDER || s === 0n || s >= ORDER) return null
  if (s > HALF_ORDER) {
    s = ORDER - s
    odd = !odd
    compact.set(Buffer.from(s.toString(16).padStart(64, '0'), 'hex'), 32)
  }
  const hex: Hex = `0x${Buffer.from(compact.buffer).toString('hex')}${odd ? '1c' : '1b'}`
  return { hex, compact, recovery: odd ? 1 : 0 }
}

function word(bytes: Uint8Array, offset: number): bigint {
  return BigInt(`0x${Buffer.from(bytes.buffer, offset, 32).toString('hex')}`)
}
