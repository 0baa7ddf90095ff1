import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../api/settlement/rpcProxy.ts'
import { get, offerOf, paid, payment, rawRequest } from '../support/buyer.ts'
import { startTestChain, type TestChain } from '../support/chain.ts'
import { sleep } from '../support/process.ts'
import { exchangeRaw, headOf, openRaw, statusesOf } from '../support/rawHttp.ts'
import { watchCommands } from '../support/redis.ts'
import { type Service, startService } from '../support/service.ts'

const PING = '/x402/v1/ping'
const PRICE = 10_000n

let chain: TestChain
let service: Service
let base: string
let rpc: RpcProxy
let asked = 0 //  calls to the chain's node
beforeAll(async () => {
  chain = await startTestChain()
  rpc = await startRpcProxy(chain.rpcUrl)
  rpc.treat(() => {
    asked++
    return 'pass'
  })
  service = await startService({ chain: { ...chain, rpcUrl: rpc.url }, processes: 1 })
  base = service.bases[0]!
})
afterAll(async () => {
  await service?.stop()
  await rpc?.close()
  await chain?.stop()
})

const newPayment = async (nth = 0) => (await payment(await offerOf(base, PING), chain.buyers[nth]!)).header

/** Whatever became of the first request, the same payment sent again is answered, and both together cost one price. */
async function paysOnce(header: string, act: () => Promise<unknown>): Promise<void> {
  const before = await chain.balance(chain.receiver)
  await act()
  const answer = await get(`${base}${PING}`, paid(header))
  expect([answer.status, answer.json.ok]).toEqual([200, true])
  expect((await chain.balance(chain.receiver)) - before).toBe(PRICE)
}

describe('I1, I8 a paid request that goes wrong on the wire is charged at most once, and its answer can be had', () => {
  test.each([
    ['HTTP-02 an unknown transfer coding', 'transfer-encoding: xchunked\r\n', ''],
    ['HTTP-02 a negative length', 'content-length: -1\r\n', ''],
    ['HTTP-02 two lengths', 'content-length: 0\r\ncontent-length: 5\r\n', 'abcde'],
    ['HTTP-02 garbage after the head', '', '\u0000\u0001garbage\r\n\r\n'],
    ['HTTP-09 a body in chunks', 'transfer-encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'],
  ])('%s', async (_, lines, body) => {
    const header = await newPayment()
    const head = headOf(PING, paid(header)).replace(/\r\n$/, `${lines}\r\n`)
    await paysOnce(header, () => exchangeRaw(base, head + body))
  })

  test.each([
    [
      'two transfer codings, the first empty',
      'transfer-encoding:\r\ntransfer-encoding: chunked\r\n',
      '0\r\n\r\n',
    ],
    ['two lengths, the first empty', 'content-length:\r\ncontent-length: 5\r\n', 'abcde'],
  ])('HTTP-09 %s: refused before anything is charged', async (_, lines, body) => {
    const before = await chain.balance(chain.receiver)
    const head = headOf(PING, paid(await newPayment(1))).replace(/\r\n$/, `${lines}\r\n`)
    expect(await exchangeRaw(base, head + body)).toMatch(/^HTTP\/1\.1 400 /)
    expect(await chain.balance(chain.receiver)).toBe(before)
  })

  test.each([0, 5, 20, 80])('HTTP-03 half closed after %d ms', async (ms) => {
    const header = await newPayment()
    await paysOnce(header, async () => {
      const { socket, closed } = await openRaw(base)
      socket.write(headOf(PING, paid(header)))
      await sleep(ms)
      socket.end()
      await closed
    })
  })

  test.each([0, 5, 20, 80])('HTTP-04 another request on the connection after %d ms', async (ms) => {
    const header = await newPayment()
    await paysOnce(header, async () => {
      const { socket, closed } = await openRaw(base)
      socket.write(headOf(PING, paid(header)))
      await sleep(ms)
      socket.write(headOf('/x402/v1/spread'))
      await sleep(50)
      socket.destroy()
      await closed
    })
  })

  test.each([0, 5, 20, 80])(
    'HTTP-05, HTTP-15 reset after %d ms, and sent again at once by a proxy',
    async (ms) => {
      const header = await newPayment()
      await paysOnce(header, async () => {
        const { socket, closed } = await openRaw(base)
        socket.write(headOf(PING, paid(header)))
        await sleep(ms)
        socket.resetAndDestroy()
        await closed
        await Promise.all([get(`${base}${PING}`, paid(header)), get(`${base}${PING}`, paid(header))])
      })
    },
  )

  test('HTTP-01 a payment in a head of 30 KB', async () => {
    const header = await newPayment()
    await paysOnce(header, () =>
      rawRequest(base, { path: PING, headers: { ...paid(header), 'x-padding': 'x'.repeat(26_000) } }),
    )
  })
})

describe('HTTP-11 a query that can be read in two ways is refused; nothing is charged', () => {
  const QUERIES = [
    'echo=a&echo=b',
    'echo=a&%65cho=b',
    'echo=%zz',
    'echo=%',
    'echo=%00',
    'echo=%c0%af',
    'echo=%ed%a0%80',
    'echo=caf\u00e9', //  each of these is sent as one byte, and is no UTF-8
    'echo=\u00c0\u00af',
    'caf\u00e9=a',
    '=a',
  ]

  test('one payment, all of them, and then a good one', async () => {
    const header = await newPayment(1)
    const before = await chain.balance(chain.receiver)
    for (const query of QUERIES) {
      const answer = await rawRequest(base, { path: `${PING}?${query}`, headers: paid(header) })
      expect([query, answer.status, answer.json.code]).toEqual([query, 400, 'malformed_request'])
    }
    expect(await chain.balance(chain.receiver)).toBe(before)
    expect((await get(`${base}${PING}?echo=a%2Bb+c`, paid(header))).json.result.ping.echo).toBe('a+b c')
  })
})

