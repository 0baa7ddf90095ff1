import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Door } from '../../../api/feed/access.ts'
import type { CatchUp } from '../../../api/feed/catchUp.ts'
import {
  CLOSE_CODES,
  createFeedSocket,
  MESSAGE_MAX_BYTES,
  OVERTAKEN_MAX,
} from '../../../api/feed/feedSocket.ts'
import type { Hub } from '../../../api/feed/hub.ts'
import type { Outlet, Socket } from '../../../api/http/exchange.ts'
import { FEED_STREAM } from '../../../engine/contract/feed.ts'
import { type FeedProcess, someEvent, TOKEN, tell, toldCard } from '../../support/feed.ts'
import { type SocketReader, STREAM } from '../../support/feedReaders.ts'
import { feedWorld } from '../../support/feedWorld.ts'
import { until } from '../../support/process.ts'

const world = feedWorld()
const kinds = ({ heard }: SocketReader) => heard.map(({ kind }) => kind)

const subscribed = async (feed: FeedProcess, more: Record<string, unknown> = {}) => {
  const socket = await world.socket(feed)
  socket.send({ op: 'subscribe', token: TOKEN, ...more })
  return socket
}

describe('subscribing', () => {
  test('with the token in the message: what is open, then every event, each the same JSON as elsewhere', async () => {
    const feed = await world.start()
    const [first] = await tell(world.redis, [someEvent()])
    const socket = await subscribed(feed, { lastEventId: '0-0' })
    await socket.hears('the event', (heard) => heard.length === 2)
    const asServerSent = await world.open(feed, { 'last-event-id': '0-0' })
    await asServerSent.hears('the event', (heard) => heard.length === 2)
    expect(kinds(socket)).toEqual(['status', 'opened'])
    expect(socket.heard[1]).toEqual(asServerSent.heard[1]!.data)
    expect(socket.heard[1]!.id).toBe(first)
    const fresh = await subscribed(feed)
    await fresh.hears('the snapshot', (heard) => heard.length === 1)
    await tell(world.redis, [someEvent({ kind: 'closed' })])
    await fresh.hears('the event', (heard) => heard.length === 2)
    expect(kinds(fresh)).toEqual(['snapshot', 'closed'])
  })

  test('with the token in the header of the upgrade', async () => {
    const socket = await world.socket(await world.start(), { 'x-service-feed-token': TOKEN })
    socket.send({ op: 'subscribe' })
    await socket.hears('the snapshot', (heard) => heard[0]?.kind === 'snapshot')
  })

  test('by topic: only that one; subscribing again begins anew with the other', async () => {
    const feed = await world.start()
    const socket = await subscribed(feed, { topics: ['edges'] })
    await socket.hears('the snapshot', (heard) => heard.length === 1)
    await tell(world.redis, [someEvent(), someEvent({ topic: 'edges' })])
    await socket.hears('the edge', (heard) => heard.length === 2)
    expect(socket.heard[1]).toMatchObject({ kind: 'opened', topic: 'edges' })
    socket.send({ op: 'subscribe', token: TOKEN, topics: ['gaps'] })
    await socket.hears('the other snapshot', (heard) => heard.length === 3)
    expect(socket.heard[2]).toMatchObject({
      kind: 'snapshot',
      openCards: { gaps: [{ pairId: 'a:M1|b:K1' }] },
    })
    await tell(world.redis, [someEvent({ topic: 'edges' }), someEvent({ kind: 'closed' })])
    await socket.hears('the gap', (heard) => heard.length === 4)
    expect(socket.heard[3]).toMatchObject({ kind: 'closed', topic: 'gaps' })
    expect(feed.streams()).toBe(1)
  })

  test('resumes by lastEventId over another process; an impossible one is told', async () => {
    const [one, other] = [await world.start(), await world.start()]
    const socket = await subscribed(one)
    await socket.hears('the snapshot', (heard) => heard.length === 1)
    const told = await tell(world.redis, [someEvent(), someEvent({ kind: 'changed' })])
    await socket.hears('both', (heard) => heard.length === 3)
    socket.close()
    const [third] = await tell(world.redis, [someEvent({ kind: 'closed' })])
    const back = await subscribed(other, { lastEventId: told[1] })
    await back.hears('what was missed', (heard) => heard.length === 2)
    expect(kinds(back)).toEqual(['status', 'closed'])
    expect(back.heard[1]!.id).toBe(third)
    const lost = await subscribed(other, { lastEventId: '9999999999999-0' })
    await lost.hears('both', (heard) => heard.length === 2)
    expect(kinds(lost)).toEqual(['gap', 'snapshot'])
  })
})

