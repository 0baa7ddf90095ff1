import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ConfigError } from '../../ops/config.ts'
import { type PublishedKey, publishedKey, type ReceiptKey, type Refuse } from './key.ts'

/** Every key that is ours, by id: the one that signs now, the ones that did, and the next one. */
export type KeyRing = ReadonlyMap<string, PublishedKey>

const MAX_KEYS = 16
const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g

/**
 * To rotate: put the next public key into the file and restart (published, not yet signing); when everybody has had
 * time to see it, make its private half the signing key and keep the former public key in the file permanently.
 * @param file of public keys, PEM blocks one after the other; '' for none.
 * @throws ConfigError when it cannot be read or holds anything but public Ed25519 keys.
 */
export function loadKeyRing(signing: ReceiptKey, file: string): KeyRing {
  const refuse: Refuse = (why) => {
    throw new ConfigError([`RECEIPT_PUBLIC_KEYS_FILE: ${why}`])
  }
  if (file === '') return keyRing(signing, '', refuse)
  let pems = ''
  try {
    pems = readFileSync(file, 'utf8')
  } catch {
    refuse('cannot be read')
  }
  return keyRing(signing, pems, refuse)
}

export function keyRing(signing: ReceiptKey, pems: string, refuse: Refuse): KeyRing {
  const blocks = pems.match(PEM) ?? []
  if (pems.replaceAll(PEM, '').trim() !== '') refuse('holds something else than PEM public keys')
  if (blocks.length >= MAX_KEYS) refuse(`holds more than ${MAX_KEYS - 1} keys`)
  const { privateKey: _, ...published } = signing
  const ring = new Map([[signing.keyId, published]])
  for (const block of blocks) {
    const key = publishedKey(readKey(block, refuse), refuse)
    ring.set(key.keyId, key)
  }
  return ring
}

function readKey(pem: string, refuse: Refuse): KeyObject {
  try {
    return createPublicKey(pem)
  } catch {
    return refuse('holds a key that cannot be read')
  }
}
