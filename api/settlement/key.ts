import secp256k1 from 'secp256k1'
import { type Address, bytesToHex, type Hex } from 'viem'
import { addressOfPublicKey } from './recover.ts'

/**
 * The two uses of a private key of ours, by the native library that recovers payers anyway. viem's needs 50 ms of CPU
 * before its first multiplication, in every worker that starts.
 */
export function addressOfKey(key: Hex): Address {
  return addressOfPublicKey(secp256k1.publicKeyCreate(bytesOf(key), false))
}

/** Deterministic (RFC 6979) and with the low s that chains insist on: what viem signs, byte for byte. */
export function signDigest(digest: Uint8Array, key: Hex): { r: Hex; s: Hex; yParity: number } {
  const { signature, recid } = secp256k1.ecdsaSign(digest, bytesOf(key))
  return { r: bytesToHex(signature.subarray(0, 32)), s: bytesToHex(signature.subarray(32)), yParity: recid }
}

const bytesOf = (key: Hex): Uint8Array => Buffer.from(key.slice(2), 'hex')
