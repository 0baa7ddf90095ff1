import { createHash, generateKeyPairSync } from 'node:crypto'
import canonicalize from 'canonicalize'
import { describe, expect, test } from 'vitest'
import type { OracleDescriptor } from '../../../ops/purchase/receipt.ts'
import { withoutSecrets } from '../../../ops/purchase/redact.ts'
import { evidenceIn, verifyEvidence } from '../../../ops/purchase/verification.ts'
import { attest } from './seller.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const oracle: OracleDescriptor = {
  format: 'service-receipt-v1',
  algorithm: 'ed25519',
  keyId: 'key-1',
  publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
}
const answered = { ping: { ok: true, echo: 'a' } }
const paper = attest(privateKey, {
  format: 'service-receipt-v1',
  keyId: 'key-1',
  attestationId: 'att-1',
  merchant: 'https://seller.example',
  sku: 'SKU_AG_PING_01',
  path: '/x402/v1/ping',
  network: 'store-credit',
  transaction: 'x',
  amountAtomic: '10000',
  asset: '0x',
  payer: 'account:x',
  payTo: '0x',
  responseHash: createHash('sha256').update(canonicalize(answered)!).digest('hex'),
})
const result = { ...answered, paymentAttestation: paper }
const answer = { ok: true, sku: 'SKU_AG_PING_01', result }
const report = {
  ok: true,
  command: 'buy',
  request: { url: 'https://seller.example/x402/v1/ping?echo=a' },
  answer,
}

const offline = {
  base: 'https://seller.example',
  offline: true,
  timeoutMs: 1,
  rpcUrl: null,
  chainDemanded: false,
}
const failed = async (json: unknown) => {
  const { valid, checks } = await verifyEvidence(evidenceIn(json)!, oracle, offline)
  const names = checks.filter(({ ok }) => ok === false).map(({ name }) => name)
  expect(valid).toBe(names.length === 0)
  return names
}

describe('a receipt is found in whatever carries it', () => {
  test.each([
    ['an attestation', paper],
    ['a result', result],
    ['an answer', answer],
    ['a report of a purchase', report],
    ['a kept purchase', { command: 'receipts', purchase: { label: 'purchase.v1', answer } }],
  ])('%s', async (_, json) => {
    expect(evidenceIn(json)?.paper.attestationId).toBe('att-1')
    expect(await failed(json)).toEqual([])
  })

  test.each([[null], [{}], [[]], ['text'], [{ result: {} }], [{ ...paper, format: 'other-v1' }]])(
    '%j holds none',
    (json) => {
      expect(evidenceIn(json)).toBeNull()
    },
  )
})

describe('one thing that does not hold makes it invalid', () => {
  const changed = (change: object) => ({ ...paper, payload: { ...paper.payload, ...change } })
  test.each([
    ['a changed payload', changed({ sku: 'SKU_AG_CREDITS_10' }), ['signature']],
    ['another id around it', { ...paper, attestationId: 'att-2' }, ['attestationId']],
    ['another format around it', { ...paper, format: 'service-statement-v1' }, ['signature', 'format']],
    ['a key that is not published', { ...paper, keyId: 'key-2' }, ['key', 'keyId']],
    ['another answer', { ...answer, result: { ...result, ping: { ok: true, echo: 'b' } } }, ['response']],
    ['an answer to which something was added', { ...answer, result: { ...result, more: 1 } }, ['response']],
    ['an answer for another SKU', { ...answer, sku: 'SKU_AG_SPREAD_01' }, ['sku']],
    [
      'a report about another path',
      { ...report, request: { url: 'https://seller.example/other' } },
      ['path'],
    ],
  ])('%s: %j', async (_, json, names) => {
    expect(await failed(json)).toEqual(names)
  })

  test('what was not looked at is said, and is no failure', async () => {
    const { checks } = await verifyEvidence(evidenceIn(paper)!, oracle, offline)
    const unseen = checks.filter(({ ok }) => ok === null).map(({ name }) => name)
    expect(unseen).toEqual(['response', 'service', 'chain'])
  })

  test.each([
    ['a token', { hourPass: { token: `pass_${'a'.repeat(43)}` } }],
    ['a token in a sentence', { hint: `send feed_${'a'.repeat(43)} as a header` }],
    ['a secret of another service', { json: { value: { tokens: ['a', { apiKey: 'a'.repeat(16) }] } } }],
  ])('an answer that is shown without %s cannot be hashed, which is no failure', async (_, secretly) => {
    const responseHash = createHash('sha256').update(canonicalize(secretly)!).digest('hex')
    const paymentAttestation = attest(privateKey, { ...paper.payload, responseHash })
    const whole = { ...report, answer: { ...answer, result: { ...secretly, paymentAttestation } } }
    const responseOf = async (json: unknown) => {
      const { valid, checks } = await verifyEvidence(evidenceIn(json)!, oracle, offline)
      return [valid, checks.find(({ name }) => name === 'response')?.ok]
    }
    expect(await responseOf(whole)).toEqual([true, true])
    expect(await responseOf(withoutSecrets(whole))).toEqual([true, null])
  })

  test('an answer in which others cut a secret is hashed as it was delivered', async () => {
    const cut = { json: { value: { nextToken: 'pass_abcd…' } } }
    const responseHash = createHash('sha256').update(canonicalize(cut)!).digest('hex')
    const paymentAttestation = attest(privateKey, { ...paper.payload, responseHash })
    const whole = { ...answer, result: { ...cut, paymentAttestation } }
    const { valid, checks } = await verifyEvidence(evidenceIn(whole)!, oracle, offline)
    expect([valid, checks.find(({ name }) => name === 'response')?.ok]).toEqual([true, true])
  })

  test('a service that cannot be asked for its word has not given it', async () => {
    const online = { ...offline, offline: false, base: 'http://127.0.0.1:9', timeoutMs: 1_000 }
    const { valid, checks } = await verifyEvidence(evidenceIn(answer)!, oracle, online)
    expect({ valid, service: checks.find(({ name }) => name === 'service')?.ok }).toEqual({
      valid: false,
      service: false,
    })
  })
})

describe('who is asked', () => {
  test.each(['nobody', 'file:///etc/passwd', ''])(
    'a receipt of "%s" names nobody who could be: that is said, not a failure',
    async (base) => {
      const { checks } = await verifyEvidence(evidenceIn(paper)!, oracle, {
        ...offline,
        offline: false,
        base,
      })
      expect(checks.find(({ name }) => name === 'service')).toMatchObject({ ok: null })
    },
  )
})
