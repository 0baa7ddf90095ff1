import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  Attestation,
  type Bought,
  checkReceipt,
  type OracleDescriptor,
  readPublicKey,
} from '../../../ops/purchase/receipt.ts'
import { attest, SELLER_TX, USDC } from './seller.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const oracle: OracleDescriptor = {
  format: 'service-receipt-v1',
  algorithm: 'ed25519',
  keyId: 'key-1',
  publicKeyPem: pem,
}
const answered = { spread: { gapCents: 7, topic: 'Fed – “cut”?' }, asOf: { a: 'x', b: 'y' } }
const payer = '0x00000000000000000000000000000000000000Aa'
const payTo = '0x00000000000000000000000000000000000000Ee'
const offer = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: USDC,
  assetName: 'USD Coin',
  payTo,
  amountAtomic: '1000',
  amountUsdc: '0.001',
  maxTimeoutSeconds: 300,
}
const payload = {
  merchant: 'https://example.com',
  sku: 'SKU_AG_SPREAD_01',
  path: '/x402/v1/spread',
  amountAtomic: '1000',
  asset: USDC.toLowerCase(),
  network: 'eip155:8453',
  payer: payer.toLowerCase(),
  payTo: payTo.toLowerCase(),
  transaction: SELLER_TX,
  responseHash: createHash('sha256').update(canonicalize(answered)!).digest('hex'),
}

const bought = (change: Partial<Bought> = {}): Bought => ({
  path: '/x402/v1/spread',
  sku: 'SKU_AG_SPREAD_01',
  merchant: 'https://example.com',
  result: { ...answered, paymentAttestation: {} },
  signed: {
    offer,
    from: payer,
    to: payTo,
    valueAtomic: '1000',
    valueUsdc: '0.001',
    validAfter: 0,
    validBefore: 4_000_000_000,
    nonce: `0x${'11'.repeat(32)}`,
  },
  settlement: { success: true, transaction: SELLER_TX, network: 'eip155:8453', payer, errorReason: null },
  ...change,
})

const failed = async (attestation: unknown, change: Partial<Bought> = {}, descriptor = oracle) => {
  const checks = await checkReceipt(Attestation.parse(attestation), descriptor, bought(change))
  return checks.filter(({ ok }) => !ok).map(({ name }) => name)
}

describe('a receipt holds when everything it states is what happened', () => {
  const good = attest(privateKey, payload)

  test('the receipt of this very purchase holds', async () => {
    expect(await failed(good)).toEqual([])
  })

  test.each([
    ['response', { result: { spread: { gapCents: 8 } } }],
    ['merchant', { merchant: 'https://other.example' }],
    ['path', { path: '/x402/v1/ping' }],
    ['sku', { sku: 'SKU_AG_PING_01' }],
    ['transaction', { settlement: null }],
    ['transaction', { settlement: { ...bought().settlement!, transaction: `0x${'cd'.repeat(32)}` } }],
    ['amount', { signed: { ...bought().signed, valueAtomic: '999' } }],
    ['payer', { signed: { ...bought().signed, from: payTo } }],
    ['payee', { signed: { ...bought().signed, to: payer } }],
    ['asset', { signed: { ...bought().signed, offer: { ...offer, asset: payer } } }],
    ['network', { signed: { ...bought().signed, offer: { ...offer, network: 'eip155:1' } } }],
  ] as [string, Partial<Bought>][])('a receipt of another purchase fails at %s', async (name, change) => {
    expect(await failed(good, change)).toEqual([name])
  })

  test('every change of what is signed breaks the signature', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(payload)), fc.string(), async (name, text) => {
        fc.pre(payload[name as keyof typeof payload] !== text)
        expect(await failed({ ...good, payload: { ...payload, [name]: text } })).toContain('signature')
      }),
      { numRuns: 20 },
    )
  })

  test('the order of keys does not matter: RFC 8785 has one text for a value', async () => {
    expect(await failed({ ...good, payload: Object.fromEntries(Object.entries(payload).reverse()) })).toEqual(
      [],
    )
  })

  test('a receipt by another key fails, whatever key it names', async () => {
    const other = attest(generateKeyPairSync('ed25519').privateKey, payload)
    expect(await failed(other)).toEqual(['signature'])
    expect(await failed({ ...other, keyId: 'key-2' })).toEqual(['key'])
  })

  test('a former key verifies what it signed, as long as it is published; under its own name only', async () => {
    const former = generateKeyPairSync('ed25519')
    const publicKeyPem = former.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const signed = { ...attest(former.privateKey, payload), keyId: 'key-0' }
    const rotated = { ...oracle, keys: [{ keyId: 'key-0', publicKeyPem }] }
    expect(await failed(signed, {}, rotated)).toEqual([])
    expect(await failed({ ...signed, keyId: 'key-1' }, {}, rotated)).toEqual(['signature'])
    expect(await failed(signed)).toEqual(['key'])
  })

  test('what is not known is not compared; what has no canonical text is signed by nobody', async () => {
    const nothing = { path: null, sku: null, result: null, merchant: null, signed: null, settlement: null }
    const checks = await checkReceipt(Attestation.parse(good), oracle, nothing)
    expect(checks.map(({ name }) => name)).toEqual(['key', 'signature'])
    const loneSurrogate = { ...good, payload: { ...payload, sku: '\ud800' } }
    expect(await failed(loneSurrogate)).toContain('signature')
  })

  test('and nothing that a seller signs or hashes in its place covers it', async () => {
    const odd = { ...payload, sku: '\ud800' }
    const signature = sign(null, Buffer.from('service-receipt-v1|'), privateKey).toString('base64')
    expect(await failed({ ...good, payload: odd, signature }, { sku: null })).toEqual(['signature'])
    const ofNothing = createHash('sha256').update('').digest('hex')
    const result = { topic: '\ud800', paymentAttestation: {} }
    expect(await failed(attest(privateKey, { ...payload, responseHash: ofNothing }), { result })).toEqual([
      'response',
    ])
  })

  test.each([
    ['not base64', 'é'],
    ['too short', good.signature.slice(4)],
    ['base64url', good.signature.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')],
  ])('a signature that is %s fails', async (_, signature) => {
    expect(await failed({ ...good, signature })).toEqual(['signature'])
  })

  test('the neutral point as key and signature would satisfy ZIP 215: here it does not', async () => {
    const neutral = Buffer.alloc(32)
    neutral[0] = 1
    const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), neutral])
    const weak = `-----BEGIN PUBLIC KEY-----\n${der.toString('base64')}\n-----END PUBLIC KEY-----\n`
    const signature = Buffer.concat([neutral, Buffer.alloc(32)]).toString('base64')
    expect(await failed({ ...good, signature }, {}, { ...oracle, publicKeyPem: weak })).toEqual(['signature'])
  })
})

describe('the published key', () => {
  test('an Ed25519 key is read as its 32 bytes', () => {
    const der = publicKey.export({ type: 'spki', format: 'der' })
    expect(readPublicKey(pem)?.equals(der.subarray(12))).toBe(true)
  })

  test('any other key is none', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
    const x25519 = generateKeyPairSync('x25519').publicKey
    expect(readPublicKey(rsa.export({ type: 'spki', format: 'pem' }).toString())).toBeNull()
    expect(readPublicKey(x25519.export({ type: 'spki', format: 'pem' }).toString())).toBeNull()
    expect(readPublicKey('')).toBeNull()
  })
})
