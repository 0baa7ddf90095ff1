import { generateKeyPairSync } from 'node:crypto'
import * as ed from '@noble/ed25519'
import { sha512 } from '@noble/hashes/sha2.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AttestationPayload, attestationIdOf, signAttestation } from '../../../api/receipts/attestation.ts'
import { canonicalJson } from '../../../api/receipts/canonical.ts'
import { receiptKeyFromPem } from '../../../api/receipts/key.ts'
import { signatureHolds, signedBytes } from '../../../api/receipts/signature.ts'
import { receiptIdOf } from '../../../api/receipts/statement.ts'
import { newKey, refuse, ringOf } from './keys.ts'

ed.hashes.sha512 = sha512
const key = newKey()
const ring = ringOf(key)
const payload: AttestationPayload = {
  format: 'service-receipt-v1',
  keyId: key.keyId,
  attestationId: 'abc',
  merchant: 'https://example.test',
  mode: 'sandbox',
  sku: 'SKU_AG_PING_01',
  path: '/x402/v1/ping',
  amount: '0.01',
  amountAtomic: '10000',
  asset: '0x83',
  network: 'eip155:8453',
  payer: '0x11',
  payTo: '0x22',
  transaction: `0x${'ab'.repeat(32)}`,
  requestHash: 'r',
  responseHash: 's',
  snapshotVersion: null,
  issuedAt: '2026-11-21T00:00:00.000Z',
}
const attestation = signAttestation(key, payload)

describe('2.5 receipts are Ed25519 over RFC 8785 text with the domain prefix', () => {
  test('an independent strict verifier accepts exactly these bytes', async () => {
    const publicKey = key.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
    const signature = new Uint8Array(Buffer.from(attestation.signature, 'base64'))
    const bytes = Buffer.from(`service-receipt-v1|${canonicalJson(payload)}`)
    expect(ed.verify(signature, new Uint8Array(bytes), new Uint8Array(publicKey), { zip215: false })).toBe(
      true,
    )
    const bare = Buffer.from(canonicalJson(payload)) // RCP-06: without the prefix it is no receipt
    expect(ed.verify(signature, new Uint8Array(bare), new Uint8Array(publicKey), { zip215: false })).toBe(
      false,
    )
  })

  test('RCP-01 every byte of the payload and every bit of the signature counts', () => {
    expect(signatureHolds(ring, payload, attestation.signature)).toBe(true)
    for (const field of Object.keys(payload))
      expect(signatureHolds(ring, { ...payload, [field]: 'x' }, attestation.signature)).toBe(false)
    const bytes = Buffer.from(attestation.signature, 'base64')
    for (let bit = 0; bit < 512; bit++) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      expect(signatureHolds(ring, payload, flipped.toString('base64'))).toBe(false)
    }
  })

  test('RCP-04 identity key, high S and other encodings are refused', () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const bytes = Buffer.from(attestation.signature, 'base64')
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order
    const high = Buffer.concat([
      bytes.subarray(0, 32),
      Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse(),
    ])
    expect(signatureHolds(ring, payload, high.toString('base64'))).toBe(false)
    for (const text of [
      '',
      'AA==',
      `${attestation.signature} `,
      attestation.signature.replace(/=+$/, ''),
      bytes.toString('hex'),
    ])
      expect(signatureHolds(ring, payload, text)).toBe(false)
  })

  test('RCP-05 survives transport: other key order, other escapes, same receipt', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (sku, snapshotVersion) => {
        const changed = { ...payload, sku: sku.toWellFormed(), snapshotVersion }
        const { signature } = signAttestation(key, changed)
        const transported = JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(changed).reverse())))
        expect(signatureHolds(ring, transported, signature)).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  test('RCP-03 another key signs nothing of ours', () => {
    const other = newKey()
    expect(signatureHolds(ringOf(other), payload, attestation.signature)).toBe(false)
    expect(other.keyId).not.toBe(key.keyId)
    //  signed by the other key: under our key's name, and under its own name
    const forged = signAttestation(other, payload)
    const owned = signAttestation(other, { ...payload, keyId: other.keyId })
    expect(signatureHolds(ring, payload, forged.signature)).toBe(false)
    expect(signatureHolds(ring, owned.payload, owned.signature)).toBe(false)
  })

  test('I16, RCP-08 the id is a function of the claim and of our secret', () => {
    const secret = Buffer.alloc(32, 1)
    expect(attestationIdOf(secret, 'claim')).toBe(attestationIdOf(secret, 'claim'))
    expect(attestationIdOf(secret, 'claim')).toMatch(/^[A-Za-z0-9_-]{22}$/)
    expect(attestationIdOf(secret, 'claim2')).not.toBe(attestationIdOf(secret, 'claim'))
    expect(attestationIdOf(Buffer.alloc(32, 2), 'claim')).not.toBe(attestationIdOf(secret, 'claim'))
  })

  test('the payload names no buyer beyond the chain', () => {
    expect(Object.keys(AttestationPayload.shape)).not.toContain('buyerId')
    expect(signedBytes('service-receipt-v1', payload).toString()).toContain('service-receipt-v1|{')
  })

  test.each([
    '',
    'not a key',
    generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  ])('RCP-11 a key that is none is refused at start', (text) => {
    expect(() => receiptKeyFromPem(text, refuse)).toThrow(/PEM|Ed25519/)
  })
})

test.each([
  ['a receipt', 'A'.repeat(22), { receiptId: 'A'.repeat(22), isStatement: false }],
  [
    'a receipt that begins like a statement',
    `st_${'A'.repeat(19)}`,
    { receiptId: `st_${'A'.repeat(19)}`, isStatement: false },
  ],
  ['a statement', `st_${'A'.repeat(22)}`, { receiptId: 'A'.repeat(22), isStatement: true }],
])('RCP-02 an id leads to %s', (_, id, expected) => {
  expect(receiptIdOf(id)).toEqual(expected)
})