test('an id that another process was first to give is waited for: resumed without a gap, or left meanwhile', async () => {
  const feed = await world.start()
  const id = `${Date.now() + 3_000}-0`
  const socket = await subscribed(feed, { lastEventId: id })
  const gone = await subscribed(feed, { lastEventId: id })
  const other = await subscribed(feed, { lastEventId: id })
  await sleep(50)
  gone.close()
  other.send({ op: 'subscribe', token: TOKEN })
  await other.hears('what is open', (heard) => heard.length === 1)
  for (const each of [id, '*'])
    await world.redis.xadd(FEED_STREAM, each, 'event', JSON.stringify(someEvent()))
  await socket.hears('the next one', (heard) => heard.length === 2)
  await other.hears('both', (heard) => heard.length === 3)
  expect([kinds(socket), kinds(other)]).toEqual([
    ['status', 'opened'],
    ['snapshot', 'opened', 'opened'],
  ])
  expect(feed.streams()).toBe(2)
})

describe('who opens a socket has ten seconds to subscribe', () => {
  const WITHIN_MS = 10_000
  const admitted = { key: 'k', endsMs: Number.POSITIVE_INFINITY }

  test.each([
    ['nothing was subscribed: 4408', '', [CLOSE_CODES.unsubscribed]],
    ['who has subscribed stays', '{"op":"subscribe"}', []],
  ])('%s', async (_, message, codes) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const ended: number[] = []
    const handler = createFeedSocket({
      hub: { reserve: () => ({ join: () => ({ leave() {} }) }) } as unknown as Hub,
      door: { admit: () => admitted, admitToken: () => admitted, refuseEnded: () => null },
      catchUp: { wait: () => null } as unknown as CatchUp,
      headerToken: TOKEN,
      sender: { address: '203.0.113.7' },
    })
    const end = (code: number) => void ended.push(code)
    handler.opened({ end, waiting: () => 0, onDrained: () => {} } as unknown as Socket)
    if (message !== '') handler.message(message)
    await vi.advanceTimersByTimeAsync(WITHIN_MS - 1)
    expect(ended).toEqual([])
    await vi.advanceTimersByTimeAsync(WITHIN_MS)
    expect(ended).toEqual(codes)
    handler.closed()
  })
})

const SENDER = { address: '203.0.113.7' }
/** The handler of a reader with a good token, over a hub of which only `reserve` is used. */
const handlerOver = (
  reserve: () => unknown,
  admitToken: Door['admitToken'] = async () => ({ key: 'one', endsMs: Number.POSITIVE_INFINITY }),
) =>
  createFeedSocket({
    hub: { reserve } as unknown as Hub,
    door: { admit: () => ({ problem: 'busy' }), admitToken, refuseEnded: () => null },
    catchUp: {} as unknown as CatchUp,
    headerToken: TOKEN,
    sender: SENDER,
  })

