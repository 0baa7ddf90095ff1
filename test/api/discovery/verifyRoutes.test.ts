import { expect, test } from 'vitest'
import { verifyByBody, verifyById } from '../../../api/discovery/verifyRoutes.ts'
import type { HttpRequest } from '../../../api/http/exchange.ts'
import { receiptPages } from '../../../api/receipts/page/index.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { newKey, ringOf } from '../receipts/keys.ts'

const away = async (): Promise<never> => {
  throw new UnavailableError('ledger_unavailable', 'away')
}
const ports = { receiptKeys: ringOf(newKey()), ledger: { attestation: away, revokedMs: away } }
const request = {
  path: '/receipts/AAAAAAAAAAAAAAAAAAAAAA',
  header: () => '',
  rawQuery: 'id=AAAAAAAAAAAAAAAAAAAAAA',
  body: async () => Buffer.from('{"id":"AAAAAAAAAAAAAAAAAAAAAA"}'),
} as unknown as HttpRequest

test.each([
  ['by its id', verifyById(ports)],
  ['by its body', verifyByBody(ports)],
  ['on its page', receiptPages(ports, () => [])[0]!.handler],
])('2.5 a receipt checked %s while the ledger is away: 503, and not "unknown"', async (_, handler) => {
  const reply = await handler(request)
  expect([reply.status, JSON.parse(String(reply.body))]).toMatchObject([503, { code: 'ledger_unavailable' }])
})

test.each([
  ['an id that cannot be one', '{"id":"no id"}', 'invalid_parameter', 'id: '],
  ['an id of 65 characters', `{"id":"${'a'.repeat(65)}"}`, 'invalid_parameter', 'id: '],
  ['a signature that is no text', '{"signature":1}', 'invalid_parameter', 'signature: '],
  ['a list', '[]', 'invalid_parameter', ''],
  ['no JSON', '{"id":', 'malformed_request', 'The body is not strict JSON'],
])('7 a body to verify with %s is refused for that: by field, as by GET', async (_, text, code, detail) => {
  const reply = await verifyByBody(ports)({ ...request, body: async () => Buffer.from(text) } as HttpRequest)
  expect([reply.status, JSON.parse(String(reply.body))]).toMatchObject([400, { code }])
  expect(JSON.parse(String(reply.body)).detail.startsWith(detail)).toBe(true)
})
