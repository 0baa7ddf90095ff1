import { createPrivateKey, createPublicKey } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import { base58, createBase58check } from '@scure/base'
import type { Span } from '../text/fold.ts'

/** Most keys whose checksum is computed for one text; one after that many look-alikes is missed. */
const MAX_CHECKS = 200
const BASE58 = /(?<!\w)[1-9A-HJ-NP-Za-km-z]{51,111}(?!\w)/g
/** The 64 bytes of a Solana key pair as its tools write them to a file. */
const KEYPAIR_FILE = /\[(?:\s{0,8}\d{1,3}\s{0,8},){63}\s{0,8}\d{1,3}\s{0,8}\]/g

const checked = createBase58check(sha256)
/** First byte of a key in the import format of wallets: Bitcoin, its test network, Litecoin, Dogecoin. */
const WIF_VERSIONS = new Set([0x80, 0xef, 0xb0, 0x9e])
const COMPRESSED = 0x01
/** First bytes of extended private keys (BIP 32, SLIP 132): xprv, yprv, zprv, tprv, uprv, vprv. */
const EXTENDED_VERSIONS = new Set([0x0488ade4, 0x049d7878, 0x04b2430c, 0x04358394, 0x044a4e28, 0x045f18bc])
const EXTENDED = { bytes: 78, keyAt: 45 }
const PAIR_BYTES = 64
const SECRET_BYTES = 32

/**
 * Private keys of wallets that can be verified: Bitcoin's formats by their checksum, Solana key pairs by the public
 * half that belongs to the secret (a signature has the same length).
 */
export function findWalletKeys(text: string): Span[] {
  let checks = 0
  const spans: Span[] = []
  for (const { 0: written, index } of text.matchAll(BASE58)) {
    const proves = PROOF_OF_LENGTH[written.length]
    if (proves === undefined || checks++ >= MAX_CHECKS) continue
    if (proves(written)) spans.push({ start: index, end: index + written.length })
  }
  for (const { 0: written, index } of text.matchAll(KEYPAIR_FILE)) {
    if (checks++ >= MAX_CHECKS) continue
    const numbers = [...written.matchAll(/\d+/g)].map(Number)
    if (numbers.every((byte) => byte < 256) && isPair(Uint8Array.from(numbers)))
      spans.push({ start: index, end: index + written.length })
  }
  return spans
}

const PROOF_OF_LENGTH: Readonly<Record<number, (written: string) => boolean>> = {
  51: isWif,
  52: isWif,
  87: isWrittenPair,
  88: isWrittenPair,
  111: isExtended,
}

function isWif(written: string): boolean {
  const bytes = decoded(written)
  if (bytes === null || !WIF_VERSIONS.has(bytes[0]!)) return false
  return (
    bytes.length === 1 + SECRET_BYTES || (bytes.length === 2 + SECRET_BYTES && bytes.at(-1) === COMPRESSED)
  )
}

function isExtended(written: string): boolean {
  const bytes = decoded(written)
  if (bytes === null || bytes.length !== EXTENDED.bytes || bytes[EXTENDED.keyAt] !== 0) return false
  return EXTENDED_VERSIONS.has(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0))
}

/** null when the checksum does not hold. */
function decoded(written: string): Uint8Array | null {
  try {
    return checked.decode(written)
  } catch {
    return null
  }
}

function isWrittenPair(written: string): boolean {
  const bytes = base58.decode(written)
  return bytes.length === PAIR_BYTES && isPair(bytes)
}

/** An Ed25519 secret in PKCS #8 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

function isPair(bytes: Uint8Array): boolean {
  const key = Buffer.concat([PKCS8, bytes.subarray(0, SECRET_BYTES)])
  const secret = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  const { x } = createPublicKey(secret).export({ format: 'jwk' })
  return x === Buffer.from(bytes.subarray(SECRET_BYTES)).toString('base64url')
}
