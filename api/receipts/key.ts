import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { ConfigError } from '../../ops/config.ts'

/** The key that signs receipts. `keyId` is the start of the public key's digest and stands in every receipt. */
export type ReceiptKey = { keyId: string; privateKey: KeyObject; publicKey: KeyObject; publicKeyPem: string }

const WORLD_READABLE = 0o004

/** @throws ConfigError when the file is absent, readable by everybody, or not an Ed25519 private key. */
export function loadReceiptKey(file: string): ReceiptKey {
  const refuse = (why: string): never => {
    throw new ConfigError([`RECEIPT_KEY_FILE: ${why}`])
  }
  let pem = ''
  try {
    if (statSync(file).mode & WORLD_READABLE) refuse('is readable by everybody; chmod 600 it')
    pem = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof ConfigError) throw error
    refuse('cannot be read')
  }
  return receiptKeyFromPem(pem, refuse)
}

export function receiptKeyFromPem(pem: string, refuse: (why: string) => never): ReceiptKey {
  let privateKey: KeyObject
  try {
    privateKey = createPrivateKey(pem)
  } catch {
    return refuse('is not a PEM private key')
  }
  if (privateKey.asymmetricKeyType !== 'ed25519') return refuse('is not an Ed25519 key')
  const publicKey = createPublicKey(privateKey)
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return {
    keyId: createHash('sha256').update(der).digest('hex').slice(0, 16),
    privateKey,
    publicKey,
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}
