import { describe, expect, test } from 'vitest'
import { FEED, sellToken, someEvent, TOKEN, tell } from '../../support/feed.ts'
import { feedWorld } from '../../support/feedWorld.ts'
import { until } from '../../support/process.ts'
import { headOf, openRaw, statusesOf } from '../../support/rawHttp.ts'

const world = feedWorld()
const kinds = (heard: { event: string }[]) => heard.map(({ event }) => event)

describe('a stream without a last id', () => {
  test('begins with what is open, then tells each event with its id; the data is the same schema', async () => {
    const opened = someEvent()
    const [first] = await tell(world.redis, [opened])
    const reader = await world.open(await world.start())
    await reader.hears('the snapshot', (heard) => heard.length === 1)
    expect(reader.heard[0]).toMatchObject({
      event: 'snapshot',
      id: first,
      data: {
        kind: 'snapshot',
        id: first,
        mode: 'sandbox',
        recorded: false,
        stale: false,
        openCards: { gaps: [opened.card], edges: [] },
      },
    })
    const closed = someEvent({ kind: 'closed' })
    const [second] = await tell(world.redis, [closed])
    await reader.hears('the event', (heard) => heard.length === 2)
    expect(reader.heard[1]).toEqual({ event: 'closed', id: second, data: { id: second, ...closed } })
    expect(reader.retryMs).toBeGreaterThan(0)
  })

  test('of an empty feed: nothing is open, and the first event ever is told', async () => {
    const reader = await world.open(await world.start())
    await reader.hears('the snapshot', (heard) => heard.length === 1)
    expect(reader.heard[0]).toMatchObject({ id: '0-0', data: { openCards: { gaps: [], edges: [] } } })
    await tell(world.redis, [someEvent()])
    await reader.hears('the event', (heard) => heard.length === 2)
    expect(kinds(reader.heard)).toEqual(['snapshot', 'opened'])
  })

  test('topic=edges tells edges only, and opens with edges only', async () => {
    await tell(world.redis, [someEvent(), someEvent({ topic: 'edges' })])
    const reader = await world.open(await world.start(), {}, '?topic=edges')
    await tell(world.redis, [someEvent({ kind: 'changed' }), someEvent({ kind: 'closed', topic: 'edges' })])
    await reader.hears('the edge', (heard) => heard.length === 2)
    expect(Object.keys(reader.heard[0]!.data.openCards as object)).toEqual(['edges'])
    expect(reader.heard[1]!.data).toMatchObject({ kind: 'closed', topic: 'edges' })
  })

  test('by whatever topics others begin at the same event: each opens with his own', async () => {
    const clock = { nowMs: () => 0 } //  within one second
    await sellToken(world.redis, TOKEN, 3_600_000)
    await tell(world.redis, [someEvent(), someEvent({ topic: 'edges' })])
    const feed = await world.start(clock)
    for (const [query, topics] of [
      ['', ['gaps', 'edges']],
      ['?topic=edges', ['edges']],
      ['?topic=gaps', ['gaps']],
    ] as const) {
      const reader = await world.open(feed, {}, query)
      await reader.hears('the snapshot', (heard) => heard.length === 1)
      expect(Object.keys(reader.heard[0]!.data.openCards as object)).toEqual(topics)
    }
  })

  test('HTTP-14 no cache keeps it, and no proxy holds its events back', async () => {
    const answer = await (await world.start()).get('', { accept: 'text/event-stream' })
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'private, no-store',
      vary: 'accept, x-service-feed-token, x-marketplace-token',
      'x-accel-buffering': 'no',
    })
    await answer.body!.cancel()
  })

  test.each([
    ['text/event-stream', 'text/event-stream'],
    ['text/event-stream, application/json', 'text/event-stream'],
    ['application/json, text/event-stream;q=0.9', 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
  ])('Accept: %s gives %s', async (accept, type) => {
    const answer = await (await world.start()).get('', { accept })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
    await answer.body!.cancel()
  })
})

