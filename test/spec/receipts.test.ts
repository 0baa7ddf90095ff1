import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  isJWSSignedReceipt,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountDigest } from '../../api/entitlements/credit.ts'
import { newPem } from '../api/receipts/keys.ts'
import { type Answer, get, headerOf, nowS, offerOf, paid, payloadOf, payment } from '../support/buyer.ts'
import { startTestChain, type TestChain } from '../support/chain.ts'
import { holdsForStrangers, keysOf } from '../support/receipts.ts'
import { type Service, startService } from '../support/service.ts'

const PING = '/x402/v1/ping'
const ORACLE = '/x402/v1/receipt-oracle'
const VERIFY = '/api/receipt-oracle/verify'
const HASH = createHash('sha256').update('a contract').digest('hex')

let chain: TestChain
let service: Service
let one: string
let two: string
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain })
  ;[one, two] = service.bases as [string, string]
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const received = () => chain.balance(chain.receiver)
const buyer = () => chain.buyers[0]!
async function buy(path: string, query = ''): Promise<Answer> {
  const { header } = await payment(await offerOf(one, path), buyer())
  return get(`${one}${path}${query}`, paid(header))
}
async function check(body: unknown): Promise<Answer['json']> {
  const answer = await fetch(`${one}${VERIFY}`, { method: 'POST', body: JSON.stringify(body) })
  return answer.json()
}

