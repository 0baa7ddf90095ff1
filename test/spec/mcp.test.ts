import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js'
import { validateDiscoveryExtension, validateDiscoveryExtensionSpec } from '@x402/extensions/bazaar'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GOODS } from '../../api/goods/index.ts'
import { MCP_VERSION } from '../../api/mcp/codes.ts'
import { formatUsdc } from '../../ops/units.ts'
import { someGap, someSnapshot } from '../support/boards.ts'
import { get, headerOf, paid, rawRequest } from '../support/buyer.ts'
import { startTestChain, type TestChain } from '../support/chain.ts'
import { buyTool, callTool, connectMcp, type McpClient, requiredOf, wallet } from '../support/mcp.ts'
import { type Service, startService } from '../support/service.ts'

const PUBLIC_URL = 'http://127.0.0.1:8402'

let chain: TestChain
let service: Service
let client: McpClient
let other: McpClient
let tools: Awaited<ReturnType<McpClient['listTools']>>['tools']
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 2 })
  ;[client, other] = (await Promise.all(service.bases.map((base) => connectMcp(base)))) as [
    McpClient,
    McpClient,
  ]
  tools = (await client.listTools()).tools //  from here on the client holds each result against its schema
})
afterAll(async () => {
  await Promise.all([client?.close(), other?.close()])
  await service?.stop()
  await chain?.stop()
})

const buyer = (nth = 0) => wallet(chain.buyers[nth]!.privateKey)
const received = () => chain.balance(chain.receiver)

/** Does an act. @returns its result, and the micro-USDC that our receiver got meanwhile. */
async function charged<T>(act: () => Promise<T>): Promise<{ done: T; micro: bigint }> {
  const before = await received()
  const done = await act()
  return { done, micro: (await received()) - before }
}

test('the revision of MCP that is published is the one that is spoken', () => {
  expect(MCP_VERSION).toBe(LATEST_PROTOCOL_VERSION)
})

describe('5. every read on /x402/v1 is a tool, made of its record', () => {
  test.each(GOODS)('$path: name, price, arguments, examples', (good) => {
    const tool = tools.find(({ name }) => `/x402/v1/${name}` === good.path)!
    expect(tool.description).toContain(`Paid: $${formatUsdc(good.priceMicroUsdc)} USDC via x402`)
    const names = [
      ...good.parameters.map(({ name }) => name),
      ...(good.payload === undefined ? [] : ['payload']),
    ]
    expect(Object.keys(tool.inputSchema.properties ?? {})).toEqual(names)
    const required = good.parameters.filter((parameter) => parameter.required).map(({ name }) => name)
    expect(tool.inputSchema.required ?? []).toEqual(required)
    const [example] = tool._meta!.examples as Record<string, string>[]
    expect(new Ajv2020({ strict: false }).validate(tool.inputSchema, example)).toBe(true)
    expect(good.input.safeParse(example).success || good.payload !== undefined).toBe(true)
  })

  test.each<[string, Record<string, unknown>, boolean]>([
    ['match', { q: 'fed' }, true],
    ['match', {}, false],
    ['match', { q: '' }, false],
    ['match', { q: ' \t\n' }, false],
    ['match', { q: 'x'.repeat(8_193) }, false],
    ['spread', { q: '' }, true], // the same as none
    ['sniff', { q: '\u00a0' }, false],
    ['json', { q: '' }, false],
    ['scan', { raw: '' }, false],
    ['dns', { q: '' }, false],
    ['dns', { q: `http://example.com/${'x'.repeat(2_030)}` }, false],
    ['dns', { q: `http://example.com/${'x'.repeat(2_029)}` }, true],
  ])('%s takes what its schema takes: %j', async (name, args, isTaken) => {
    const tool = tools.find((each) => each.name === name)!
    expect(new Ajv2020({ strict: false }).validate(tool.inputSchema, args)).toBe(isTaken)
    const good = GOODS.find(({ path }) => path === `/x402/v1/${name}`)!
    expect(good.input.safeParse(args).success).toBe(isTaken)
  })

  test('free tools beside them, and nothing else; every name is one that models accept', () => {
    const free = tools.filter(({ description }) => description!.endsWith(' Free.')).map(({ name }) => name)
    expect(free.sort()).toEqual(
      ['alpha-preview', 'list-services', 'surface-audit', 'venue-wire-gaps', 'verify-receipt'].sort(),
    )
    expect(tools).toHaveLength(GOODS.length + free.length)
    for (const { name } of tools) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  })

  test('the server says who it is and how to pay', () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'agent-micro-data', title: 'Agent micro-data' })
    expect(client.getInstructions()).toContain('_meta["x402/payment"]')
    expect(client.getInstructions()).toContain('Mode: sandbox')
  })

  test('what answers call a header has its key of _meta named', () => {
    for (const [header, key] of [
      ['payment-signature', 'x402/payment'],
      ['x-service-pass', 'service/pass'],
      ['x-agent-id', 'service/agent-id'],
      ['x-service-credit-auth', 'service/credit-auth'],
      ['x-service-claim-code', 'service/claim-code'],
      ['idempotency-key', 'service/idempotency-key'],
      ['x-service-payer-signature', 'service/payer-signature'],
    ])
      expect(client.getInstructions()).toContain(`${header} is ${key}`)
  })
})