describe('HTTP-12 what a payment is bound to is what is answered: both read the query once', () => {
  test.each([
    ['echo=%2541', '%41', 'echo=%41'],
    ['echo=a%26q%3db', 'a&q=b', 'echo=a&q=b'],
    ['echo=a%2525', 'a%25', 'echo=a%25'],
  ])('%s is %j, and is not %s', async (query, echo, other) => {
    const header = await newPayment(3)
    const ask = (as: string) => rawRequest(base, { path: `${PING}?${as}`, headers: paid(header) })
    const before = await chain.balance(chain.receiver)
    const first = await ask(query)
    expect([first.status, first.json.result.ping.echo]).toEqual([200, echo])
    expect((await ask(query.replace('echo', '%65cho'))).text).toBe(first.text)
    const second = await ask(other)
    expect([second.status, second.json.code]).toEqual([409, 'bound_elsewhere'])
    expect((await chain.balance(chain.receiver)) - before).toBe(PRICE)
  })
})

describe('HTTP-14 nothing on a paid path is kept by a cache', () => {
  test.each([
    ['unpaid', async () => ({}), 402],
    ['paid', async () => paid(await newPayment()), 200],
    ['paid, part of it', async () => ({ ...paid(await newPayment()), range: 'bytes=0-9' }), 200],
    ['paid, if changed', async () => ({ ...paid(await newPayment()), 'if-none-match': '*' }), 200],
    ['refused', async () => paid('x'), 400],
  ] as const)('%s', async (_, headers, status) => {
    const answer = await get(`${base}${PING}`, await headers())
    expect(answer.status).toBe(status)
    expect(answer.header('cache-control')).toBe('private, no-store')
    expect(answer.header('vary')).toBe('payment-signature, x-payment, x-service-pass, x-service-credit-auth')
    expect(answer.header('etag')).toBeNull()
    expect(answer.json.ok).toBe(status === 200)
  })

  test('HTTP-13 what is echoed stays in the body', async () => {
    const header = await newPayment()
    const answer = await exchangeRaw(
      base,
      headOf(`${PING}?echo=%0d%0aset-cookie:%20a%3Db`, paid(header)),
      1_500,
    )
    expect(statusesOf(answer)).toEqual([200])
    expect(answer.split('\r\n\r\n')[0]).not.toContain('set-cookie')
  })
})

describe('HTTP-17 an unpaid 402 is made here', () => {
  test('2,000 of them, 64 at a time: no store and no chain is asked', async () => {
    const stores = await Promise.all(
      [service.redis, service.ledgerRedis].map(({ url }) => watchCommands(url)),
    )
    asked = 0
    const CALLS = 2_000
    let called = 0
    const askAgain = async () => {
      while (called < CALLS) expect((await get(`${base}${PING}?echo=${called++}`)).status).toBe(402)
    }
    await Promise.all(Array.from({ length: 64 }, askAgain))
    //  the background work of process and worker goes on
    for (const store of stores) expect(store.commands().split('\r\n').length).toBeLessThan(CALLS / 4)
    expect(asked).toBeLessThan(CALLS / 4)
    for (const store of stores) store.stop()
  })
})

describe('8. limits as they are configured', () => {
  test('HTTP-17 beyond FREE_RATE_PER_S an address gets 429 for what is free, and can still buy', async () => {
    const header = await newPayment(2)
    await service.restartApi(0, { FREE_RATE_PER_S: '20' })
    const flood = await Promise.all(Array.from({ length: 200 }, () => get(`${base}${PING}`)))
    const statuses = new Set(flood.map(({ status }) => status))
    expect(statuses).toEqual(new Set([402, 429]))
    const refused = flood.find(({ status }) => status === 429)!
    expect(refused.json).toMatchObject({ ok: false, code: 'rate_limited', retryable: true })
    expect(refused.header('retry-after')).toBe('1')
    expect(refused.header('ratelimit-policy')).toBe('"unpaid";q=20;w=1')
    expect((await get(`${base}${PING}`, paid(header))).status).toBe(200)
    const documents = await Promise.all(Array.from({ length: 200 }, () => get(`${base}/robots.txt`)))
    expect(new Set(documents.map(({ status }) => status))).toEqual(new Set([200, 429]))
  })

  test('a WebSocket is opened within the limit of everything free', async () => {
    const upgrade = headOf('/api/v1/stream', {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    })
    await service.restartApi(0, { FREE_RATE_PER_S: '20' })
    const answers = await Promise.all(Array.from({ length: 200 }, () => exchangeRaw(base, upgrade)))
    expect(new Set(answers.flatMap(statusesOf))).toEqual(new Set([101, 429]))
    const refused = answers.find((answer) => statusesOf(answer).includes(429))!
    expect(refused).toContain('"code":"rate_limited"')
    expect(refused.toLowerCase()).toContain('ratelimit-policy: "free";q=20;w=1')
  })
})