describe('2.5 every sale has a receipt that anybody can check', () => {
  let receipt: Answer['json']
  let other: Answer['json']
  beforeAll(async () => {
    receipt = (await buy(PING)).json.result.paymentAttestation
    other = (await buy(PING, '?echo=other')).json.result.paymentAttestation
  })

  test.each([PING, '/x402/v1/hour-pass', '/x402/v1/tor-call', '/x402/v1/credits-2'])(
    '%s: responseHash is over the result as it was delivered, RFC 8785, secrets and all',
    async (path) => {
      const { paymentAttestation, ...result } = (await buy(path)).json.result
      const hash = createHash('sha256').update(canonicalize(result)!).digest('hex')
      expect(paymentAttestation.payload.responseHash).toBe(hash)
    },
  )

  test('by the published key; the descriptor and did.json publish the same', async () => {
    const keys = await keysOf(one)
    expect(holdsForStrangers(receipt, keys)).toBe(true)
    const did = await get(`${two}/.well-known/did.json`)
    expect(did.header('content-type')).toBe('application/did+json')
    expect(did.json.verificationMethod.map(({ publicKeyJwk }: Answer['json']) => publicKeyJwk)).toEqual(
      keys.map(({ publicKeyJwk }: Answer['json']) => publicKeyJwk),
    )
    const signing = keys.filter(({ signs }: Answer['json']) => signs)
    expect(signing).toHaveLength(1)
    const descriptor = await get(`${two}/.well-known/receipt-oracle.json`)
    expect(descriptor.json.publicKeyPem).toBe(signing[0].publicKeyPem)
  })

  test('the descriptor has a recipe of requestHash for every way of buying, and says what the amount is', async () => {
    const { requestHash, amount } = (await get(`${one}/.well-known/receipt-oracle.json`)).json
    for (const lines of ['GET, path, query', 'POST, /fulfill, ', 'POST, /cardpay/checkout, '])
      expect(requestHash).toContain(lines)
    expect(amount).toContain('paid')
  })

  //  sorted by name alone, `echo` would come first (`-` sorts before `=`); other libraries also escape '()*!
  test('the query goes into it as the descriptor says, also where names begin alike and a text has quotes', async () => {
    const { requestHash } = (await get(`${one}/.well-known/receipt-oracle.json`)).json
    expect(requestHash).toContain(
      'query (name=value of each parameter, both as encodeURIComponent writes them; sorted as text, joined by &)',
    )
    const { sku, requestHash: hash } = (await buy(PING, '?echo=it%27s+(1*2)!&echo-id=7')).json.result
      .paymentAttestation.payload
    const { amount, asset, payTo } = await offerOf(one, PING)
    const query = "echo-id=7&echo=it's%20(1*2)!"
    const lines = ['GET', PING, query, sku, amount, asset.toLowerCase(), payTo.toLowerCase()]
    expect(hash).toBe(createHash('sha256').update(lines.join('\n')).digest('hex'))
  })

  test('RCP-02 every combination of id, payload and signature: true only when all that is given agrees', async () => {
    const { attestationId: id, payload, signature } = receipt
    expect(await check({ id })).toMatchObject({ ok: true, valid: true, kind: 'payment_receipt', payload })
    for (const body of [
      { payload, signature },
      { id, payload },
      { id, signature },
      { id, payload, signature },
    ])
      expect(await check(body)).toMatchObject({ valid: true, keyId: receipt.keyId })
    for (const body of [{}, { payload }, { signature }])
      expect(await check(body)).toMatchObject({ valid: false })
    for (const body of [
      { id, payload: other.payload, signature: other.signature },
      { id, payload: other.payload },
      { id, signature: other.signature },
      { id: other.attestationId, payload, signature },
      { payload, signature: other.signature },
      { payload: { ...payload, amountAtomic: '1' }, signature },
      { payload: null, signature },
      { id, payload: null },
      { id, payload: null, signature },
      { id, payload: false },
      { id, signature: '' },
      { payload: 'x', signature },
      { id: 'A'.repeat(22) },
      { id: 'A'.repeat(22), payload, signature },
    ])
      expect(await check(body)).toMatchObject({ ok: false, valid: false, reason: expect.any(String) })
  })

  test('RCP-03 a key or an algorithm that the caller names is ignored', async () => {
    const { payload, signature } = receipt
    const named = { publicKey: 'x', publicKeyPem: 'x', algorithm: 'none', alg: 'none', format: 'other' }
    expect(await check({ payload, signature, ...named })).toMatchObject({ valid: true })
    expect(await check({ payload: { ...payload, keyId: '0'.repeat(16) }, signature })).toMatchObject({
      valid: false,
      reason: 'bad_signature',
    })
  })

  test('RCP-05 duplicate keys and texts without a canonical form are no payload', async () => {
    const { payload, signature } = receipt
    const twice = `{"signature":"${signature}","payload":${JSON.stringify(payload).replace('{', '{"sku":"A",')}}`
    const duplicate = await fetch(`${one}${VERIFY}`, { method: 'POST', body: twice })
    expect([duplicate.status, ((await duplicate.json()) as Answer['json']).code]).toEqual([
      400,
      'malformed_request',
    ])
    const unpairedText = JSON.stringify({ payload: { ...payload, sku: 'SURROGATE' }, signature })
    const unpaired = await fetch(`${one}${VERIFY}`, {
      method: 'POST',
      body: unpairedText.replace('SURROGATE', '\\ud800'),
    })
    expect([unpaired.status, await unpaired.json()]).toMatchObject([
      200,
      { valid: false, reason: 'payload_cannot_be_signed' },
    ])
    const respelled = JSON.stringify({
      payload: Object.fromEntries(Object.entries(payload).reverse()),
      signature,
    }).replace('SKU_AG', '\\u0053KU_AG')
    const same = await fetch(`${one}${VERIFY}`, { method: 'POST', body: respelled })
    expect(((await same.json()) as Answer['json']).valid).toBe(true)
  })

  test('a receipt of seventy transfers is judged, not refused for its length', async () => {
    const { payload, signature } = receipt
    const { network, asset, amount, amountAtomic, payer, payTo, transaction } = payload
    const part = { network, asset, decimals: 6, amount, amountAtomic, payer, payTo, transaction }
    const paid = Array.from({ length: 70 }, () => part)
    expect(await check({ payload: { ...payload, paid }, signature })).toMatchObject({
      valid: false,
      reason: 'bad_signature',
    })
  })

  test('RCP-10 a body beyond the limit is refused', async () => {
    const { payload } = receipt
    const answer = await fetch(`${one}${VERIFY}`, {
      method: 'POST',
      body: JSON.stringify({ payload, padding: 'x'.repeat(1_000_000) }),
    })
    expect(answer.status).toBe(413)
  })

  test('RCP-08 whoever has the id of a receipt is told no name of its buyer, however he paid', async () => {
    const named = {
      'x-agent-id': 'canary-of-a-name@example.org',
      'x-service-credit-auth': 'a-secret-of-my-own',
    }
    const sold = async (path: string) => {
      const { header } = await payment(await offerOf(one, path), buyer())
      return get(`${one}${path}`, { ...paid(header), ...named })
    }
    const byAgent = { 'x-agent-id': named['x-agent-id'] }
    const { header } = await payment(await offerOf(one, PING), buyer())
    const answers = [
      await get(`${one}${PING}`, { ...paid(header), ...byAgent }),
      await sold('/x402/v1/credits-2'),
      await get(`${one}${PING}`, named),
    ]
    //  nor anything that shows which of the names or wallets one knows is the right one
    const digest = accountDigest(named['x-agent-id']).slice(0, 12)
    for (const { status, text, json } of answers) {
      expect(status, text).toBe(200)
      const { attestationId: id } = json.result.paymentAttestation
      const told = [(await get(`${one}${VERIFY}?id=${id}`)).text, JSON.stringify(await check({ id }))]
      for (const verdict of told) {
        expect(verdict).toContain('"valid":true')
        expect(verdict).not.toContain('canary-of-a-name')
        expect(verdict).not.toContain(digest)
      }
    }
    expect(JSON.stringify(await service.ledger.redis.xrange('sales', '-', '+'))).not.toContain(digest)
    const payers = [answers[2]!, await get(`${one}${PING}`, named)].map(
      ({ json }) => json.result.paymentAttestation.payload.payer,
    )
    expect(payers[0]).toMatch(/^account:[0-9a-f]{32}$/)
    expect(payers[1]).toBe(payers[0])
  })

  test('RCP-07 a payment that did not go through has no receipt', async () => {
    const kept = async () => (await service.ledger.redis.keys('attestation:*')).length
    const before = await kept()
    const { header } = await payment(await offerOf(one, PING), buyer(), { value: 9_999n })
    const refused = await get(`${one}${PING}`, paid(header))
    expect([refused.status, refused.json.result, await kept()]).toEqual([402, undefined, before])
    await buy(PING)
    expect(await kept()).toBe(before + 1)
    const { attestationId } = receipt
    const madeUp = `${attestationId.slice(0, -1)}${attestationId.endsWith('0') ? '1' : '0'}`
    for (const verdict of [await check({ id: madeUp }), (await get(`${one}${VERIFY}?id=${madeUp}`)).json])
      expect(verdict).toMatchObject({ valid: false, reason: 'unknown_id' })
  })
})

