import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { HttpRequest } from '../../../api/http/exchange.ts'
import { RATE_LIMITS } from '../../../api/http/limits.ts'
import { createRateLimit } from '../../../api/http/rateLimit.ts'
import { jsonReply } from '../../../api/http/respond.ts'
import { MESSAGE_MAX, RPC_ERROR } from '../../../api/mcp/codes.ts'
import { mcpRoute } from '../../../api/mcp/index.ts'
import { someFacts } from '../../support/facts.ts'
import { quietLog } from '../../support/ledger.ts'

const limit = { name: 'mcp', covers: '', burst: 2, perS: 1 } as const

/** A server whose limit is two calls, with the requests that reached the routes behind it. */
function server(status = 402) {
  const served: string[] = []
  const { handler } = mcpRoute({
    facts: someFacts(),
    origins: '',
    log: quietLog,
    isServed: () => true,
    rate: createRateLimit(limit, { nowMs: () => 0 }),
    serve(request) {
      served.push(request.rawQuery)
      return jsonReply(status, { ok: false, code: 'payment_required' })
    },
  })
  const post = async (json: unknown, headers: Record<string, string> = {}) => {
    const sent: Record<string, string> = { 'content-type': 'application/json', ...headers }
    const request = {
      method: 'POST',
      path: '/mcp',
      rawQuery: '',
      address: '192.0.2.1',
      header: (name: string) => sent[name] ?? '',
      headerCount: (name: string) => (name in sent ? 1 : 0),
      body: async () => (Buffer.isBuffer(json) ? json : Buffer.from(JSON.stringify(json))),
    } as HttpRequest
    return await handler(request)
  }
  return { post, served }
}

const call = (name: string, meta: object = {}, args: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, _meta: meta },
})
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

describe('8. a rate limit refuses no call that brings what pays', () => {
  test.each([
    ['a payment', call('ping', { 'x402/payment': {} }), {}],
    ['a pass', call('ping', { 'service/pass': 'pass_x' }), {}],
    ['store credit', call('ping', { 'service/credit-auth': 'x' }), {}],
    ['a pass of the connection', call('ping'), { 'x-service-pass': 'pass_x' }],
  ])('%s: served beyond the limit, and counted', async (_, message, headers) => {
    const { post, served } = server()
    for (let calls = 0; calls < 4; calls++) expect((await post(message, headers)).status).toBe(200)
    expect(served).toHaveLength(4)
    expect((await post(ping)).status).toBe(429)
  })

  test('RPL-18 beyond the limit what is said to pay and buys nothing is let through so often and no more', async () => {
    vi.useFakeTimers({ toFake: ['performance'] }) //  so that no failure is forgiven meanwhile
    onTestFinished(() => void vi.useRealTimers())
    const pays = { 'service/pass': 'x' }
    const told = async (status: number, junk: object = call('hour-pass', pays)) => {
      const { post } = server(status)
      const beyond = limit.burst + RATE_LIMITS.refused.burst + 100
      for (let calls = 0; calls < beyond; calls++) await post(junk)
      return (await post(junk)).status
    }
    expect(await told(402)).toBe(429)
    expect(await told(400)).toBe(429)
    expect(await told(403)).toBe(429) //  somebody else moved the money, and the payer's signature is missing
    expect(await told(200, call('sniff', pays, { q: 7 }))).toBe(429) //  a call that no GET can express
    expect(await told(200, call('sniff', { 'service/pass': 7 }))).toBe(429)
    expect(await told(200, { ...call('sniff'), params: { name: 'sniff', arguments: 7, _meta: pays } })).toBe(
      429,
    )
    expect(await told(200)).toBe(200)
    expect(await told(503)).toBe(200) //  a pending payment is retried
  })

  test.each([
    ['a call without a payment', call('ping')],
    ['a payment for what is free', call('list-services', { 'x402/payment': {} })],
    ['a payment for what is not there', call('nothing', { 'x402/payment': {} })],
    ['a payment that is no call', { ...call('ping', { 'x402/payment': {} }), method: 'tools/list' }],
    ['nothing to read', {}],
    ['no JSON', Buffer.from('{')],
    ['more values than are read', { ...ping, params: { a: Array(3_000).fill(0) } }],
    ['a batch', [ping, ping]],
    ['params of another shape', { ...ping, params: null }],
  ])('%s: 429 beyond the limit, with Retry-After', async (_, message) => {
    const { post, served } = server()
    const statuses: number[] = []
    for (let calls = 0; calls < 3; calls++) statuses.push((await post(message)).status)
    const refused = await post(message)
    expect([statuses[2], refused.status]).toEqual([429, 429])
    expect(refused.headers).toContainEqual(['retry-after', '1'])
    expect(served.length).toBeLessThanOrEqual(2)
  })
})

test('what could not be loaded at the first message, say because no file could be opened, is loaded at the next', async () => {
  vi.doMock('../../../api/mcp/protocol.ts', () => Promise.reject(new Error('EMFILE')))
  const { post } = server()
  await expect(post(ping)).rejects.toThrow()
  vi.doUnmock('../../../api/mcp/protocol.ts')
  expect((await post(ping)).status).toBe(200)
})

test('an argument that a URL would change is refused before it is paid for', async () => {
  const { post, served } = server()
  const { body } = await post(call('sniff', { 'x402/payment': {} }, { q: 'a\ud800' }))
  expect(JSON.parse(String(body)).result.structuredContent).toMatchObject({ code: 'invalid_parameter' })
  expect(served).toEqual([])
})

describe('design 4: what is read of a message before its caller can be refused has a bound', () => {
  const told = async (json: unknown) => {
    const { status, body } = await server().post(json)
    return [status, JSON.parse(String(body)).error?.code]
  }
  //  the message itself, four members of it, and params.a
  const withValues = (values: number) => ({ ...ping, params: { a: Array(values - 6).fill({}) } })

  test.each([
    ['as many values as are allowed', withValues(MESSAGE_MAX.values), [200, undefined]],
    ['one more', withValues(MESSAGE_MAX.values + 1), [400, RPC_ERROR.parse]],
    ['80,000', withValues(80_000), [400, RPC_ERROR.parse]],
    ['a long text in one value', { ...ping, params: { a: 'x,'.repeat(120_000) } }, [200, undefined]],
  ])('%s', async (_, json, answer) => {
    expect(await told(json)).toEqual(answer)
  })

  test.each([
    ['utf8', [200, undefined]],
    ['latin1', [400, RPC_ERROR.parse]],
  ] as const)('INP-13 an é in %s', async (encoding, answer) => {
    const text = JSON.stringify({ ...ping, params: { a: 'é' } })
    expect(await told(Buffer.from(text, encoding))).toEqual(answer)
  })
})