describe('x402 MCP transport: unpaid', () => {
  test.each(GOODS.map(({ path }) => path.slice('/x402/v1/'.length)))(
    '%s asks for its price, in both places',
    async (name) => {
      const called = await callTool(client, name)
      expect(called.isError).toBe(true)
      expect(JSON.parse(called.text)).toEqual(called.json)
      const required = requiredOf(called)
      const good = GOODS.find(({ path }) => path === `/x402/v1/${name}`)!
      expect(required.accepts).toMatchObject([
        { amount: good.priceMicroUsdc.toString(), payTo: chain.receiver },
      ])
      expect(required.resource.url).toBe(`${PUBLIC_URL}/mcp`)
      const { bazaar } = required.extensions as { bazaar: Parameters<typeof validateDiscoveryExtension>[0] }
      expect(validateDiscoveryExtension(bazaar)).toEqual({ valid: true })
      expect(validateDiscoveryExtensionSpec(bazaar as never)).toEqual({ valid: true })
      expect(bazaar.info.input).toMatchObject({ type: 'mcp', toolName: name, transport: 'streamable-http' })
    },
  )

  test('it says what to do next here, not over HTTP', async () => {
    const { content } = await callTool(client, 'ping')
    expect(content.slice(1).map(({ text }) => text)).toEqual([
      'Sign one of accepts[] and call this tool again with the PaymentPayload in _meta["x402/payment"].',
    ])
  })

  test('the price comes before the arguments are looked at', async () => {
    for (const args of [{}, { q: 7 }, { q: '' }])
      expect(requiredOf(await callTool(client, 'match', args)).error).toBe('Payment required')
  })

  test('what it asks is what HTTP asks', async () => {
    const http = await get(`${service.bases[0]}/x402/v1/spread`)
    const header = JSON.parse(Buffer.from(http.header('payment-required')!, 'base64').toString())
    const [accepted] = requiredOf(await callTool(client, 'spread')).accepts
    const { redemption: _, ...extra } = accepted!.extra
    const { redemption: __, ...headerExtra } = header.accepts[0].extra
    expect({ ...accepted, extra }).toEqual({ ...header.accepts[0], extra: headerExtra })
  })
})