describe('4.3 the receipt in PAYMENT-RESPONSE', () => {
  test('is signed by the key of the offer, fits the offer of the 402, and is the same on a resend', async () => {
    const required = JSON.parse(
      Buffer.from((await get(`${one}${PING}`)).header('payment-required')!, 'base64').toString(),
    )
    const { header } = await payment(required.accepts[0], buyer())
    const first = await fetch(`${one}${PING}`, { headers: paid(header) })
    expect(first.status).toBe(200)
    const receipt = extractReceiptFromResponse(first)
    if (receipt === undefined || !isJWSSignedReceipt(receipt)) throw new Error('no JWS receipt')
    const [{ publicKeyJwk }] = await keysOf(one)
    const { transaction } = JSON.parse(
      Buffer.from(first.headers.get('payment-response')!, 'base64').toString(),
    )
    expect(await verifyReceiptSignatureJWS(receipt, publicKeyJwk)).toMatchObject({
      resourceUrl: required.resource.url,
      payer: buyer().address.toLowerCase(),
      transaction,
    })
    const [offer] = decodeSignedOffers(extractOffersFromPaymentRequired(required))
    expect(verifyReceiptMatchesOffer(receipt, offer!, [buyer().address])).toBe(true)
    const again = await fetch(`${two}${PING}`, { headers: paid(header) })
    expect(again.headers.get('payment-response')).toBe(first.headers.get('payment-response'))
  })
})

