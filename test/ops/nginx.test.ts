import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { MAX_HEAD_BYTES } from '../../api/http/server.ts'
import { MESSAGE_MAX } from '../../api/mcp/codes.ts'
import { STYLE } from '../../api/pages/shell.ts'
import { PLACES } from '../../api/storefront/places.ts'
import { listen } from '../../ops/listen.ts'
import { snapshotOf, someCard } from '../support/boards.ts'
import { get, offerOf, paid, payment, rawRequest } from '../support/buyer.ts'
import { startTestChain, type TestChain } from '../support/chain.ts'
import { FEED, someEvent, tell } from '../support/feed.ts'
import { readSocket, readSse } from '../support/feedReaders.ts'
import { isAbsent, type Nginx, portOf, shipped, startProxy } from '../support/nginx.ts'
import { freePort } from '../support/ports.ts'
import { isStopped, sleep, until } from '../support/process.ts'
import { exchangeRaw, openRaw, statusesOf } from '../support/rawHttp.ts'
import { type Service, startService } from '../support/service.ts'

describe('HTTP-10 ops/image/nginx.conf leaves to the api what the api refuses in words', () => {
  test('a head somewhat longer than it reads', () => {
    const [, kib] = /large_client_header_buffers \d+ (\d+)k;/.exec(shipped)!
    expect(Number(kib) * 1024).toBeGreaterThan(MAX_HEAD_BYTES)
  })

  test('and writes nothing down that was asked', () => {
    expect(shipped).toMatch(/^ {2}access_log off;$/m)
    expect(shipped).toMatch(/^ {2}error_log \S+ crit;$/m)
  })
})

