import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { type ReceiptKey, receiptKeyFromPem } from '../../../api/receipts/key.ts'
import { type KeyRing, keyRing } from '../../../api/receipts/keyRing.ts'

export const refuse = (why: string): never => {
  throw new Error(why)
}

export const newPem = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
export const newKey = (): ReceiptKey => receiptKeyFromPem(newPem(), refuse)

export const ringOf = (signing: ReceiptKey, ...others: ReceiptKey[]): KeyRing =>
  keyRing(signing, others.map(({ publicKeyPem }) => publicKeyPem).join(''), refuse)

/** PEM of the private key of a seed. RFC 8410: PKCS #8 is this, then the 32 bytes. */
export const pemOfSeed = (seed: Buffer): string =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
    format: 'der',
    type: 'pkcs8',
  })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString()

/** PEM of any 32 bytes as an Ed25519 public key. */
export const publicPemOf = (point: Uint8Array): string => {
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), point])
  return `-----BEGIN PUBLIC KEY-----\n${der.toString('base64')}\n-----END PUBLIC KEY-----\n`
}
