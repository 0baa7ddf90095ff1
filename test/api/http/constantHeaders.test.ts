import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { constantHeaders } from '../../../api/http/constantHeaders.ts'
import type { Reply } from '../../../api/http/exchange.ts'
import { withHeaders } from '../../../api/http/prepared.ts'
import { type Server, serveHttp } from '../../../api/http/server.ts'
import { quietLog } from '../../support/ledger.ts'

const JSON_TYPE = ['content-type', 'application/json'] as const
const STRICT = ['x-content-type-options', 'nosniff'] as const
const NAMED = ['ratelimit-policy', '"free";q=5;w=1'] as const
const OTHER = ['vary', 'x-payment'] as const

const [type, strict, named, other] = [[JSON_TYPE], [JSON_TYPE, STRICT], [NAMED], [OTHER]].map(constantHeaders)
const replyOf = (headers: Reply['headers']): Reply => ({ status: 200, headers, body: '{}' })

/** Replies with constant header lists, and the same replies with lists made on the spot. */
const REPLIES: Record<string, [constant: Reply, fresh: Reply]> = {
  alone: [replyOf(type!), replyOf([JSON_TYPE])],
  'that says nosniff itself': [replyOf(strict!), replyOf([JSON_TYPE, STRICT])],
  joined: [withHeaders(replyOf(type!), named!), replyOf([JSON_TYPE, NAMED])],
  'joined with another': [withHeaders(replyOf(type!), other!), replyOf([JSON_TYPE, OTHER])],
  'joined twice': [
    withHeaders(withHeaders(replyOf(type!), named!), other!),
    replyOf([JSON_TYPE, NAMED, OTHER]),
  ],
  'joined with one of the moment': [
    withHeaders(replyOf(type!), [['ratelimit', '"free";r=1;t=1']]),
    replyOf([JSON_TYPE, ['ratelimit', '"free";r=1;t=1']]),
  ],
  'behind one of the moment': [withHeaders(replyOf([JSON_TYPE]), named!), replyOf([JSON_TYPE, NAMED])],
}

let server: Server
let reply: Reply
beforeAll(async () => {
  server = await serveHttp({ host: '127.0.0.1', port: 0, log: quietLog, handler: () => reply })
})
afterAll(() => server?.close())

const headersOf = async (of: Reply) => {
  reply = of
  const answer = await fetch(`http://127.0.0.1:${server.port}/`, {
    headers: { 'x-request-id': 'the-same-one' },
  })
  expect(await answer.text()).toBe('{}')
  return [...answer.headers].filter(([name]) => name !== 'date').toSorted()
}

describe('a list of headers that is made once reads on the wire as the same list made anew', () => {
  test.each(Object.entries(REPLIES))('%s', async (_, [constant, fresh]) => {
    const wanted = await headersOf(fresh)
    expect(Object.fromEntries(wanted)).toMatchObject({
      'content-type': 'application/json',
      ...Object.fromEntries([STRICT]),
    })
    expect(await headersOf(constant)).toEqual(wanted)
    expect(constant.headers).toEqual(fresh.headers)
  })

  test('constant lists that are joined again are the same list: their bytes are made once', () => {
    const joined = () => withHeaders(replyOf(type!), named!).headers
    expect(joined()).toBe(joined())
    expect(joined()).not.toBe(withHeaders(replyOf(strict!), named!).headers)
  })
})