describe.skipIf(isAbsent !== null)(`HTTP-10 the shipped proxy before a real api ${isAbsent ?? ''}`, () => {
  let chain: TestChain
  let service: Service
  let redis: Redis
  let proxy: Nginx
  beforeAll(async () => {
    chain = await startTestChain()
    service = await startService({ chain, env: { TRUSTED_PROXIES: '127.0.0.1' } })
    redis = new Redis(service.redis.url.replace(/^unix:/, ''))
    await service.publish(snapshotOf('gapCards', { cards: [someCard()], unqualified: {} }))
    proxy = await startProxy([portOf(service.bases[0]!)])
  })
  afterAll(async () => {
    await proxy?.stop()
    redis?.disconnect()
    await service?.stop()
    await chain?.stop()
  })

  const buy = async (path: string) => {
    const { header } = await payment(await offerOf(proxy.base, path), chain.buyers[0]!)
    const bought = await until('bought', async () => {
      const answer = await get(`${proxy.base}${path}`, paid(header))
      return answer.status === 503 ? null : answer
    })
    return { bought, header }
  }

  test('sells: the offer comes whole, the payment goes whole, and so does the receipt', async () => {
    const { bought, header } = await buy('/x402/v1/ping')
    expect([bought.status, bought.header('payment-response')]).toEqual([200, expect.stringMatching(/.{100}/)])
    const again = await get(`${service.bases[0]}/x402/v1/ping`, paid(header))
    expect(again.text).toBe(bought.text)
  })

  test.each([
    '/x402/v1/ping/',
    '//x402/v1/ping',
    '/x402/v1/%70ing',
    '/x402/v1/ping;',
    '/X402/v1/ping',
    '/x402/v1/../v1/ping',
    '/x402/v1/%2e%2e/v1/ping',
    '/x402/v1/ping%2f',
    '/readyz',
    '/metrics',
  ])('%s opens nothing that the api does not open', async (path) => {
    const there = await rawRequest(service.bases[0]!, { path })
    const behind = await rawRequest(proxy.base, { path })
    expect([behind.status, behind.json]).toEqual([404, there.json])
  })

  test('a long head and a long body are refused by the api, in words', async () => {
    const head = await rawRequest(proxy.base, {
      path: '/x402/v1/ping',
      headers: paid('A'.repeat(MAX_HEAD_BYTES - 2_048)),
    })
    expect([head.status, head.json.code]).toEqual([400, 'malformed_payment'])
    const body = await rawRequest(proxy.base, { path: '/quote', method: 'POST', body: 'A'.repeat(900_000) })
    expect([body.status, body.json.code]).toEqual([413, 'body_too_large'])
  })

  test('a body without end takes nothing away from others', async () => {
    const long = { path: '/quote', method: 'POST', body: 'A'.repeat(1_500_000) }
    await rawRequest(proxy.base, long).catch(() => {}) //  the connection may end while the body is sent
    expect((await get(`${proxy.base}/x402/v1/ping`)).status).toBe(402)
    expect(proxy.complaints()).not.toMatch(/upstream/)
  })

  test('HTTP-15 a proxy of another make that asks a second process when one stands still: one price, one answer', async () => {
    await service.restartApi(1, { FAULT_POINT: 'CP3:stop' })
    const eager = await startProxy(service.bases.map(portOf), (text) =>
      text
        .replace('proxy_read_timeout 75s', 'proxy_read_timeout 3s')
        .replace('proxy_next_upstream error', 'proxy_next_upstream error timeout'),
    )
    onTestFinished(eager.stop)
    const path = '/x402/v1/ping?echo=eager'
    const [before, { header }] = [
      await chain.balance(chain.receiver),
      await payment(await offerOf(service.bases[0]!, path), chain.buyers[1]!),
    ]
    //  nginx takes turns: the first process got the check that the proxy is up
    const asked = get(`${eager.base}${path}`, paid(header))
    await until('it stands still', () => isStopped(service.apis[1]!.pid))
    const statuses = [(await asked).status]
    const answer = await until('answered', async () => {
      const again = await get(`${eager.base}${path}`, paid(header))
      statuses.push(again.status)
      return again.status === 200 ? again : null
    })
    expect(statuses.filter((status) => ![200, 409, 503, 504].includes(status))).toEqual([])
    process.kill(service.apis[1]!.pid, 'SIGCONT') //  it goes on with the same payment, though nobody waits for it
    const later = await get(`${service.bases[1]}${path}`, paid(header))
    expect([later.status, later.text]).toEqual([200, answer.text])
    expect((await chain.balance(chain.receiver)) - before).toBe(10_000n)
  })

  test('a long text that is the same for everybody comes compressed to who takes that, and its tag is known again', async () => {
    const paths = [...Object.values(PLACES).map(({ path }) => path), '/live.json', STYLE.path]
    const long: string[] = []
    for (const path of new Set(paths)) {
      const whole = await rawRequest(service.bases[0]!, { path, headers: { accept: 'text/html' } })
      if (whole.status !== 200 || whole.text.length < 10_000) continue
      long.push(path)
      const asking = { accept: 'text/html', 'accept-encoding': 'gzip' }
      const packed = await fetch(`${proxy.base}${path}`, { headers: asking })
      expect([path, packed.headers.get('content-encoding')]).toEqual([path, 'gzip'])
      expect(packed.headers.get('vary')).toMatch(/accept-encoding/i)
      expect(await packed.text()).toBe(whole.text) //  the client has unpacked it
      const tag = packed.headers.get('etag')!
      const again = await rawRequest(proxy.base, { path, headers: { ...asking, 'if-none-match': tag } })
      expect([path, again.status, again.text]).toEqual([path, 304, ''])
      const plain = await rawRequest(proxy.base, { path, headers: { accept: 'text/html' } })
      expect([path, plain.header('content-encoding'), plain.text]).toEqual([path, null, whole.text])
    }
    expect(long).toContain('/openapi.json')
  })

  test('what is sold, refused or signed for one buyer is never compressed', async () => {
    const { bought, header } = await buy('/x402/v1/ping?echo=packed')
    const id = bought.json.result.paymentAttestation.attestationId
    const asking = { accept: 'text/html', 'accept-encoding': 'gzip' }
    for (const [path, headers] of [
      ['/x402/v1/ping?echo=packed', paid(header)],
      ['/x402/v1/ping?echo=packed', {}],
      [`/receipts/${id}`, {}],
      ['/receipts/none', {}],
      ['/checkout/none', {}],
    ] as const) {
      const answer = await rawRequest(proxy.base, { path, headers: { ...asking, ...headers } })
      const direct = await rawRequest(service.bases[0]!, {
        path,
        headers: { accept: 'text/html', ...headers },
      })
      expect([path, answer.status, answer.header('content-encoding')]).toEqual([path, direct.status, null])
      expect(answer.header('etag')).toBe(direct.header('etag'))
    }
  })

  test('events come as they happen, by server-sent events and by WebSocket', async () => {
    const { bought } = await buy('/x402/v1/bot-fuel-day')
    const token = { 'x-service-feed-token': bought.json.result.feedAccess.feedToken }
    const sse = await readSse(`${proxy.base}${FEED}`, token)
    const socket = await readSocket(proxy.port, token)
    socket.send({ op: 'subscribe', topics: ['gaps'] })
    await socket.hears('a word', (heard) => heard.length > 0)
    const [id] = await tell(redis, [someEvent()])
    await sse.hears('the event', (heard) => heard.some((each) => each.id === id))
    await socket.hears('the event', (heard) => heard.some((each) => each.id === id))
    sse.close()
    socket.close()
  })
})