describe('closing codes', () => {
  test.each([
    ['not JSON', 'hello', CLOSE_CODES.bad_message, 'malformed_request'],
    ['another op', { op: 'buy' }, CLOSE_CODES.bad_message, 'malformed_request'],
    ['an unknown topic', { op: 'subscribe', topics: ['x'] }, CLOSE_CODES.bad_message, 'malformed_request'],
    ['no topic', { op: 'subscribe', topics: [] }, CLOSE_CODES.bad_message, 'malformed_request'],
    ['a bad id', { op: 'subscribe', lastEventId: '$' }, CLOSE_CODES.bad_message, 'malformed_request'],
    ['no token', { op: 'subscribe' }, CLOSE_CODES.token, 'feed_token_missing'],
    ['a bad token', { op: 'subscribe', token: 'nobody' }, CLOSE_CODES.token, 'feed_token_unknown'],
  ])('error: %s', async (_, message, code, problem) => {
    const socket = await world.socket(await world.start())
    socket.send(message)
    await until('closed', () => socket.closed)
    expect(socket.heard).toMatchObject([{ kind: 'error', ok: false, code: problem }])
    expect(socket.closed!.code).toBe(code)
  })

  test('no place is left: told, then 4429', async () => {
    const closes: number[] = []
    const told: string[] = []
    const handler = handlerOver(() => ({ problem: 'too_many_streams', retryAfterS: 10 }))
    handler.opened({
      end: (code: number) => void closes.push(code),
      write: (text: string) => told.push(text) > 0,
      waiting: () => 0,
      onDrained: () => {},
    } as unknown as Socket)
    handler.message('{"op":"subscribe"}')
    await until('closed', () => closes.length > 0)
    expect(closes).toEqual([CLOSE_CODES.too_many])
    expect(told.map((text) => JSON.parse(text))).toMatchObject([
      { kind: 'error', code: 'too_many_streams', retryAfterS: 10 },
    ])
    handler.closed()
  })

  test('ENT-09 a token that is guessed counts for who opened the socket; too many: told, then 4429', async () => {
    const closes: number[] = []
    const asked: unknown[] = []
    const handler = handlerOver(
      () => ({ problem: 'busy' }),
      async (...said) => {
        asked.push(said)
        return { problem: 'rate_limited', retryAfterS: 1 }
      },
    )
    handler.opened({
      end: (code: number) => void closes.push(code),
      write: () => true,
      waiting: () => 0,
      onDrained: () => {},
    } as unknown as Socket)
    handler.message('{"op":"subscribe","token":"guess"}')
    await until('closed', () => closes.length > 0)
    expect([asked, closes]).toEqual([[['guess', SENDER]], [CLOSE_CODES.too_many]])
    handler.closed()
  })

  test('a token that expires: told, then 4402', async () => {
    const clock = { ms: Date.now(), nowMs: () => clock.ms }
    const socket = await subscribed(await world.start(clock))
    await socket.hears('the snapshot', (heard) => heard.length === 1)
    clock.ms += 3_600_000
    await until('closed', () => socket.closed)
    expect([kinds(socket), socket.closed!.code]).toEqual([['snapshot', 'expired'], CLOSE_CODES.expired])
  })

  test('the server closes: 1001', async () => {
    const feed = await world.start()
    const socket = await subscribed(feed)
    await socket.hears('the snapshot', (heard) => heard.length === 1)
    await feed.stop()
    await until('closed', () => socket.closed)
    expect(socket.closed!.code).toBe(1001)
  })

  test.each([
    ['by a byte: told, 1009', 1, 1009],
    ['by a multiple: told, 1009', 3 * MESSAGE_MAX_BYTES, 1009],
    ['beyond what is kept of one: cut off', 100 * MESSAGE_MAX_BYTES, 1006],
  ])('a message that is too large, %s', async (_, over, code) => {
    const feed = await world.start()
    const socket = await world.socket(feed)
    socket.send('x'.repeat(MESSAGE_MAX_BYTES + over))
    await until('closed', () => socket.closed)
    expect(socket.closed!.code).toBe(code)
    expect(socket.heard).toEqual([])
    expect(feed.streams()).toBe(0)
  })

  test('a message of the largest size is read', async () => {
    const feed = await world.start()
    const fits = await world.socket(feed)
    fits.send(JSON.stringify({ op: 'subscribe', token: TOKEN }).padEnd(MESSAGE_MAX_BYTES))
    await fits.hears('the snapshot', (heard) => heard[0]?.kind === 'snapshot')
  })
})