describe('SKU_RECEIPT_ORACLE_01 attests what a caller hands in', () => {
  test('a hash: attestation {attestationId, signature, payload, verifyUrl}, for 0.10', async () => {
    const before = await received()
    const answer = await buy(ORACLE, `?hash=0x${HASH.toUpperCase()}`)
    expect([answer.status, answer.json.sku, (await received()) - before]).toEqual([
      200,
      'SKU_RECEIPT_ORACLE_01',
      100_000n,
    ])
    const { attestation, paymentAttestation } = answer.json.result
    expect(attestation).toMatchObject({
      attestationId: `st_${paymentAttestation.attestationId}`,
      payload: {
        format: 'service-statement-v1',
        receiptId: paymentAttestation.attestationId,
        statedBy: buyer().address.toLowerCase(),
        subject: { sha256: HASH },
        transaction: paymentAttestation.payload.transaction,
        issuedAt: paymentAttestation.payload.issuedAt,
        notice: expect.stringContaining('not that they are true'),
      },
    })
    expect(holdsForStrangers(attestation, await keysOf(one))).toBe(true)
    const { pathname, search } = new URL(attestation.verifyUrl)
    expect((await get(`${two}${pathname}${search}`)).json).toMatchObject({
      valid: true,
      kind: 'caller_statement',
      payload: attestation.payload,
    })
  })

  test('RCP-06 a statement is never a receipt: not by its words, not under the other prefix', async () => {
    const statement = JSON.stringify({ format: 'service-receipt-v1', amountAtomic: '5000000' })
    const answer = await buy(ORACLE, `?statement=${encodeURIComponent(statement)}`)
    const { attestation, paymentAttestation } = answer.json.result
    expect(attestation.payload.subject).toEqual({
      statement: { format: 'service-receipt-v1', amountAtomic: '5000000' },
      sha256: createHash('sha256')
        .update(canonicalize(JSON.parse(statement))!)
        .digest('hex'),
    })
    const { signature, payload } = attestation
    expect(await check({ payload, signature })).toMatchObject({ valid: true, kind: 'caller_statement' })
    for (const forged of [
      payload.subject.statement,
      { ...payload, format: 'service-receipt-v1' },
      { ...payload.subject.statement, keyId: payload.keyId },
    ])
      expect(await check({ payload: forged, signature })).toMatchObject({ valid: false })
    expect(await check({ id: paymentAttestation.attestationId, payload, signature })).toMatchObject({
      valid: false,
    })
    expect(await check({ id: attestation.attestationId })).toMatchObject({ valid: true })
  })

  test.each([
    ['nothing', ''],
    ['both', `?hash=${HASH}&statement=1`],
    ['63 digits', `?hash=${HASH.slice(1)}`],
    ['no hex', `?hash=${HASH.slice(1)}g`],
    ['a line feed after it', `?hash=${HASH}%0a`],
    ['no JSON', '?statement=%7Ba'],
    ['a key twice', '?statement=%7B%22a%22:1,%22a%22:2%7D'],
    ['17 levels', `?statement=${'%5B'.repeat(18)}${'%5D'.repeat(18)}`],
    ['2^53', '?statement=9007199254740992'],
    ['a decimal that would be signed rounded', '?statement=%7B%22a%22:[0.12345678901234567890]%7D'],
    ['a number that would be signed as 0', '?statement=1e-400'],
    ['an unpaired surrogate', '?statement=%22%5Cud800%22'],
    ['4097 bytes', `?statement=%22${'a'.repeat(4_095)}%22`],
  ])('%s is refused, nothing is charged', async (_, query) => {
    const before = await received()
    const answer = await buy(ORACLE, query)
    expect([400, 422]).toContain(answer.status)
    expect(['invalid_parameter', 'undeliverable']).toContain(answer.json.code)
    expect(await received()).toBe(before)
  })

  test('numbers are signed as they were sent, whatever stands in the strings beside them', async () => {
    const statement = '{"1e-400":"\\"0.12345678901234567890","a":[-0.1,1.50,5e-324,9007199254740991]}'
    const { attestation } = (await buy(ORACLE, `?statement=${encodeURIComponent(statement)}`)).json.result
    expect(attestation.payload.subject.statement).toEqual(JSON.parse(statement))
  })

  test('the deepest statement that is sold verifies by payload and signature', async () => {
    const statement = `${'['.repeat(17)}${']'.repeat(17)}`
    const { attestation } = (await buy(ORACLE, `?statement=${statement}`)).json.result
    const { payload, signature } = attestation
    expect(await check({ payload, signature })).toMatchObject({ valid: true, kind: 'caller_statement' })
  })

  test('4096 bytes are taken; an hour pass does not attest', async () => {
    expect((await buy(ORACLE, `?statement=%22${'a'.repeat(4_094)}%22`)).status).toBe(200)
    const bought = await buy('/x402/v1/hour-pass')
    const pass = { 'x-service-pass': bought.json.result?.token as string }
    const answer = await get(`${one}${ORACLE}?hash=${HASH}`, pass)
    expect([answer.status, answer.json.error]).toEqual([402, 'pass_not_covering'])
  })
})

