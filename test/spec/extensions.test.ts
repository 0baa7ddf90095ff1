import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  BAZAAR,
  extractDiscoveryInfoFromExtension,
  sanitizeResourceServiceMetadata,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from '@x402/extensions/bazaar'
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  findAcceptsObjectFromSignedOffer,
  isJWSSignedOffer,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt'
import {
  declarePaymentIdentifierExtension,
  isPaymentIdentifierExtension,
  isValidPaymentId,
} from '@x402/extensions/payment-identifier'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GOODS } from '../../api/goods/index.ts'
import { PURE_GOODS } from '../../api/goods/utility/pure.ts'
import { createChallenge, type Terms } from '../../api/payment/challenge.ts'
import { answerSchema } from '../../api/payment/extensions/bazaar.ts'
import { exampleOf } from '../../api/payment/extensions/examples.ts'
import { OFFER_VALID_MS, receiptExtension } from '../../api/payment/extensions/offerReceipt.ts'
import { paymentIdentifier, paymentIdOf } from '../../api/payment/extensions/paymentIdentifier.ts'
import { didDocument } from '../../api/receipts/did.ts'
import { receiptKeyFromPem } from '../../api/receipts/key.ts'
import { keyRing } from '../../api/receipts/keyRing.ts'
import { cardsBody, gapsBody, moversBody, portsOver, topicsBody } from '../api/goods/support.ts'
import { someBookRow, someCard, someEdge, someGap, someMover, someNet, someTopic } from '../support/boards.ts'

const refuse = (why: string): never => {
  throw new Error(why)
}
const newKey = () =>
  receiptKeyFromPem(
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    refuse,
  )
const key = newKey()
const NOW = 1_790_000_000_000
const PAYER = '0x1111111111111111111111111111111111111111'
const terms: Terms = {
  publicUrl: 'https://micro-data.service.example.com',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0xAbCdEf0123456789abcdef0123456789ABCDEF01',
  tokenName: 'USD Coin',
  tokenVersion: '2',
  maxTimeoutSeconds: 300,
  mode: 'live',
  secret: Buffer.alloc(32, 7),
  receiptKey: key,
}
const goodAt = (path: string) => GOODS.find((good) => good.path === path)!
/** The only offer of a 402, which is a JWS. */
const onlyOffer = (required: Parameters<typeof extractOffersFromPaymentRequired>[0]) => {
  const [offer, ...others] = extractOffersFromPaymentRequired(required)
  if (offer === undefined || others.length > 0 || !isJWSSignedOffer(offer)) throw new Error('not one JWS')
  return offer
}
const decoded = (required: Parameters<typeof onlyOffer>[0]) => decodeSignedOffers([onlyOffer(required)])[0]!
const headerOf = (reply: { headers: readonly (readonly [string, string])[] }) =>
  reply.headers.find(([name]) => name === 'payment-required')![1]
const requiredOf = (reply: Parameters<typeof headerOf>[0]) =>
  JSON.parse(Buffer.from(headerOf(reply), 'base64').toString())
const unpaid = (path: string, nowMs = NOW, change: Partial<Terms> = {}) =>
  createChallenge(goodAt(path), { ...terms, ...change })('payment_required', nowMs)
const PATHS = GOODS.map(({ path }) => path)

