import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRouter } from '../../../api/http/router.ts'
import { type Server, serveHttp } from '../../../api/http/server.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { type AttestationPayload, signAttestation } from '../../../api/receipts/attestation.ts'
import { receiptPages } from '../../../api/receipts/page/index.ts'
import { signStatement, subjectOf } from '../../../api/receipts/statement.ts'
import { verifyParts } from '../../../api/receipts/verify.ts'
import { openLedger, quietLog } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { newKey, ringOf } from './keys.ts'

const key = newKey()
const payload: AttestationPayload = {
  format: 'service-receipt-v1',
  keyId: key.keyId,
  attestationId: 'r'.repeat(22),
  merchant: 'https://example.test',
  mode: 'sandbox',
  sku: 'SKU_RECEIPT_ORACLE_01',
  path: '/x402/v1/receipt-oracle',
  amount: '0.1',
  amountAtomic: '100000',
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
const receipt = signAttestation(key, payload)
const statement = signStatement(key, subjectOf({ words: 'mine' }), payload)
const GONE_MS = Date.parse('2026-11-22T00:00:00.000Z')

let redis: TestRedis
let book: ReturnType<typeof openLedger>
let server: Server
let ports: Parameters<typeof verifyParts>[1]
beforeAll(async () => {
  redis = await startRedis({ appendfsync: 'always' })
  book = openLedger(redis.url)
  ports = { receiptKeys: ringOf(key), ledger: book.ledger }
  server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    handler: createRouter(receiptPages(ports, () => [])),
    log: quietLog,
  })
  await book.redis.set(KEYS.attestation(payload.attestationId), JSON.stringify({ ...receipt, statement }))
})
afterAll(async () => {
  await server?.close()
  book?.close()
  await redis?.stop()
})

describe('RCP-07 what stands on money is valid while that is on its chain', () => {
  const page = async (id: string, accept: string, tag = '') => {
    const headers = { accept, ...(tag === '' ? {} : { 'if-none-match': tag }) }
    const answer = await fetch(`http://127.0.0.1:${server.port}/receipts/${id}`, { headers })
    const { status } = answer
    const [robots, etag] = ['x-robots-tag', 'etag'].map((name) => answer.headers.get(name) ?? '')
    return { status, robots, etag: etag!, text: await answer.text() }
  }
  const leave = () => book.redis.set(KEYS.revoked(payload.attestationId), String(GONE_MS))
  const comeBack = () => book.redis.del(KEYS.revoked(payload.attestationId))

  test.each([
    ['a receipt', receipt],
    ['the statement that was sold with it', statement],
  ])('%s: by its id, by itself, and on its page', async (_, { attestationId: id, ...signed }) => {
    const parts = { payload: signed.payload, signature: signed.signature }
    const verdicts = async () => [await verifyParts({ id }, ports), await verifyParts(parts, ports)]
    const forms = ['text/html', 'text/markdown', 'application/json']
    const pages = (tags = ['', '', '']) => Promise.all(forms.map((form, at) => page(id, form, tags[at])))
    const valid = expect.objectContaining({ valid: true })
    expect(await verdicts()).toEqual([valid, valid])
    const before = await pages()
    const tags = before.map(({ etag }) => etag)
    expect(before.map(({ status, robots }) => [status, robots])).toEqual(Array(3).fill([200, 'noindex']))
    expect(before[0]!.text).toMatch(/<script type="module"/)
    expect(before[2]!.text).not.toContain('revokedAt')
    expect((await pages(tags)).map(({ status }) => status)).toEqual([304, 304, 304])

    await leave()
    const revokedAt = new Date(GONE_MS).toISOString()
    const revoked = { valid: false, reason: 'revoked', revokedAt }
    expect(await verdicts()).toEqual([revoked, revoked])
    const [html, markdown, json] = await pages(tags) //  the kept version is out of date
    for (const { text } of [html!, markdown!]) expect(text).toContain(`Revoked ${revokedAt}`)
    expect(html!.text).not.toMatch(/<script type="module"/) //  it would say that the signature holds
    expect(JSON.parse(json!.text)).toMatchObject({ ok: false, valid: false, revokedAt })

    await comeBack()
    expect(await verdicts()).toEqual([valid, valid])
  })
})

describe('RCP-02 an id is forgotten after 400 days: whoever has the whole receipt can check it for ever', () => {
  const forgotten = (at: number, attestationId = `${at}`.repeat(22)) => ({ ...payload, attestationId })
  const [old, other] = [signAttestation(key, forgotten(1)), signAttestation(key, forgotten(2))]
  const oldStatement = signStatement(key, subjectOf({ words: 'mine' }), old.payload)
  const whole = ({ attestationId: id, payload, signature }: typeof old | typeof oldStatement) => ({
    id,
    payload,
    signature,
  })
  const reason = async (parts: Parameters<typeof verifyParts>[0]) => {
    const verdict = await verifyParts(parts, ports)
    return verdict.valid ? verdict.kind : verdict.reason
  }

  test.each([
    ['a receipt', whole(old), 'payment_receipt'],
    ['a statement', whole(oldStatement), 'caller_statement'],
    ['by its id alone', { id: old.attestationId }, 'unknown_id'],
    ['without its signature', { ...whole(old), signature: undefined }, 'unknown_id'],
    ['without its payload', { ...whole(old), payload: undefined }, 'unknown_id'],
    ['under the id of another one', { ...whole(old), id: other.attestationId }, 'unknown_id'],
    ['under the id of its statement', { ...whole(old), id: oldStatement.attestationId }, 'unknown_id'],
    ['with the signature of another one', { ...whole(old), signature: other.signature }, 'bad_signature'],
    ['with another payer', { ...whole(old), payload: { ...old.payload, payer: '0x33' } }, 'bad_signature'],
  ])('%s', async (_, parts, expected) => {
    expect(await reason(parts)).toBe(expected)
  })

  test('revoked it stays, since the mark has no end', async () => {
    await book.redis.set(KEYS.revoked(old.attestationId), String(GONE_MS))
    expect([await reason(whole(old)), await reason(whole(oldStatement))]).toEqual(['revoked', 'revoked'])
  })
})