describe('x402 MCP transport: paid', () => {
  test('a stock client buys: one charge, the answer, the settlement, a receipt that verifies', async () => {
    const { done, micro } = await charged(() => buyTool(client, buyer(), 'ping', { echo: 'hello' }))
    expect(micro).toBe(10_000n)
    expect(done.isError).toBe(false)
    expect(done.json.result.ping).toMatchObject({
      ok: true,
      echo: 'hello',
      txHash: done.settled!.transaction,
    })
    expect(JSON.parse(done.text)).toEqual(done.json)
    expect(done.settled).toMatchObject({
      success: true,
      network: 'eip155:8453',
      payer: chain.buyers[0]!.address.toLowerCase(),
    })
    const { attestationId } = done.json.result.paymentAttestation
    const verified = await callTool(other, 'verify-receipt', { id: attestationId })
    expect([verified.isError, verified.json.valid]).toEqual([false, true])
  })

  test('a lost reply: the same payment again, at the other process and over HTTP, is the same text and no charge', async () => {
    const first = await buyTool(client, buyer(), 'ping', { echo: 'lost & found' })
    const { done, micro } = await charged(async () => [
      await callTool(other, 'ping', { echo: 'lost & found' }, { 'x402/payment': first.payment }),
      await callTool(client, 'ping', { echo: 'lost & found' }, { 'x402/payment': first.payment }),
    ])
    expect(micro).toBe(0n)
    for (const again of done) expect(again).toMatchObject({ text: first.text, settled: first.settled })
    const http = await get(
      `${service.bases[1]}/x402/v1/ping?echo=lost+%26+found`,
      paid(headerOf(first.payment)),
    )
    expect([http.status, http.text]).toEqual([200, first.text])
  })

  test('one payment at both processes at once is charged once, and both get the answer', async () => {
    const payment = await buyer().createPaymentPayload(requiredOf(await callTool(client, 'spread')))
    const { done, micro } = await charged(() =>
      Promise.all(
        [client, other, client, other].map((each) =>
          callTool(each, 'spread', {}, { 'x402/payment': payment }),
        ),
      ),
    )
    expect(micro).toBe(1_000n)
    expect(new Set(done.map(({ text }) => text)).size).toBe(1)
    expect(done.every(({ isError }) => !isError)).toBe(true)
  })

  test('the same payment for other arguments or another tool is refused, and not asked for again', async () => {
    const first = await buyTool(client, buyer(), 'spread', { q: 'fed' })
    for (const [name, args] of [
      ['spread', { q: 'rate' }],
      ['net', { q: 'fed' }],
    ] as const) {
      const called = await callTool(client, name, args, { 'x402/payment': first.payment })
      expect([called.isError, called.json.code]).toEqual([true, 'bound_elsewhere'])
      expect(called.json.accepts).toBeUndefined()
    }
  })

  test.each<[string, string, Record<string, unknown>, string]>([
    ['missing', 'match', {}, 'invalid_parameter'],
    ['too long', 'ping', { echo: 'x'.repeat(257) }, 'invalid_parameter'],
    ['no string', 'ping', { echo: { deep: 1 } }, 'invalid_parameter'],
    ['NUL', 'ping', { echo: '\0' }, 'malformed_request'],
  ])(
    'an argument that is %s: refused, nothing charged, and the payment is still good',
    async (_, name, args, code) => {
      const payment = await buyer(1).createPaymentPayload(requiredOf(await callTool(client, name)))
      const { done, micro } = await charged(() => callTool(client, name, args, { 'x402/payment': payment }))
      expect([done.isError, done.json.code, micro]).toEqual([true, code, 0n])
      const again = await callTool(client, name, { q: 'fed', echo: 'x' }, { 'x402/payment': payment })
      expect(again.isError).toBe(false)
    },
  )

  test.each<[string, (payment: never) => unknown, string]>([
    ['no payload at all', () => ({}), 'unsupported_payment'],
    ['a text', () => 'pay', 'unsupported_payment'],
    ['version 1', (payment) => ({ ...(payment as object), x402Version: 1 }), 'unsupported_payment'],
    [
      'another amount',
      (payment: { accepted: object }) => ({ ...payment, accepted: { ...payment.accepted, amount: '1' } }),
      'offer_mismatch',
    ],
  ] as [string, (payment: never) => unknown, string][])(
    'a payment that is %s: PaymentRequired with the reason, nothing charged',
    async (_, change, reason) => {
      const payment = await buyer().createPaymentPayload(requiredOf(await callTool(client, 'ping')))
      const { done, micro } = await charged(() =>
        callTool(client, 'ping', {}, { 'x402/payment': change(payment as never) }),
      )
      expect(micro).toBe(0n)
      expect(requiredOf(done).error).toContain(reason)
    },
  )

  test('a payer without money: PaymentRequired with the reason, and no answer', async () => {
    const poor = wallet(`0x${'17'.repeat(32)}`)
    const { done, micro } = await charged(() => buyTool(client, poor, 'ping', { echo: 'secret echo' }))
    expect(micro).toBe(0n)
    expect(requiredOf(done).error).toBe('insufficient_funds')
    expect(JSON.stringify(done)).not.toContain('secret echo')
  })
})