describe('4.2 payment-identifier: one purchase, one payment', () => {
  const signedWith = async (id: string, path = PING, payer = buyer()) => {
    const offer = await offerOf(one, path)
    const { signed, signature } = await payment(offer, payer)
    const extensions = { 'payment-identifier': { info: { required: false, id } } }
    return { header: headerOf({ ...payloadOf(offer, signed, signature), extensions }), signed }
  }
  let count = 0
  const newId = () => `purchase-${Date.now()}-${++count}`

  test('signed again with the same id: 409 with a pointer, nothing moves; the first gives its answer', async () => {
    const id = newId()
    const first = await signedWith(id)
    const answer = await get(`${one}${PING}?echo=a`, paid(first.header))
    expect(answer.status).toBe(200)
    const before = await received()
    const again = await signedWith(id)
    const second = await get(`${two}${PING}?echo=a`, paid(again.header))
    const { paymentAttestation } = answer.json.result
    expect([second.status, second.json.code, second.json.paidBy]).toEqual([
      409,
      'already_paid',
      {
        nonce: first.signed.nonce,
        state: 'settled',
        path: PING,
        transaction: paymentAttestation.payload.transaction,
        receipt: expect.stringMatching(new RegExp(`/receipts/${paymentAttestation.attestationId}$`)),
      },
    ])
    expect((await get(`${two}${PING}?echo=a`, paid(first.header))).text).toBe(answer.text)
    expect(await received()).toBe(before)
  })

  test('what is paid is told before what is wrong with the second payment', async () => {
    const id = newId()
    expect((await get(`${one}${PING}`, paid((await signedWith(id)).header))).status).toBe(200)
    const offer = await offerOf(one, PING)
    const { signed, signature } = await payment(offer, buyer(), { value: 9_999n })
    const extensions = { 'payment-identifier': { info: { required: false, id } } }
    const answer = await get(
      `${two}${PING}`,
      paid(headerOf({ ...payloadOf(offer, signed, signature), extensions })),
    )
    expect([answer.status, answer.json.code]).toEqual([409, 'already_paid'])
  })

  test('who has only read something that the payer signed is not told what an id is bound to', async () => {
    const id = newId()
    expect((await get(`${one}${PING}`, paid((await signedWith(id)).header))).status).toBe(200)
    const offer = await offerOf(one, PING)
    const extensions = { 'payment-identifier': { info: { required: false, id } } }
    const copied = [
      { to: chain.buyers[1]!.address },
      { validBefore: nowS() - 86_400n },
      { validBefore: nowS() + 86_400n }, //  such as a classic purchase may have been paid with
    ]
    const codes = ['wrong_recipient', 'expired', 'window_too_long']
    for (const [nth, change] of copied.entries()) {
      const { signed, signature } = await payment(offer, buyer(), change)
      const header = headerOf({ ...payloadOf(offer, signed, signature), extensions })
      const answer = await get(`${two}${PING}`, paid(header))
      expect([answer.status, answer.json.code]).toEqual([402, codes[nth]])
      expect(answer.json).not.toHaveProperty('paidBy')
    }
  })

  test('the same id for another request: 409; another buyer may use it', async () => {
    const id = newId()
    expect((await get(`${one}${PING}?echo=a`, paid((await signedWith(id)).header))).status).toBe(200)
    const before = await received()
    for (const url of [`${two}${PING}?echo=b`, `${two}/x402/v1/spread`]) {
      const { header } = await signedWith(id, new URL(url).pathname)
      const answer = await get(url, paid(header))
      expect([answer.status, answer.json.code]).toEqual([409, 'payment_id_bound'])
    }
    expect(await received()).toBe(before)
    const stranger = await signedWith(id, PING, chain.buyers[1]!)
    expect((await get(`${two}${PING}?echo=b`, paid(stranger.header))).status).toBe(200)
  })

  test('eight signed at once over two processes: one settles', async () => {
    const id = newId()
    const signed = await Promise.all(Array.from({ length: 8 }, () => signedWith(id)))
    const before = await received()
    const answers = await Promise.all(
      signed.map(({ header }, i) => get(`${i % 2 ? one : two}${PING}?echo=race`, paid(header))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
    expect((await received()) - before).toBe(10_000n)
  })

  test('an id whose payment was refused before anything moved is free again', async () => {
    const id = newId()
    const offer = await offerOf(one, PING)
    const poor = await payment(offer, buyer(), { value: 9_999n })
    const extensions = { 'payment-identifier': { info: { required: false, id } } }
    const refused = headerOf({ ...payloadOf(offer, poor.signed, poor.signature), extensions })
    expect((await get(`${one}${PING}`, paid(refused))).status).toBe(402)
    expect((await get(`${one}${PING}`, paid((await signedWith(id)).header))).status).toBe(200)
  })

  test('an id of the wrong form is told apart before anything moves', async () => {
    const { header } = await signedWith('too short')
    const answer = await get(`${one}${PING}`, paid(header))
    expect([answer.status, answer.json.code]).toEqual([400, 'malformed_payment'])
  })
})

describe('/receipts/<id>: a receipt for people', () => {
  let receipt: Answer['json']
  beforeAll(async () => {
    receipt = (await buy(PING)).json.result.paymentAttestation
  })
  const page = (id: string, accept: string, more: Record<string, string> = {}) =>
    get(`${two}/receipts/${id}`, { accept, ...more })

  test('HTML: every field, the signed text, a verdict without a script, and our own script only', async () => {
    const answer = await page(receipt.attestationId, 'text/html')
    expect([answer.status, answer.header('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    for (const text of [receipt.payload.transaction, receipt.payload.requestHash, receipt.signature])
      expect(answer.text).toContain(text)
    expect(answer.text).toContain('the signature is ours and holds')
    expect(answer.header('content-security-policy')).toContain("script-src 'self'")
    expect(answer.text).toMatch(/<script type="module" src="\/assets\/client-[0-9a-f]{12}\.js">/)
    const script = /src="(\/assets\/client-[^"]+)"/.exec(answer.text)![1]
    expect((await get(`${two}${script}`)).status).toBe(200)
    const etag = answer.header('etag')!
    expect((await page(receipt.attestationId, 'text/html', { 'if-none-match': etag })).status).toBe(304)
  })

  test('JSON and markdown for agents', async () => {
    const json = await page(receipt.attestationId, 'application/json')
    expect(json.json).toMatchObject({ ok: true, valid: true, attestation: receipt })
    const markdown = await page(receipt.attestationId, 'text/markdown')
    expect(markdown.header('content-type')).toBe('text/markdown; charset=utf-8')
    expect(markdown.text).toContain(receipt.payload.transaction)
  })

  test("a caller's words are shown as words: no HTML, no end of the block", async () => {
    const words = '<script>alert(1)</script> ``` \n# owned'
    const { attestation } = (await buy(ORACLE, `?statement=${encodeURIComponent(JSON.stringify({ words }))}`))
      .json.result
    const shown = await page(attestation.attestationId, 'text/html')
    expect(shown.text).toContain('Statement of a caller')
    expect(shown.text).not.toContain('<script>alert')
    const markdown = (await page(attestation.attestationId, 'text/markdown')).text
    expect(markdown.match(/```/g)).toHaveLength(2)
    expect(markdown).not.toMatch(/^# owned/m)
  })

  test.each(['A'.repeat(22), `st_${'A'.repeat(22)}`, 'short', '..%2f..', ''])(
    'unknown id %j: 404',
    async (id) => {
      expect((await page(id, 'text/html')).status).toBe(404)
      expect((await page(id, 'application/json')).status).toBe(404)
    },
  )

  test('a receipt of a plain purchase is no statement', async () => {
    expect((await page(`st_${receipt.attestationId}`, 'application/json')).status).toBe(404)
  })
})

describe('RCP-09 a process with the next key', () => {
  test('verifies and shows what the former key signed, and publishes both', async () => {
    const receipt = (await buy(PING)).json.result.paymentAttestation
    const [{ publicKeyPem }] = await keysOf(one)
    const file = async (name: string, text: string) => {
      await writeFile(join(service.dir, name), text, { mode: 0o600 })
      return join(service.dir, name)
    }
    await service.restartApi(1, {
      RECEIPT_KEY_FILE: await file('next.pem', newPem()),
      RECEIPT_PUBLIC_KEYS_FILE: await file('keys.pem', publicKeyPem),
    })
    const { keyId, keys } = (await get(`${two}/.well-known/receipt-oracle.json`)).json
    expect(keys.map((key: Answer['json']) => [key.keyId, key.signs])).toEqual([
      [keyId, true],
      [receipt.keyId, false],
    ])
    expect((await get(`${two}${VERIFY}?id=${receipt.attestationId}`)).json).toMatchObject({
      valid: true,
      keyId: receipt.keyId,
    })
    const page = await get(`${two}/receipts/${receipt.attestationId}`, { accept: 'text/html' })
    expect(page.text).toContain('the signature is ours and holds')
  })
})
