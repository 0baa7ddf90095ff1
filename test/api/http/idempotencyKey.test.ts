import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { idempotencyKeyOf, refuseIdempotencyKey } from '../../../api/http/idempotencyKey.ts'
import { jsonReply } from '../../../api/http/respond.ts'
import { createRouter } from '../../../api/http/router.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { quietLog } from '../../support/ledger.ts'
import { exchangeRaw, headOf } from '../../support/rawHttp.ts'

let server: Awaited<ReturnType<typeof serveHttp>>
beforeAll(async () => {
  server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    log: quietLog,
    handler: createRouter([
      {
        method: 'GET',
        path: '/',
        handler: (request) => {
          const key = idempotencyKeyOf(request)
          return jsonReply(200, { isNone: key === '', isRefused: refuseIdempotencyKey(key) !== null })
        },
      },
    ]),
  })
})
afterAll(() => server?.close())

describe('a key that was sent is a key, or is refused: were it none, a repetition would be charged', () => {
  test.each([
    ['none', {}, { isNone: true, isRefused: false }],
    ['a key', { 'idempotency-key': 'order-1' }, { isNone: false, isRefused: false }],
    ['an empty one', { 'idempotency-key': '' }, { isNone: false, isRefused: true }],
    ['one in Cyrillic, as UTF-8', { 'idempotency-key': utf8('заказ') }, { isNone: false, isRefused: true }],
    ['one in Latin-1', { 'idempotency-key': '\u00e9\u00fc' }, { isNone: false, isRefused: true }],
    ['partly in Cyrillic', { 'idempotency-key': utf8('k-заказ-1') }, { isNone: false, isRefused: true }],
  ])('%s', async (_, headers: Record<string, string>, expected) => {
    const answer = await exchangeRaw(`http://127.0.0.1:${server.port}`, headOf('/', headers))
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toEqual(expected)
  })
})

/** As it is sent: one character for each byte. */
function utf8(text: string): string {
  return Buffer.from(text).toString('latin1')
}