describe.each(PATHS)('the 402 of %s', (path) => {
  const reply = unpaid(path)
  const required = requiredOf(reply)

  test('PAYMENT-REQUIRED stays within 6 KiB (x402-v2 1.8), in ASCII', () => {
    expect(headerOf(reply).length).toBeLessThanOrEqual(6 * 1024)
    expect(headerOf(reply)).toMatch(/^[A-Za-z0-9+/]+={0,2}$/)
    expect(Buffer.from(headerOf(reply), 'base64').every((byte) => byte < 128)).toBe(true)
    expect(sanitizeResourceServiceMetadata(required.resource)).toEqual({
      serviceName: required.resource.serviceName,
    })
  })

  test('bazaar: a catalogue accepts it, and its example validates by its own schema', () => {
    const extension = required.extensions[BAZAAR.key]
    expect(validateDiscoveryExtensionSpec(extension)).toEqual({ valid: true })
    expect(validateDiscoveryExtension(extension)).toEqual({ valid: true })
    expect(extractDiscoveryInfoFromExtension(extension)).toMatchObject({
      input: { type: 'http', method: 'GET' },
    })
    const { example } = extension.info.output
    expect(example).toEqual({ ok: true, sku: goodAt(path).sku, result: exampleOf(goodAt(path).sku) })
    const validate = (info: unknown) => validateDiscoveryExtension({ ...extension, info }).valid
    expect(
      validate({ ...extension.info, output: { type: 'json', example: { ...example, result: {} } } }),
    ).toBe(false)
    expect(validate({ ...extension.info, input: { ...extension.info.input, method: 'POST' } })).toBe(false)
  })

  test('bazaar: its input example is an input of the good; what is required is required', () => {
    const good = goodAt(path)
    const { info, schema } = required.extensions[BAZAAR.key]
    const { queryParams = {} } = info.input
    const taken = good.parameters.filter(({ insteadOf }) => insteadOf === undefined)
    expect(Object.entries(queryParams)).toEqual(taken.map(({ name, example }) => [name, example]))
    expect(good.input.safeParse(queryParams)).toMatchObject({ success: true })
    const needed = good.parameters.filter((parameter) => parameter.required).map(({ name }) => name)
    expect(schema.properties.input.properties.queryParams?.required ?? []).toEqual(needed)
    for (const name of needed) {
      const { [name]: _, ...rest } = queryParams
      const without = { ...info, input: { ...info.input, queryParams: rest } }
      expect(validateDiscoveryExtension({ info: without, schema } as never).valid).toBe(false)
    }
  })

  test('payment-identifier is offered and never required', () => {
    const extension = required.extensions['payment-identifier']
    expect(isPaymentIdentifierExtension(extension)).toBe(true)
    expect(extension.info).toEqual({ required: false })
  })

  test('offer-receipt: the offer is signed by our key, names accepts[0], and stands for a while', async () => {
    const offer = onlyOffer(required)
    const payload = await verifyOfferSignatureJWS(offer, key.publicKey as never)
    expect(payload).toEqual({
      version: 1,
      resourceUrl: required.resource.url,
      scheme: 'exact',
      network: terms.network,
      asset: terms.asset,
      payTo: terms.payTo,
      amount: required.accepts[0].amount,
      validUntil: (NOW + OFFER_VALID_MS) / 1000,
    })
    expect(findAcceptsObjectFromSignedOffer(decoded(required), required.accepts)).toEqual(required.accepts[0])
    await expect(verifyOfferSignatureJWS(offer, newKey().publicKey as never)).rejects.toThrow()
  })
})