describe('passes and credit pay for tools as they do over HTTP', () => {
  test('an hour pass bought as a tool pays by _meta, and by the header of the connection', async () => {
    const { json } = await buyTool(client, buyer(2), 'hour-pass')
    const token: string = json.result.token
    const by = await callTool(other, 'ping', { echo: 'by pass' }, { 'service/pass': token })
    expect([by.isError, by.json.protocol, by.json.pass.callsRemaining]).toEqual([false, 'hour-pass', 599])
    const passHolder = await connectMcp(service.bases[1]!, { 'x-service-pass': token })
    const next = await callTool(passHolder, 'spread')
    expect([next.isError, next.json.pass.callsRemaining]).toEqual([false, 598])
    expect(requiredOf(await callTool(passHolder, 'credits-2')).error).toBe('pass_not_covering')
    const { micro } = await charged(() => buyTool(passHolder, buyer(2), 'credits-2')) //  a payment beats the header
    expect(micro).toBe(2_000_000n)
    await passHolder.close()
  })

  test('two instruments in one call: refused, neither is used', async () => {
    const payment = await buyer().createPaymentPayload(requiredOf(await callTool(client, 'ping')))
    const meta = { 'x402/payment': payment, 'service/pass': `pass_${'A'.repeat(43)}` }
    const { done, micro } = await charged(() => callTool(client, 'ping', {}, meta))
    expect([done.json.code, micro]).toEqual(['two_payments', 0n])
    expect(() => requiredOf(done)).toThrow() //  else a client that pays by itself would sign another
  })

  test('credit: bought with its secret, spent with agent id and secret', async () => {
    const holder = {
      'service/agent-id': 'mcp-agent',
      'service/credit-auth': 'a-secret-of-this-agent-0123456789',
    }
    const payment = await buyer(3).createPaymentPayload(requiredOf(await callTool(client, 'credits-2')))
    const bought = await callTool(client, 'credits-2', {}, { ...holder, 'x402/payment': payment })
    expect(bought.isError).toBe(false)
    const spent = await callTool(other, 'ping', {}, { ...holder, 'service/idempotency-key': 'one' })
    expect([spent.isError, spent.json.protocol]).toEqual([false, 'store-credit'])
    const again = await callTool(client, 'ping', {}, { ...holder, 'service/idempotency-key': 'one' })
    expect(again.text).toBe(spent.text)
  })
})

describe('design 4: what cannot be answered now is not sold', () => {
  test('old data: a problem that says when to come back, nothing charged, and the payment is still good', async () => {
    const payment = await buyer(4).createPaymentPayload(requiredOf(await callTool(client, 'spread')))
    const old = { a: Date.now(), b: Date.now() - 7_200_000 }
    await service.publish(someSnapshot([someGap()], { version: 2, asOfMs: old }))
    const ask = () => callTool(client, 'spread', {}, { 'x402/payment': payment })
    const { micro } = await charged(() => expect.poll(async () => (await ask()).json.code).toBe('stale_data'))
    expect(micro).toBe(0n)
    expect((await ask()).json).toMatchObject({ ok: false, retryable: true, retryAfterS: expect.any(Number) })
    await service.publish(someSnapshot([someGap()], { version: 3 }))
    await expect.poll(async () => (await ask()).isError).toBe(false)
  })
})

describe('free tools', () => {
  test.each(['list-services', 'venue-wire-gaps', 'alpha-preview', 'surface-audit'])('%s', async (name) => {
    const called = await callTool(client, name)
    expect(called.isError).toBe(false)
    expect(called.json).toEqual(JSON.parse(called.text))
  })

  test('verify-receipt says what is wrong with its arguments, and that a stranger’s receipt is not ours', async () => {
    expect(await callTool(client, 'verify-receipt', { id: 7 })).toMatchObject({
      isError: true,
      json: { code: 'invalid_parameter' },
    })
    expect((await callTool(client, 'verify-receipt', { id: 'A'.repeat(22) })).json.valid).toBe(false)
  })

  test('error: a tool that does not exist', async () => {
    await expect(callTool(client, 'nothing')).rejects.toThrow(/no such tool/)
  })
})

