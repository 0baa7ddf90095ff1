import { keccak_256 } from '@noble/hashes/sha3.js'
import secp256k1 from 'secp256k1'
import type { Address } from 'viem'
import type { EcdsaSignature } from './signature.ts'

//  Reused: the library fills it before the call returns.
const publicKey = new Uint8Array(65)

/**
 * The address whose key made this signature over this digest, lower-case; null when no key can have.
 * Native secp256k1: about 0.05 ms, against 1.6 ms for viem's.
 */
export function recoverAddress(digest: Uint8Array, signature: EcdsaSignature): Address | null {
  try {
    secp256k1.ecdsaRecover(signature.compact, signature.recovery, digest, false, publicKey)
  } catch {
    return null //  r is no x coordinate of the curve, or the sum is the point at infinity
  }
  return addressOfPublicKey(publicKey)
}

/** @param publicKey its 65 bytes */
export function addressOfPublicKey(publicKey: Uint8Array): Address {
  const hash = keccak_256(publicKey.subarray(1))
  return `0x${Buffer.from(hash.buffer, hash.byteOffset + 12, 20).toString('hex')}`
}