describe('who subscribes again and again', () => {
  const big = Array.from({ length: 40 }, (_, at) => {
    const pairId = `a:M${at}|b:K${at}`
    return someEvent({ card: toldCard({ pairId, cardId: pairId, topic: 'x'.repeat(20_000) }) })
  })
  /** On a busy machine the events may still be on their way, and follow the snapshot. */
  const hearsSnapshot = (socket: SocketReader) =>
    socket.hears('the snapshot', (heard) => heard[0]?.kind === 'snapshot')
  /** A snapshot has 800 KB; 200 of them are far more than the system buffers for somebody who reads nothing. */
  const UNREAD = 200

  test('and reads nothing: nothing begins anew before he has taken what was written, and what waits stays small', async () => {
    const feed = await world.start()
    await tell(world.redis, big)
    const socket = await subscribed(feed)
    await hearsSnapshot(socket)
    socket.pause()
    let most = 0 //  at the end the server may have closed it already, which somebody who reads nothing does not see
    for (let at = 0; at < UNREAD && socket.closed === null; at++) {
      socket.send({ op: 'subscribe', token: TOKEN })
      if (at % 5 === 4) await sleep(5)
      most = Math.max(most, feed.streams())
    }
    expect(most).toBe(1)
    socket.resume()
    await until('closed', () => socket.closed)
    expect(socket.closed!.code).toBe(CLOSE_CODES.too_many)
    expect(socket.heard.length).toBeLessThan(UNREAD)
    expect(socket.heard.at(-1)).toMatchObject({ kind: 'error', code: 'rate_limited' })
  })

  test('within what one takes in: begins with the newest wish once he has read on', async () => {
    const feed = await world.start()
    await tell(world.redis, big)
    const socket = await subscribed(feed)
    await hearsSnapshot(socket)
    socket.pause()
    for (let at = 0; at < OVERTAKEN_MAX; at++) {
      socket.send({ op: 'subscribe', token: TOKEN })
      await sleep(5)
    }
    socket.send({ op: 'subscribe', token: TOKEN, topics: ['edges'] })
    socket.resume()
    await socket.hears('the newest', (heard) => {
      const newest = heard.at(-1)
      return newest?.kind === 'snapshot' && !('gaps' in (newest.openCards as object))
    })
    await tell(world.redis, [someEvent({ topic: 'edges' })])
    await socket.hears('its events', (heard) => heard.at(-1)?.kind === 'opened')
    expect([feed.streams(), socket.closed]).toEqual([1, null])
  })

  test('and each time anew: what was said in vain before counts no more', async () => {
    let joined = 0
    const closes: number[] = []
    const place = { join: () => ({ leave: () => {} }) }
    const handler = handlerOver(() => ++joined && place)
    const end = (code: number) => void closes.push(code)
    handler.opened({ end, write: () => true, waiting: () => 0, onDrained: () => {} } as unknown as Socket)
    for (let times = 0; times < 3; times++) {
      const before = joined
      //  the first is being looked at, and one more waits
      for (let at = 0; at < OVERTAKEN_MAX + 2; at++) handler.message('{"op":"subscribe"}')
      await until('the newest', () => joined > before)
    }
    expect(closes).toEqual([])
    handler.closed()
  })

  test('with tokens that nobody sold: one of them is looked up, and the connection is closed', async () => {
    let asked = 0
    const closes: number[] = []
    const handler = createFeedSocket({
      hub: {} as unknown as Hub,
      door: {
        admit: () => ({ problem: 'busy' }),
        admitToken: async () => {
          asked++
          return { problem: 'feed_token_unknown' }
        },
        refuseEnded: () => null,
      },
      catchUp: {} as unknown as CatchUp,
      headerToken: '',
      sender: { address: '203.0.113.7' },
    })
    const end = (code: number) => void closes.push(code)
    handler.opened({ end, write: () => true, waiting: () => 0, onDrained: () => {} } as unknown as Socket)
    for (let at = 0; at < OVERTAKEN_MAX; at++) handler.message('{"op":"subscribe","token":"nobody"}')
    expect(asked).toBe(1)
    await until('closed', () => closes.length > 0)
    await sleep(5)
    expect([asked, closes]).toEqual([1, [CLOSE_CODES.token]])
    handler.closed()
  })
})

test('a bad token in the header of the upgrade is refused by HTTP; a plain GET is told to upgrade', async () => {
  const feed = await world.start()
  const upgrade = await new Promise<string>((resolve) => {
    const socket = connect(feed.port, '127.0.0.1', () =>
      socket.write(
        `GET ${STREAM} HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nx-service-feed-token: nobody\r\n\r\n`,
      ),
    )
    socket.once('data', (data) => {
      resolve(data.toString())
      socket.destroy()
    })
  })
  expect(upgrade).toMatch(/^HTTP\/1.1 401 /)
  expect(upgrade).toContain('feed_token_unknown')
  expect((await fetch(`${feed.base}${STREAM}`)).status).toBe(426)
})

test('who has taken what waited for him is read on to: the hub hears of it', async () => {
  let taken = 0
  let drain = () => {}
  const handler = handlerOver(() => ({
    join: (_: unknown, { outlet }: { outlet: Outlet }) => {
      outlet.onDrained(() => taken++)
      return { leave: () => {} }
    },
  }))
  handler.opened({
    waiting: () => 0,
    onDrained: (listener: () => void) => {
      drain = listener
    },
  } as unknown as Socket)
  handler.message('{"op":"subscribe"}')
  await until('he is read on to', () => {
    drain()
    return taken > 0
  })
  handler.closed()
})

test('HTTP-18 a slow WebSocket reader is told and closed with 4409', async () => {
  const feed = await world.start()
  const fast = await subscribed(feed)
  await fast.hears('the snapshot', (heard) => heard.length === 1)
  const slow = await subscribed(feed)
  await slow.hears('the snapshot', (heard) => heard.length === 1)
  slow.pause()
  const big = someEvent({ card: toldCard({ topic: 'x'.repeat(20_000) }) })
  for (let told = 100; told <= 800; told += 100) {
    await tell(
      world.redis,
      Array.from({ length: 100 }, () => big),
    )
    //  the reader shares this process with the server: all at once on a busy machine it would be slow itself
    await fast.hears(
      `${told} events`,
      (heard) => heard.filter(({ kind }) => kind === big.kind).length === told,
    )
  }
  await until('the slow one is told', async () => (await feed.sentAway('slow')) === 1)
  slow.resume()
  await until('closed', () => slow.closed)
  expect([kinds(slow).at(-1), slow.closed!.code]).toEqual(['slow', CLOSE_CODES.slow])
  expect(slow.heard.length).toBeLessThan(801)
})