describe('MCP: what a caller may send', () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    rawRequest(service.bases[0]!, {
      path: '/mcp',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body,
    })
  const message = (method: string, params: object = {}) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

  test('every call stands for itself: no session, no initialize needed, any process', async () => {
    const listed = await post(message('tools/list'))
    expect([listed.status, listed.json.result.tools.length]).toEqual([200, tools.length])
    expect(listed.header('mcp-session-id')).toBeNull()
    expect((await post(message('tools/list'), { accept: 'application/json' })).status).toBe(200)
  })

  test.each<[string, string, number, number]>([
    ['no JSON', '{', 400, -32700],
    ['a key twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, -32700],
    [
      'nested 100 deep',
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`,
      400,
      -32700,
    ],
    ['nested 100,000 deep', '['.repeat(100_000), 400, -32700],
    ['a batch', `[${message('ping')}]`, 400, -32600],
    ['null', 'null', 400, -32600],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
    ['no version', '{"id":1,"method":"ping"}', 400, -32600],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
    ['a method that is no text', '{"jsonrpc":"2.0","id":1,"method":7}', 400, -32600],
    ['neither method nor answer', '{"jsonrpc":"2.0","id":1}', 400, -32600],
    [
      '256 KiB and more',
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(256 * 1024) }),
      413,
      -32600,
    ],
  ])('error: %s', async (_, body, status, code) => {
    const answer = await post(body)
    expect([answer.status, answer.json.error.code]).toEqual([status, code])
    expect((await post(message('ping'))).status).toBe(200)
  })

  test.each([
    ['tools/call', {}, 'params.name: '],
    ['tools/call', { name: 7 }, 'params.name: '],
    ['tools/call', { name: 'ping', arguments: [] }, 'params.arguments: '],
    ['tools/call', { name: 'ping', arguments: null }, 'params.arguments: '],
    ['tools/list', { cursor: 7 }, 'params.cursor: '],
    ['initialize', { capabilities: {}, clientInfo: { name: 'x', version: '1' } }, 'params.protocolVersion: '],
  ])('error: %s with %j names what is wrong', async (method, params, words) => {
    const { status, json } = await post(JSON.stringify({ jsonrpc: '2.0', id: 'mine', method, params }))
    expect([status, json.id, json.error.code]).toEqual([200, 'mine', -32602])
    expect(json.error.message).toMatch(new RegExp(`^${words}`))
  })

  test('error: a method or a protocol version that we do not know', async () => {
    expect((await post(message('resources/list'))).json.error.code).toBe(-32601)
    expect((await post(message('tools/list'), { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400)
    expect((await post(message('tools/list'), { 'content-type': 'text/plain' })).status).toBe(415)
  })

  test.each(['x-agent-id', 'X-Service-Pass', 'X-Service-Credit-Auth'])(
    'CRD-06 %s of the connection twice: refused, whichever would pay or be named',
    async (name) => {
      const twice = { [name]: ['one', 'two'] } as never
      const answer = await post(message('tools/call', { name: 'ping' }), twice)
      expect([answer.status, answer.json.error?.code]).toEqual([400, -32600])
      expect(answer.json.error.message).toContain(name.toLowerCase())
      expect((await post(message('ping'), { [name]: 'one' })).status).toBe(200)
    },
  )

  test('a notification is taken and not answered', async () => {
    const answer = await post('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    expect([answer.status, answer.text]).toEqual([202, ''])
  })

  test.each(['GET', 'DELETE', 'PUT'])(
    '%s /mcp: 405, as there are no streams and no sessions',
    async (method) => {
      const answer = await rawRequest(service.bases[0]!, {
        path: '/mcp',
        method,
        headers: { accept: 'text/event-stream' },
      })
      expect([answer.status, answer.header('allow')]).toEqual([405, 'POST, OPTIONS'])
    },
  )

  test.each([
    ['http://evil.example', 403],
    ['null', 403],
    ['http://127.0.0.1.evil.example', 403],
    ['http://localhost:6274', 200],
    [PUBLIC_URL, 200],
  ])('DNS rebinding: Origin %s is answered with %d', async (origin, status) => {
    expect((await post(message('ping'), { origin })).status).toBe(status)
  })
})
