import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { snapshotOf, someCard } from '../support/boards.ts'
import { get, offerOf, paid, payment, rawRequest } from '../support/buyer.ts'
import { startTestChain, type TestChain } from '../support/chain.ts'
import { FEED, someEvent, tell } from '../support/feed.ts'
import { readSocket, readSse } from '../support/feedReaders.ts'
import { until } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'

const DAY_MS = 24 * 3_600_000

let chain: TestChain
let service: Service
let redis: Redis
let feedToken: string
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain })
  redis = new Redis(service.redis.url.replace(/^unix:/, ''))
  await service.publish(snapshotOf('gapCards', { cards: [someCard()], unqualified: {} }))
})
afterAll(async () => {
  redis?.disconnect()
  await service?.stop()
  await chain?.stop()
})

/** Look-ups of tokens and claims that the ledger has answered so far. */
const lookUps = async () =>
  Number(/cmdstat_hgetall:calls=(\d+)/.exec(await service.ledger.redis.info('commandstats'))?.[1] ?? 0)

const poll = (base: string, headers: Record<string, string>, query = '') =>
  get(`${base}${FEED}${query}`, headers)

describe('4.2, 5.4 GET /api/v1/alpha-feed with the token that bot-fuel-day delivers', () => {
  test('is bought once and read at once, at every process, by polling, server-sent events and WebSocket', async () => {
    const path = '/x402/v1/bot-fuel-day'
    const [one, other] = service.bases as [string, string]
    const offer = await until('it is sold', () => offerOf(one, path).catch(() => null))
    const { header } = await payment(offer, chain.buyers[0]!)
    const bought = await until('bought', async () => {
      const answer = await get(`${one}${path}`, paid(header))
      return answer.status === 503 ? null : answer
    })
    expect(bought.status).toBe(200)
    const { feedAccess } = bought.json.result
    feedToken = feedAccess.feedToken
    const lastsMs = Date.parse(feedAccess.expiresAt) - Date.now()
    expect(lastsMs).toBeGreaterThan(DAY_MS - 120_000)
    expect(lastsMs).toBeLessThanOrEqual(DAY_MS)
    expect(new URL(feedAccess.jsonFeedUrl).pathname).toBe(FEED)

    const token = { 'x-service-feed-token': feedToken }
    const [first] = await tell(redis, [someEvent()])
    const read = async (base: string) => {
      await until('told', async () => (await poll(base, token)).json.lastEventId === first)
      return poll(base, token)
    }
    const [here, there] = [await read(one), await read(other)]
    expect(here.json).toMatchObject({ ok: true, mode: 'sandbox', stale: false, gap: null })
    expect(here.json.events).toEqual(there.json.events)
    expect(here.json.openCards).toEqual(there.json.openCards)
    expect((await poll(other, { 'x-marketplace-token': feedToken })).status).toBe(401)
    expect((await poll(other, { ...token, 'if-none-match': here.header('etag')! })).status).toBe(304)

    const sse = await readSse(`${one}${FEED}`, token)
    await sse.hears('the snapshot', (heard) => heard[0]?.id === first)
    const socket = await readSocket(Number(new URL(other).port), token)
    socket.send({ op: 'subscribe', topics: ['gaps'], lastEventId: first })
    const [second] = await tell(redis, [someEvent({ kind: 'closed' })])
    //  a status message about the venues' freshness may come in between
    const events = () => socket.heard.filter(({ kind }) => kind !== 'status')
    await sse.hears('the event', (heard) => heard.some(({ id }) => id === second))
    await socket.hears('the event', () => events().some(({ id }) => id === second))
    expect(events()).toEqual([sse.heard.find(({ id }) => id === second)!.data])
    expect((await poll(one, token, `?since=${first}`)).json.events).toEqual(events())
    sse.close()
    socket.close()
  })

  test('ENT-11 one token from 500 addresses at once: each is answered, and the ledger is hardly asked', async () => {
    const base = service.bases[0]!
    const headers = { 'x-service-feed-token': feedToken }
    expect((await poll(base, headers)).status).toBe(200)
    const before = await lookUps()
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, at) =>
        rawRequest(base, { path: FEED, headers, localAddress: `127.0.${1 + (at % 250)}.${1 + (at >> 8)}` }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ json }) => json.lastEventId)).size).toBe(1)
    expect((await lookUps()) - before).toBeLessThan(100)
  })

  test('no other secret of ours is a feed token', async () => {
    for (const token of ['pass_', 'permit_', 'feed_'].map((kind) => kind.padEnd(kind.length + 43, 'A'))) {
      const answer = await poll(service.bases[0]!, { 'x-service-feed-token': token })
      expect([answer.status, answer.json.code]).toEqual([401, 'feed_token_unknown'])
    }
    expect((await poll(service.bases[0]!, { 'x-service-pass': feedToken })).json.code).toBe(
      'feed_token_missing',
    )
  })

  test('HTTP-07 HEAD of the feed is answered, HEAD of what is paid says what it costs', async () => {
    const head = (path: string) =>
      fetch(`${service.bases[0]}${path}`, { method: 'HEAD', headers: { 'x-service-feed-token': feedToken } })
    expect((await head(FEED)).status).toBe(200)
    expect((await head('/x402/v1/bot-fuel-day')).status).toBe(402)
  })

  test('a process that is told to stop ends its streams and exits', async () => {
    const sse = await readSse(`${service.bases[1]}${FEED}`, { 'x-service-feed-token': feedToken })
    await sse.hears('the snapshot', (heard) => heard.length === 1)
    expect((await service.apis[1]!.stop()).code).toBe(0)
    await until('the end', () => sse.ended)
  })
})
