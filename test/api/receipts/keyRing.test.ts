import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { didDocument, didOf, kidOf } from '../../../api/receipts/did.ts'
import { loadReceiptKey } from '../../../api/receipts/key.ts'
import { keyRing, loadKeyRing } from '../../../api/receipts/keyRing.ts'
import { signatureHolds, signPayload } from '../../../api/receipts/signature.ts'
import { ConfigError } from '../../../ops/config.ts'
import { newKey, newPem, refuse, ringOf } from './keys.ts'

const [former, present, next] = [newKey(), newKey(), newKey()]
const signed = (key: typeof present) => {
  const payload = { format: 'service-receipt-v1' as const, keyId: key.keyId }
  return { payload, signature: signPayload(key, payload) }
}
const holds = (ring: ReturnType<typeof ringOf>, { payload, signature }: ReturnType<typeof signed>) =>
  signatureHolds(ring, payload, signature)

describe('RCP-09 rotation: former receipts verify, the next key is published before it signs', () => {
  test('what each key signed verifies before, during and after', () => {
    const [before, after] = [ringOf(present, next), ringOf(next, present)]
    for (const ring of [before, after])
      for (const key of [present, next]) expect(holds(ring, signed(key))).toBe(true)
    expect(holds(ringOf(next), signed(present))).toBe(false) //  a key that was dropped verifies nothing
    expect(holds(before, signed(former))).toBe(false)
  })

  test('the key named in the payload decides: under another of our keys the signature is none', () => {
    const { payload, signature } = signed(present)
    expect(signatureHolds(ringOf(present, next), { ...payload, keyId: next.keyId }, signature)).toBe(false)
  })

  test('did.json names every key, the one that signs first, and nothing private', () => {
    const origin = 'https://data.example:8443'
    expect(didOf(origin)).toBe('did:web:data.example%3A8443')
    expect(didOf('https://data.example')).toBe('did:web:data.example')
    const document = didDocument(ringOf(next, present, former), origin)
    expect(document.id).toBe(didOf(origin))
    expect(document.assertionMethod).toEqual([next, present, former].map((key) => kidOf(origin, key)))
    expect(document.verificationMethod.map(({ id }) => id)).toEqual(document.assertionMethod)
    for (const { publicKeyJwk } of document.verificationMethod)
      expect(Object.keys(publicKeyJwk).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
    expect(JSON.stringify(document)).not.toContain(next.privateKey.export({ format: 'jwk' }).d)
    for (const key of ringOf(next, present).values()) expect(key).not.toHaveProperty('privateKey')
  })

  test('the signing key counts once, also when the file names it', () => {
    expect([...ringOf(present, present, former).keys()]).toEqual([present.keyId, former.keyId])
  })
})

describe('RECEIPT_PUBLIC_KEYS_FILE', () => {
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'microdata-keys-'))
  })
  afterAll(() => rm(dir, { recursive: true }))
  const file = async (text: string) => {
    await writeFile(join(dir, 'keys.pem'), text)
    return join(dir, 'keys.pem')
  }

  test('none: the signing key alone', () => {
    expect([...loadKeyRing(present, '').keys()]).toEqual([present.keyId])
  })

  test('several, with blank lines between', async () => {
    const path = await file(`\n${former.publicKeyPem}\n\n${next.publicKeyPem}\n`)
    expect([...loadKeyRing(present, path).keys()]).toEqual([present.keyId, former.keyId, next.keyId])
  })

  test.each([
    ['a private key', () => newPem(), /something else/],
    ['words', () => `${next.publicKeyPem}old keys`, /something else/],
    [
      'a key that is cut',
      () => next.publicKeyPem.replace(/[A-Za-z0-9+/=]{12}\n-/, '\n-'),
      /cannot be read|weak/,
    ],
    ['17 keys', () => Array.from({ length: 16 }, () => newKey().publicKeyPem).join(''), /more than 15/],
  ])('%s stops the start, by the name of the setting', async (_, text, words) => {
    const path = await file(text())
    expect(() => loadKeyRing(present, path)).toThrow(ConfigError)
    expect(() => loadKeyRing(present, path)).toThrow(words)
    expect(() => loadKeyRing(present, path)).toThrow(/RECEIPT_PUBLIC_KEYS_FILE/)
  })

  test('a file that is not there stops the start', () => {
    expect(() => loadKeyRing(present, join(dir, 'absent.pem'))).toThrow(/cannot be read/)
    expect(() => keyRing(present, 'x', refuse)).toThrow(/something else/)
  })
})

describe('RCP-11 RECEIPT_KEY_FILE', () => {
  let file: string
  beforeAll(async () => {
    file = join(await mkdtemp(join(tmpdir(), 'microdata-key-')), 'receipt.pem')
    await writeFile(file, newPem(), { mode: 0o600 })
  })
  afterAll(() => rm(join(file, '..'), { recursive: true }))

  test('readable by its owner only: loaded', () => {
    expect(loadReceiptKey(file).keyId).toMatch(/^[0-9a-f]{16}$/)
  })

  test('readable by everybody, or not there: the start is stopped, by the name of the setting', async () => {
    await chmod(file, 0o604)
    expect(() => loadReceiptKey(file)).toThrow(/RECEIPT_KEY_FILE: is readable by everybody/)
    await chmod(file, 0o600)
    expect(() => loadReceiptKey(`${file}.absent`)).toThrow(/RECEIPT_KEY_FILE: cannot be read/)
  })
})
