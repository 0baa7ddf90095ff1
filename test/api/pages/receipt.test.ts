import { webcrypto } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalText } from '../../../api/pages/client/receipt/canonical.ts'
import { checkReceipt } from '../../../api/pages/client/receipt/check.ts'
import { decoded, encoded, usdOf } from '../../../api/pages/client/try/terms.ts'
import { readPasted } from '../../../api/pages/client/verify/read.ts'
import { toTheCent } from '../../../api/pages/live/format.ts'
import { type AttestationPayload, signAttestation } from '../../../api/receipts/attestation.ts'
import { canonicalJson, sha256Hex } from '../../../api/receipts/canonical.ts'
import { jwkOf } from '../../../api/receipts/did.ts'
import { formatUsdc } from '../../../ops/units.ts'
import { newKey } from '../receipts/keys.ts'

const [key, stranger] = [newKey(), newKey()]
const result = { ping: { ok: true, echo: 'ä', txHash: null } }
const payload: AttestationPayload = {
  format: 'service-receipt-v1',
  keyId: key.keyId,
  attestationId: 'a'.repeat(22),
  merchant: 'http://127.0.0.1:8402',
  mode: 'sandbox',
  payer: '0x11',
  transaction: '0xab',
  sku: 'SKU_AG_PING_01',
  path: '/x402/v1/ping',
  amount: '0.01',
  amountAtomic: '10000',
  asset: '0x83',
  network: 'eip155:8453',
  payTo: '0x22',
  snapshotVersion: null,
  requestHash: 'a'.repeat(64),
  responseHash: sha256Hex(canonicalJson(result)),
  issuedAt: '2026-11-21T00:00:00.000Z',
}
const receipt = signAttestation(key, payload)
const answer = { ...result, paymentAttestation: receipt }
const keys = [{ keyId: key.keyId, publicKeyJwk: jwkOf(key) as { x: string } }]
const subtle = webcrypto.subtle as webcrypto.SubtleCrypto

const verdictOf = async (attested: { payload: object; signature: string }, of: object | null = answer) =>
  (await checkReceipt(attested as never, of as never, keys, subtle)).map(({ what, ok }) => [what, ok])

describe('RCP-01 a browser’s RFC 8785 text is the service’s', () => {
  test('for any JSON value', () =>
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        let text: string | null = null
        try {
          text = canonicalJson(value)
        } catch {} //  an unpaired surrogate: neither writes it
        if (text === null) expect(() => canonicalText(value)).toThrow()
        else expect(canonicalText(value)).toBe(text)
      }),
    ))

  test.each([['\ud800'], [{ '\udfff': 1 }], [Number.NaN], [Number.POSITIVE_INFINITY]])(
    'what has none: %j',
    (value) => expect(() => canonicalText(value)).toThrow(),
  )
})

describe('a receipt is checked where it is read', () => {
  test('with the answer it came with', async () =>
    expect(await verdictOf(receipt)).toEqual([
      ['key', true],
      ['signature', true],
      ['answer', true],
    ]))
  test('by itself', async () =>
    expect(await verdictOf(receipt, null)).toEqual([
      ['key', true],
      ['signature', true],
    ]))
  test.each(Object.keys(payload).filter((name) => !['format', 'keyId'].includes(name)))(
    'changed in %s it does not hold',
    async (name) => {
      const changed = { ...receipt, payload: { ...payload, [name]: 'changed' } }
      expect(await verdictOf(changed)).toContainEqual(['signature', false])
    },
  )
  test('with another answer', async () =>
    expect(await verdictOf(receipt, { ...answer, ping: { ok: true } })).toContainEqual(['answer', false]))
  test.each([['\ud800'], [Number.POSITIVE_INFINITY]])('with %j in it, which nobody can sign', async (odd) => {
    expect(await verdictOf(receipt, { ...answer, odd })).toContainEqual(['answer', false])
    expect(await verdictOf({ ...receipt, payload: { ...payload, odd } })).toContainEqual(['signature', false])
  })
  test('by a key that is not published', async () =>
    expect(await verdictOf(signAttestation(stranger, { ...payload, keyId: stranger.keyId }))).toEqual([
      ['key', false],
    ]))
  test('by a key that calls itself one of ours', async () =>
    expect(await verdictOf(signAttestation(stranger, payload))).toContainEqual(['signature', false]))
  test('of a format that we do not sign', async () =>
    expect(await verdictOf({ ...receipt, payload: { ...payload, format: 'x' } })).toEqual([
      ['format', false],
    ]))
  test.each(['', 'AA==', '%%%'])('with a signature %j that is none', async (signature) =>
    expect(await verdictOf({ ...receipt, signature })).toContainEqual(['signature', false]),
  )
  test.each<[string, (signature: string) => string]>([
    ['without padding', (signature) => signature.replace(/=+$/, '')],
    ['with a line feed', (signature) => `${signature}\n`],
    ['with a blank inside', (signature) => signature.replace('', ' ')],
    ['with stray bits', (signature) => signature.replace(/.(?===$)/, strayBit)],
    ['in base64url', (signature) => Buffer.from(signature, 'base64').toString('base64url')],
  ])('the signature spelled %s, as the service refuses it', async (_, spell) =>
    expect(await verdictOf({ ...receipt, signature: spell(receipt.signature) })).toContainEqual([
      'signature',
      false,
    ]),
  )
  test('without WebCrypto nothing is said to hold', async () =>
    expect((await checkReceipt(receipt, null, keys, undefined)).map(({ ok }) => ok)).toEqual([null]))
})

/** The next sign of the alphabet: only a bit that no byte has is another. */
function strayBit(sign: string): string {
  const signs = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  return signs[signs.indexOf(sign) + 1]!
}

describe('what somebody pastes', () => {
  test.each([
    ['an id', ` ${'a'.repeat(22)}\n`, { id: 'a'.repeat(22) }],
    [
      'a receipt',
      JSON.stringify(receipt),
      { attested: { payload, signature: receipt.signature }, result: null },
    ],
    ['a paid answer', JSON.stringify({ ok: true, result: answer }), { result: answer }],
    ['its result', JSON.stringify(answer), { result: answer }],
    ['what /receipts/<id> says', JSON.stringify({ ok: true, attestation: receipt }), { result: null }],
  ])('%s', (_, text, expected) => expect(readPasted(text)).toMatchObject(expected))
  test.each([
    '',
    'words',
    '[]',
    'null',
    '{}',
    '{"payload":{}}',
    '{"signature":"x"}',
    '{"payload":1,"signature":"x"}',
  ])('none: %j', (text) => expect(readPasted(text)).toHaveProperty('problem'))
})

test.each(['"amount"', '"\\u0061mount"'])(
  'RCP-05 a receipt with %s before its own amount is none',
  (name) => {
    const text = JSON.stringify(receipt).replace('{"format"', `{${name}:"99","format"`)
    expect(JSON.parse(text)).toEqual(receipt)
    expect(readPasted(text)).toHaveProperty('problem')
  },
)

describe('terms in words', () => {
  test('any amount is the service’s own spelling of it', () =>
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (amount) => {
        expect(usdOf(amount.toString())).toBe(toTheCent(formatUsdc(amount)))
      }),
    ))
  test('any JSON value survives the header', () =>
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(JSON.stringify(decoded(encoded(value)))).toBe(JSON.stringify(value))
      }),
    ))
})