describe('what the examples say is what the goods answer', () => {
  const FIVE = [1, 2, 3, 4, 5]
  const ports = portsOver({
    gaps: gapsBody([someGap()]),
    nets: { rows: [someNet()] },
    edges: { rows: FIVE.map((n) => someEdge({ pairId: `p${n}` })) },
    gapCards: cardsBody(FIVE.map((n) => someCard({ pairId: `p${n}` }))),
    movers: moversBody({ day: [someMover()] }),
    book: { a: [someBookRow()], b: [] },
    topics: topicsBody([someTopic()]),
  })
  /** Every name of the example is in the answer, with a value of the same kind; of a list the first element counts. */
  const lacks = (example: unknown, answer: unknown, at = ''): string[] => {
    const kind = (value: unknown) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)
    if (kind(example) !== kind(answer)) return [`${at}: ${kind(example)}, really ${kind(answer)}`]
    if (Array.isArray(example))
      return example.length === 0 ? [] : lacks(example[0], (answer as unknown[])[0], `${at}[0]`)
    if (kind(example) !== 'object') return []
    return Object.entries(example as object).flatMap(([name, value]) =>
      lacks(value, (answer as Record<string, unknown>)[name], `${at}.${name}`),
    )
  }
  const inputOf = (parameters: (typeof GOODS)[number]['parameters']) =>
    Object.fromEntries(parameters.map(({ name, example }) => [name, example]))
  const drafted = GOODS.filter(
    ({ path, grant, creditMicroUsdc, subject }) =>
      grant === undefined && creditMicroUsdc === undefined && subject === undefined && !path.endsWith('/dns'),
  )

  test.each(drafted.map(({ path }) => path))('%s', async (path) => {
    const good = PURE_GOODS.find(({ sku }) => sku === goodAt(path).sku) ?? goodAt(path)
    const draft = await good.answer(good.input.parse(inputOf(good.parameters)), ports)
    if (!('result' in draft)) throw new Error(draft.problem)
    const result = good.finish?.(draft.result, { transaction: '0x1' }) ?? draft.result
    expect(lacks(exampleOf(good.sku), result)).toEqual([])
    const schema = new Ajv2020({ strict: false }).compile(answerSchema(good.sku))
    expect([schema({ ok: true, sku: good.sku, result }), schema.errors]).toEqual([true, null])
  })

  /** What the example says and the answer does not; a text that ends in dots is only begun. */
  const wrong = (example: unknown, answer: unknown, at = ''): string[] => {
    if (typeof example === 'object' && example !== null)
      return Object.entries(example).flatMap(([name, value]) =>
        wrong(value, (answer as Record<string, unknown>)[name], `${at}.${name}`),
      )
    const [begun, ...dots] = String(example).split('...')
    const agrees = dots.length === 0 ? example === answer : String(answer).startsWith(begun!)
    return agrees ? [] : [`${at}: ${example}, really ${answer}`]
  }

  test.each(PURE_GOODS.map(({ path }) => path))(
    '%s: its example is its answer to its example',
    async (path) => {
      const good = PURE_GOODS.find((each) => each.path === path)!
      const draft = await good.answer(good.input.parse(inputOf(good.parameters)), ports)
      if (!('result' in draft)) throw new Error(draft.problem)
      expect(wrong(exampleOf(good.sku), draft.result)).toEqual([])
    },
  )

  test('/x402/v1/receipt-oracle: the example attests the hash that is the example', () => {
    const { sku, parameters } = goodAt('/x402/v1/receipt-oracle')
    const hash = parameters.find(({ name }) => name === 'hash')!.example
    expect(exampleOf(sku)).toMatchObject({ attestation: { payload: { subject: { sha256: hash } } } })
  })

  test.each(GOODS.filter(({ grant }) => grant !== undefined).map(({ path }) => path))('%s', (path) => {
    const { grant, sku } = goodAt(path)
    const { result } = grant!.issue({ token: 't', nowMs: NOW, publicUrl: terms.publicUrl })
    expect(lacks(exampleOf(sku), result)).toEqual([])
  })
})