describe.skipIf(isAbsent !== null)(
  `HTTP-10 what the shipped proxy makes of a request ${isAbsent ?? ''}`,
  () => {
    let upstream: Server
    let proxy: Nginx
    let asked = 0
    beforeAll(async () => {
      upstream = createServer(async (request, reply) => {
        asked++
        const { httpVersion, url, headers } = request
        let body = ''
        for await (const piece of request) body += piece
        reply.end(JSON.stringify({ httpVersion, url, headers, body }))
      })
      await new Promise<void>((listens) => upstream.listen(0, '127.0.0.1', listens))
      proxy = await startProxy([(upstream.address() as AddressInfo).port])
    })
    afterAll(async () => {
      await proxy?.stop()
      await new Promise((closed) => upstream?.close(closed))
    })

    test('HTTP/1.1, the path as it was sent, and last of X-Forwarded-For who sent it', async () => {
      const path = '//x402/v1/%70ing;/../a?q=%2f'
      const { json } = await rawRequest(proxy.base, {
        path,
        headers: { 'x-forwarded-for': '203.0.113.9' },
        localAddress: '127.0.0.7',
      })
      expect([json.httpVersion, json.url]).toEqual(['1.1', path])
      expect(json.headers['x-forwarded-for']).toBe('203.0.113.9, 127.0.0.7')
      expect(json.headers).not.toHaveProperty('connection', 'close')
    })

    test('HTTP-15 one that stands still is given up, and nobody else is asked the same', async () => {
      const seen: string[] = []
      const silent = createServer((request) => void seen.push(request.url!))
      await new Promise<void>((listens) => silent.listen(0, '127.0.0.1', listens))
      const { port } = silent.address() as AddressInfo
      const impatient = await startProxy([port, port], (text) =>
        text.replace('proxy_read_timeout 75s', 'proxy_read_timeout 300ms'),
      )
      onTestFinished(async () => {
        await impatient.stop()
        silent.closeAllConnections()
        await new Promise((closed) => silent.close(closed))
      })
      seen.length = 0
      expect((await get(`${impatient.base}/paid`)).status).toBe(504)
      expect(seen).toEqual(['/paid'])
    })

    test('one whom nobody answers takes no process away from others', async () => {
      const abrupt = createServer(({ url, socket }, reply) => {
        if (url === '/unanswered') socket.destroy()
        else reply.end('answered')
      })
      const port = await listen(abrupt, '127.0.0.1', 0)
      const two = await startProxy([port, port])
      onTestFinished(async () => {
        await two.stop()
        await new Promise((closed) => abrupt.close(closed))
      })
      expect((await get(`${two.base}/unanswered`)).status).toBe(502)
      expect((await get(`${two.base}/`)).text).toBe('answered')
    })

    test('a body of any size that it lets through stays in memory', async () => {
      const watched = await startProxy([(upstream.address() as AddressInfo).port], (text) =>
        text.replace('/var/log/nginx/error.log crit', 'stderr warn'),
      )
      onTestFinished(watched.stop)
      const body = 'A'.repeat(1_000_000)
      const sized = await rawRequest(watched.base, { path: '/', method: 'POST', body })
      const chunks = await rawRequest(watched.base, {
        path: '/',
        method: 'POST',
        body,
        headers: { 'transfer-encoding': 'chunked' },
      })
      expect([sized.json.body.length, chunks.json.body.length]).toEqual([body.length, body.length])
      const small = '1\r\nA\r\n'.repeat(MESSAGE_MAX.bytes) //  the most that the api reads, in the smallest chunks
      const head = 'POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n'
      expect(statusesOf(await exchangeRaw(watched.base, `${head}${small}0\r\n\r\n`))).toEqual([200])
      expect(watched.complaints()).toBe('')
    })

    test('a text that is read, and an id that fetches what was bought, are in no log of it, also when nobody is there', async () => {
      const discreet = await startProxy([await freePort()], (text) =>
        text.replace('/var/log/nginx/error.log', 'stderr'),
      )
      onTestFinished(discreet.stop)
      for (const base of [proxy.base, discreet.base])
        await get(`${base}/x402/v1/pii?q=123-45-6789&checkout_id=checkout_abc`)
      expect([await proxy.logged(), await discreet.logged(), discreet.complaints()]).toEqual(['', '', ''])
    })

    const chunked = (body: string) =>
      `POST /quote HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n${body}`

    test.each([
      ['as they should be', '2\r\n{}\r\n0\r\n\r\n'],
      ['with extensions', '2;a=b\r\n{}\r\n0;c\r\n\r\n'],
      ['with lines that end in LF alone', '2\n{}\n0\n\n'],
      ['with blanks behind a size', '2 \r\n{}\r\n0 \r\n\r\n'],
      ['with a trailer', '2\r\n{}\r\n0\r\nx-a: 1\r\n\r\n'],
    ])('HTTP-09 a body in chunks, %s, goes on whole, by its length', async (_, body) => {
      const { socket, received, closed } = await openRaw(proxy.base)
      socket.write(chunked(''))
      await sleep(50) //  if the body comes at once, nginx knows its length anyway
      socket.write(body)
      await closed
      const answer = received()
      expect(statusesOf(answer)).toEqual([200])
      const seen = JSON.parse(
        answer.slice(answer.indexOf('{', answer.indexOf('\r\n\r\n')), answer.lastIndexOf('}') + 1),
      )
      expect([seen.body, seen.headers['content-length']]).toEqual(['{}', '2'])
      expect(seen.headers).not.toHaveProperty('transfer-encoding')
    })

    test.each([
      ['an empty size', chunked('\r\n0\r\n\r\n')],
      ['a size beyond any number', chunked('fffffffffffffffff2\r\n{}\r\n0\r\n\r\n')],
      ['a piece longer than its size', chunked('2\r\n{}XX0\r\n\r\n')],
      ['a length too', chunked('0\r\n\r\n').replace('host', 'content-length: 4\r\nhost')],
      ['a second coding', chunked('0\r\n\r\n').replace('host', 'transfer-encoding: identity\r\nhost')],
      [
        'two lengths',
        `${chunked('ab').replace('transfer-encoding: chunked', 'content-length: 0\r\ncontent-length: 2')}`,
      ],
    ])('HTTP-09 %s goes no further', async (_, bytes) => {
      const before = asked
      expect(statusesOf(await exchangeRaw(proxy.base, bytes))).toEqual([400])
      expect(asked).toBe(before)
    })
  },
)
