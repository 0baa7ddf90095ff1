import { afterEach, describe, expect, test } from 'vitest'
import type { Handler } from '../../../api/http/exchange.ts'
import { jsonReply } from '../../../api/http/respond.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { quietLog } from '../../support/ledger.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const body = { ok: true, pad: 'x'.repeat(5_000) }

describe('HTTP-07 HEAD has the length of the GET and no body, and the server lives on', () => {
  test.each<[string, number, Handler]>([
    ['answered at once', 200, () => jsonReply(200, body)],
    ['answered later', 200, async () => jsonReply(200, body)],
    [
      'a handler that fails at once',
      500,
      () => {
        throw new Error('fails')
      },
    ],
  ])('%s', async (_, status, handler) => {
    const server = await serveHttp({ host: '127.0.0.1', port: 0, handler, log: quietLog })
    ends.push(() => server.close())
    const ask = async (method: string) => {
      const answer = await fetch(`http://127.0.0.1:${server.port}/`, { method })
      return {
        status: answer.status,
        length: answer.headers.get('content-length'),
        body: await answer.text(),
      }
    }
    const got = await ask('GET')
    expect(got.status).toBe(status)
    for (let again = 0; again < 3; again++) expect(await ask('HEAD')).toEqual({ ...got, body: '' })
    expect(await ask('GET')).toEqual(got)
  })
})