describe('4.3 offers are signed once per path for as long as they stand, not for each caller', () => {
  const PING = '/x402/v1/ping'
  const offerIn = (reply: Parameters<typeof headerOf>[0]) =>
    requiredOf(reply).extensions['offer-receipt'].info.offers[0].signature as string

  test('the same text until half of the time is over, then a new one', () => {
    const challenge = createChallenge(goodAt(PING), terms)
    const at = (nowMs: number) => challenge('payment_required', nowMs)
    const first = offerIn(at(NOW))
    expect(offerIn(at(NOW + OFFER_VALID_MS / 2 - 1))).toBe(first)
    const later = at(NOW + OFFER_VALID_MS / 2)
    expect(offerIn(later)).not.toBe(first)
    const { validUntil } = decoded(requiredOf(later))
    expect(validUntil).toBe((NOW + 1.5 * OFFER_VALID_MS) / 1000)
  })

  test('a clock that is set back gives no offer that stands longer than it should', () => {
    const challenge = createChallenge(goodAt(PING), terms)
    challenge('payment_required', NOW)
    const back = requiredOf(challenge('payment_required', NOW - 10 * OFFER_VALID_MS))
    const { validUntil } = decoded(back)
    expect(validUntil).toBe((NOW - 9 * OFFER_VALID_MS) / 1000)
  })

  test.each([PING, '/x402/v1/hour-pass'])(
    '%s: every reason shows the same offer but for its secret',
    (path) => {
      const challenge = createChallenge(goodAt(path), terms)
      const [one, two] = [challenge('payment_required', NOW), challenge('bad_signature', NOW)]
      expect(offerIn(one)).toBe(offerIn(two))
      const [mine, yours] = [requiredOf(one), requiredOf(challenge('payment_required', NOW))]
      expect(mine.accepts[0].extra.redemption).not.toBe(yours.accepts[0].extra.redemption)
      for (const { accepts } of [mine, yours])
        expect(accepts[0].extra.redemption).toMatch(/^[A-Za-z0-9_-]{22,64}$/)
      expect(mine.extensions).toEqual(yours.extensions)
    },
  )

  test('offer and receipt name the resource alike and fit together; another payer or path does not', async () => {
    const required = requiredOf(unpaid(PING))
    const offer = decoded(required)
    const paid = { path: PING, network: terms.network, payer: PAYER, transaction: '0xab', atMs: Date.now() }
    const receiptOf = (change: Partial<typeof paid>) =>
      receiptExtension({ key, publicUrl: terms.publicUrl }, { ...paid, ...change }).info.receipt
    const receipt = receiptOf({})
    expect(await verifyReceiptSignatureJWS(receipt, key.publicKey as never)).toEqual({
      version: 1,
      network: terms.network,
      resourceUrl: required.resource.url,
      payer: PAYER,
      issuedAt: Math.floor(paid.atMs / 1000),
      transaction: '0xab',
    })
    expect(verifyReceiptMatchesOffer(receipt, offer, [PAYER])).toBe(true)
    expect(verifyReceiptMatchesOffer(receipt, offer, [`0x${'22'.repeat(20)}`])).toBe(false)
    expect(verifyReceiptMatchesOffer(receiptOf({ path: '/x402/v1/spread' }), offer, [PAYER])).toBe(false)
    expect(receiptOf({})).toEqual(receipt) //  composing it again gives the same receipt
  })

  test('a stock client finds our key by the did:web of the kid, also after a rotation', async () => {
    const next = newKey()
    let ring = keyRing(key, '', refuse)
    const server = createServer((request, response) => {
      const { port } = server.address() as AddressInfo
      const found = request.url === '/.well-known/did.json'
      response.statusCode = found ? 200 : 404
      response.end(found ? JSON.stringify(didDocument(ring, `http://127.0.0.1:${port}`)) : '')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const signedBy = (receiptKey: typeof key) =>
        onlyOffer(requiredOf(unpaid(PING, NOW, { publicUrl, receiptKey })))
      expect(await verifyOfferSignatureJWS(signedBy(key))).toMatchObject({
        resourceUrl: `${publicUrl}${PING}`,
      })
      await expect(verifyOfferSignatureJWS(signedBy(next))).rejects.toThrow(/verification method/)
      ring = keyRing(next, key.publicKeyPem, refuse)
      expect(await verifyOfferSignatureJWS(signedBy(key))).toMatchObject({ version: 1 })
      expect(await verifyOfferSignatureJWS(signedBy(next))).toMatchObject({ version: 1 })
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  })
})

describe('4.2 payment-identifier', () => {
  const withId = (id: unknown) => ({ 'payment-identifier': { info: { required: false, id } } })

  test('is declared as the SDK declares it', () => {
    const { info, schema } = declarePaymentIdentifierExtension(false)
    expect(paymentIdentifier).toEqual({ info, schema })
  })

  test.each([
    [undefined, null],
    [{}, null],
    [{ 'payment-identifier': { info: { required: false } } }, null],
    [withId('a'.repeat(16)), 'a'.repeat(16)],
    [withId('A-z_0'.repeat(25)), 'A-z_0'.repeat(25)],
    [withId('a'.repeat(128)), 'a'.repeat(128)],
  ])('%j → %j', (extensions, id) => {
    expect(paymentIdOf(extensions)).toBe(id)
  })

  test.each([
    ['a'.repeat(15)],
    ['a'.repeat(129)],
    [`${'a'.repeat(16)}\n`],
    ['ä'.repeat(16)],
    [''],
    [16],
    [null],
  ])('id %j is refused', (id) => {
    expect(paymentIdOf(withId(id))).toMatchObject({ problem: 'malformed_payment' })
  })

  test('we and the SDK take the same ids', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ maxLength: 140 }), fc.stringMatching(/^[A-Za-z0-9_-]{10,135}$/)),
        (id) => (paymentIdOf(withId(id)) === id) === isValidPaymentId(id),
      ),
    )
  })
})
