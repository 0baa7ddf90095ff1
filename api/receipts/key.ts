import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { Point } from '@noble/ed25519'
import { ConfigError } from '../../ops/config.ts'
import { readSecretFile } from '../../ops/secretFile.ts'

/** A key that verifies receipts. `keyId` is the start of its digest and is part of every receipt. */
export type PublishedKey = {
  keyId: string
  publicKey: KeyObject
  publicKeyPem: string
  x: string //  the 32 bytes, base64url, as a JWK has them
}

/** The key that signs. */
export type ReceiptKey = PublishedKey & { privateKey: KeyObject }

export type Refuse = (why: string) => never

/** Keys whose private half is published: of RFC 8032, 7.1, and of the seed of 32 zero bytes. */
const KNOWN_TO_ALL: ReadonlySet<string> = new Set([
  'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
  '278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e',
  'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
  '3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29',
])

/** @throws ConfigError when the file is absent, readable by everybody, or not an Ed25519 private key of ours alone. */
export function loadReceiptKey(file: string): ReceiptKey {
  const refuse: Refuse = (why) => {
    throw new ConfigError([`RECEIPT_KEY_FILE: ${why}`])
  }
  return receiptKeyFromPem(readSecretFile('RECEIPT_KEY_FILE', file).toString(), refuse)
}

export function receiptKeyFromPem(pem: string, refuse: Refuse): ReceiptKey {
  let privateKey: KeyObject
  try {
    privateKey = createPrivateKey(pem)
  } catch {
    return refuse('is not a PEM private key')
  }
  return { ...publishedKey(createPublicKey(privateKey), refuse), privateKey }
}

/**
 * Strict: accepts only the one spelling of a point of the large prime order, so that a signature under it means what it
 * says (RFC 8032 without the leniency of ZIP 215).
 */
export function publishedKey(publicKey: KeyObject, refuse: Refuse): PublishedKey {
  if (publicKey.asymmetricKeyType !== 'ed25519') return refuse('is not an Ed25519 key')
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const bytes = der.subarray(-32)
  if (KNOWN_TO_ALL.has(bytes.toString('hex'))) return refuse('is a published test key')
  if (!isOfPrimeOrder(bytes)) return refuse('is a weak or badly encoded point')
  return {
    keyId: createHash('sha256').update(der).digest('hex').slice(0, 16),
    publicKey,
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    x: bytes.toString('base64url'),
  }
}

function isOfPrimeOrder(bytes: Uint8Array): boolean {
  try {
    const point = Point.fromBytes(new Uint8Array(bytes), false)
    return !point.is0() && point.isTorsionFree()
  } catch {
    return false
  }
}