describe('refused before it begins', () => {
  test.each([
    ['?topic=weather', {}, 400, 'invalid_parameter'],
    ['?lastEventId=newest', {}, 400, 'invalid_parameter'],
    ['?lastEventId=1-0&lastEventId=1-0', {}, 400, 'malformed_request'],
    ['?since=newest', {}, 400, 'invalid_parameter'],
    ['', { 'last-event-id': '$' }, 400, 'invalid_parameter'],
    ['', { 'x-service-feed-token': 'nobody' }, 401, 'feed_token_unknown'],
  ])('%s %j: %d %s', async (query, headers, status, code) => {
    const feed = await world.start()
    const answer = await feed.get(query, { accept: 'text/event-stream', ...headers })
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([status, code])
    expect(feed.streams()).toBe(0)
  })
})

test('a token has twenty streams in a process: one more is told when to come back, and comes in when one ends', async () => {
  const feed = await world.start()
  const readers = await Promise.all(Array.from({ length: 20 }, () => world.open(feed)))
  const refused = await feed.get('', { accept: 'text/event-stream' })
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
    429,
    'too_many_streams',
  ])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await feed.get()).status).toBe(200) //  a poll is no stream
  readers[0]!.close()
  await until('one has left', () => feed.streams() === 19)
  expect((await world.open(feed)).status).toBe(200)
})

test('however many are opened at once, a token has twenty streams', async () => {
  const feed = await world.start()
  const head = headOf(FEED, { accept: 'text/event-stream', 'x-service-feed-token': TOKEN })
  const connections = await Promise.all(Array.from({ length: 60 }, () => openRaw(feed.base)))
  for (const { socket } of connections) {
    world.later(() => socket.destroy())
    socket.write(head)
  }
  const statuses = () => connections.flatMap(({ received }) => statusesOf(received()))
  await until('all are answered', () => statuses().length === connections.length)
  const begun = statuses().filter((status) => status === 200)
  expect([begun.length, feed.streams(), new Set(statuses())]).toEqual([20, 20, new Set([200, 429])])
})

test('a token that expires in the middle of a stream: told so with where to buy, then the end; nothing later is told', async () => {
  const clock = { ms: Date.now(), nowMs: () => clock.ms }
  const feed = await world.start(clock)
  const reader = await world.open(feed)
  await reader.hears('the snapshot', (heard) => heard.length === 1)
  clock.ms += 3_600_000 //  the test's token is good for an hour
  await tell(world.redis, [someEvent()])
  await until('the end', () => reader.ended)
  expect(kinds(reader.heard)).toEqual(['snapshot', 'expired'])
  expect(reader.heard[1]!.data.next).toContain('/x402/v1/bot-fuel-day')
  expect(feed.streams()).toBe(0)
})

test('data that becomes stale is said once, and again when it is fresh', async () => {
  const feed = await world.start()
  const reader = await world.open(feed)
  await reader.hears('the snapshot', (heard) => heard.length === 1)
  feed.market.marketMaxAgeMs = -1
  await reader.hears('stale', (heard) => heard.length === 2)
  feed.market.marketMaxAgeMs = 3_600_000
  await reader.hears('fresh', (heard) => heard.length === 3)
  expect(reader.heard.map(({ event, id, data }) => [event, id, data.stale])).toEqual([
    ['snapshot', '0-0', false],
    ['status', null, true],
    ['status', null, false],
  ])
})

test('the server closes: streams end, and go on at another process', async () => {
  await tell(world.redis, [someEvent()])
  const [one, other] = [await world.start(), await world.start()]
  const reader = await world.open(one)
  await reader.hears('the snapshot', (heard) => heard.length === 1)
  await one.stop()
  await until('the end', () => reader.ended)
  const [missed] = await tell(world.redis, [someEvent({ kind: 'closed' })])
  const next = await world.open(other, { 'last-event-id': reader.lastId()! })
  await next.hears('what was missed', (heard) => heard.length === 2)
  expect(next.heard[0]).toMatchObject({ event: 'status', id: null, data: { kind: 'status', stale: false } })
  expect(next.heard[1]).toMatchObject({ event: 'closed', id: missed })
})

test('HEAD says that it would stream, and streams nothing', async () => {
  const feed = await world.start()
  const answer = await fetch(`${feed.base}/api/v1/alpha-feed`, {
    method: 'HEAD',
    headers: { accept: 'text/event-stream', 'x-service-feed-token': TOKEN },
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  expect(feed.streams()).toBe(0)
})
