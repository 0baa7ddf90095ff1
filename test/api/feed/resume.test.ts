import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CLOSE_CODES } from '../../../api/feed/feedSocket.ts'
import { FEED_STREAM, type FeedEvent, feedOpenKey } from '../../../engine/contract/feed.ts'
import {
  type FeedProcess,
  openPairs,
  retainedIds,
  sellToken,
  someEvent,
  TOKEN,
  tell,
} from '../../support/feed.ts'
import type { SseReader } from '../../support/feedReaders.ts'
import { feedWorld } from '../../support/feedWorld.ts'
import { until } from '../../support/process.ts'

const world = feedWorld()

const PAIRS = ['a:M1|b:K1', 'a:M2|b:K2', 'a:M3|b:K3']
const event = fc.tuple(
  fc.constantFrom<FeedEvent['kind']>('opened', 'changed', 'closed'),
  fc.constantFrom<FeedEvent['topic']>('gaps', 'edges'),
  fc.constantFrom(...PAIRS),
)
const events = (drawn: [FeedEvent['kind'], FeedEvent['topic'], string][]) =>
  drawn.map(([kind, topic, pairId]) => someEvent({ kind, topic }, pairId))

const NO_EVENTS = ['snapshot', 'status']
const isEvent = ({ event }: SseReader['heard'][number]) => !NO_EVENTS.includes(event)
const idsOf = ({ heard }: SseReader) => heard.filter(isEvent).map(({ id }) => id)

/** A reader that starts at the newest event: a process that is behind would first send it older ones. */
async function openNewest(feed: FeedProcess): Promise<SseReader> {
  const newest = (await retainedIds(world.redis)).at(-1)
  for (;;) {
    const reader = await world.open(feed)
    await reader.hears('the snapshot', (heard) => heard.length > 0)
    if (newest === undefined || reader.heard[0]!.id === newest) return reader
    reader.close()
  }
}

describe('a reader that is away for a while and comes back with its last id, at whichever process', () => {
  test('property: hears every event once, in order, whatever the cuts; what it folds is what is open', async () => {
    const feeds = [await world.start(), await world.start()] as [FeedProcess, FeedProcess]
    const away = fc.record({
      whileAway: fc.array(event, { maxLength: 40 }), //  told while nobody listens
      whileHere: fc.array(event, { maxLength: 10 }), //   told while it listens; it leaves at some point of this
      heardOfThem: fc.nat(10),
      process: fc.constantFrom(0, 1),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(away, { minLength: 1, maxLength: 5 }), async (cuts) => {
        let reader = await openNewest(feeds[0])
        const open: Record<string, Set<string>> = {}
        for (const [topic, cards] of Object.entries(reader.heard[0]!.data.openCards as object))
          open[topic] = new Set((cards as { pairId: string }[]).map(({ pairId }) => pairId))
        let lastId = reader.heard[0]!.id!
        const told: string[] = []
        const heard: string[] = []
        const leave = () => {
          reader.close()
          for (const { data, id } of reader.heard.filter(isEvent)) {
            heard.push(id!)
            const { pairId } = data.card as { pairId: string }
            if (data.kind === 'closed') open[data.topic as string]!.delete(pairId)
            else open[data.topic as string]!.add(pairId)
          }
          lastId = reader.lastId() ?? lastId
        }
        for (const cut of cuts) {
          leave()
          told.push(...(await tell(world.redis, events(cut.whileAway))))
          reader = await world.open(feeds[cut.process]!, { 'last-event-id': lastId })
          const telling = tell(world.redis, events(cut.whileHere))
          const enough = Math.min(cut.heardOfThem, cut.whileAway.length + cut.whileHere.length)
          await reader.hears('some', (some) => some.filter(isEvent).length >= enough)
          told.push(...(await telling))
        }
        leave()
        reader = await world.open(feeds[1], {}, `?lastEventId=${lastId}`)
        const left = told.length - heard.length
        await reader.hears('the rest', (rest) => rest.filter(isEvent).length >= left)
        leave()
        expect(heard).toEqual(told)
        for (const topic of ['gaps', 'edges'] as const)
          expect([...open[topic]!].sort()).toEqual(await openPairs(world.redis, topic))
      }),
      { numRuns: 12 },
    )
  })

  test('more than a page behind: all 500 events, from both processes the same', async () => {
    const feeds = [await world.start(), await world.start()]
    const [first] = await tell(world.redis, [someEvent()])
    const told = await tell(
      world.redis,
      Array.from({ length: 500 }, (_, at) => someEvent({ snapshotVersion: at })),
    )
    const readers = await Promise.all(feeds.map((feed) => world.open(feed, { 'last-event-id': first! })))
    for (const reader of readers) {
      await reader.hears('all', (heard) => heard.length === 501)
      expect(idsOf(reader)).toEqual(told)
    }
  })
})

describe('from where a stream goes on, of all that is said', () => {
  test.each([
    ['the header, of an event source that connects again to the address it began with', '?lastEventId=0', 2],
    ['the header before a since', '?since=0', 2],
    ['lastEventId', '?lastEventId=1', null],
    ['lastEventId before a since', '?lastEventId=1&since=0', null],
    ['since, as a poll has it', '?since=1', null],
  ])('%s', async (_, query, header) => {
    const told = await tell(
      world.redis,
      Array.from({ length: 4 }, () => someEvent()),
    )
    const asked = query.replace(/=(\d)/g, (_, at: string) => `=${told[Number(at)]}`)
    const headers: Record<string, string> = header === null ? {} : { 'last-event-id': told[header]! }
    const reader = await world.open(await world.start(), headers, asked)
    await reader.hears('the newest', (heard) => heard.at(-1)?.id === told[3])
    expect(idsOf(reader)).toEqual(told.slice((header ?? 1) + 1))
  })
})

describe('a resume that is impossible is told, and a fresh snapshot follows', () => {
  test('the store had trimmed it before this process began', async () => {
    const told = await tell(
      world.redis,
      Array.from({ length: 5 }, () => someEvent()),
    )
    await world.redis.xtrim(FEED_STREAM, 'MAXLEN', 2)
    const feed = await world.start()
    const reader = await world.open(feed, { 'last-event-id': told[1]! })
    await reader.hears('both', (heard) => heard.length === 2)
    expect(reader.heard[0]).toEqual({
      event: 'gap',
      id: null,
      data: { kind: 'gap', afterId: told[1], oldestId: told[3], reason: 'trimmed', missed: 'unknown' },
    })
    expect(reader.heard[1]).toMatchObject({ event: 'snapshot', id: told[4] })
    const resumed = await world.open(feed, { 'last-event-id': told[3]! })
    await resumed.hears('the newest', (heard) => heard.length === 2)
    expect(idsOf(resumed)).toEqual([told[4]])
  })

  test('what the store trims while this process runs is still told by it', async () => {
    const feed = await world.start()
    const first = await world.open(feed)
    const told = await tell(
      world.redis,
      Array.from({ length: 5 }, () => someEvent()),
    )
    await first.hears('all', (heard) => heard.at(-1)?.id === told[4])
    await world.redis.xtrim(FEED_STREAM, 'MAXLEN', 1)
    const reader = await world.open(feed, { 'last-event-id': told[0]! })
    await reader.hears('the rest', (heard) => heard.length === 5)
    expect(idsOf(reader)).toEqual(told.slice(1))
  })

  test('an id that nobody gave out', async () => {
    await tell(world.redis, [someEvent()])
    const reader = await world.open(await world.start(), { 'last-event-id': '9999999999999-7' })
    await reader.hears('both', (heard) => heard.length === 2)
    expect(reader.heard.map(({ event, data }) => [event, data.reason])).toEqual([
      ['gap', 'unknown_id'],
      ['snapshot', undefined],
    ])
  })
})

test('an id that another process was first to give is waited for: goes on behind it without a gap', async () => {
  const feed = await world.start()
  await tell(world.redis, [someEvent()])
  const id = `${Date.now() + 3_000}-0`
  const opening = world.open(feed, { 'last-event-id': id })
  await sleep(50)
  await world.redis.xadd(FEED_STREAM, id, 'event', JSON.stringify(someEvent()))
  const reader = await opening
  const [next] = await tell(world.redis, [someEvent({ kind: 'changed' })])
  await reader.hears('the next one', (heard) => heard.length === 2)
  expect(reader.heard.map(({ event }) => event)).toEqual(['status', 'changed'])
  expect(idsOf(reader)).toEqual([next])
})

test('ENT-06 a token that ends while its reader waits for an id reads nothing any more, over every transport', async () => {
  const feed = await world.start()
  const socket = await world.socket(feed)
  await tell(world.redis, [someEvent()])
  await sellToken(world.redis, TOKEN, Date.now() + 500) //  shorter than the wait
  const id = `${Date.now() + 4_000}-0`
  const answers = [
    feed.get(`?since=${id}`),
    feed.get('', { accept: 'text/event-stream', 'last-event-id': id }),
  ]
  socket.send({ op: 'subscribe', token: TOKEN, lastEventId: id })
  for (const answer of await Promise.all(answers)) {
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ code: 'feed_token_expired' })
  }
  await socket.hears('the end', () => socket.closed)
  expect(socket.heard).toMatchObject([{ kind: 'error', code: 'feed_token_expired' }])
  expect([socket.closed!.code, feed.streams()]).toEqual([CLOSE_CODES.expired, 0])
})

describe('the store', () => {
  test('restarts: readers stay, and hear each event once', async () => {
    const before = await tell(world.redis, [someEvent()])
    const feed = await world.start()
    const reader = await world.open(feed)
    await reader.hears('the snapshot', (heard) => heard[0]?.id === before[0])
    await world.server.restart()
    const after = await tell(world.redis, [someEvent({ kind: 'changed' }), someEvent({ kind: 'closed' })])
    await reader.hears('both', (heard) => heard.length === 3)
    expect(idsOf(reader)).toEqual(after)
  })

  test('lost the newest events: open streams are told of a reset and begin anew', async () => {
    const told = await tell(world.redis, [someEvent(), someEvent({}, PAIRS[1])])
    const feed = await world.start()
    const reader = await world.open(feed)
    await reader.hears('the snapshot', (heard) => heard[0]?.id === told[1])
    await world.redis.multi().xdel(FEED_STREAM, told[1]!).hdel(feedOpenKey('gaps'), PAIRS[1]!).exec()
    const later = await tell(world.redis, [someEvent({ kind: 'changed' })])
    await reader.hears('the reset', (heard) => heard.length === 3)
    expect(reader.heard[1]!.data).toMatchObject({ kind: 'gap', afterId: told[1], reason: 'feed_reset' })
    const { id, data } = reader.heard[2]!
    expect(id).toBe(later[0])
    expect((data.openCards as { gaps: { pairId: string }[] }).gaps.map(({ pairId }) => pairId)).toEqual([
      PAIRS[0],
    ])
    expect(await retainedIds(world.redis)).toEqual([told[0], later[0]])
  })

  test('lost the newest event and went on: who has that one, and comes back later, is told in every way', async () => {
    const [first] = await tell(world.redis, [someEvent()])
    const feed = await world.start()
    const before = await world.keep()
    const [lost] = await tell(world.redis, [someEvent({}, PAIRS[1])])
    const reader = await world.open(feed, { 'last-event-id': first! })
    await reader.hears('what will be lost', (heard) => heard.at(-1)?.id === lost)
    reader.close()
    await before.putBack()
    const [next] = await tell(world.redis, [someEvent({}, PAIRS[2])])
    const open = [PAIRS[0], PAIRS[2]]
    const pairs = ({ gaps }: { gaps: { pairId: string }[] }) => gaps.map(({ pairId }) => pairId)
    type Polled = {
      lastEventId: string
      gap: { reason: string } | null
      openCards: { gaps: { pairId: string }[] }
    }
    const ask = async (query = '') => (await (await feed.get(query)).json()) as Polled
    await until('it goes on', async () => (await ask()).lastEventId === next)

    const poll = await ask(`?since=${lost}`)
    expect(poll.gap?.reason).toBe('unknown_id')
    expect(pairs(poll.openCards)).toEqual(open)
    const stream = await world.open(feed, { 'last-event-id': lost! })
    await stream.hears('both', (heard) => heard.length === 2)
    expect(stream.heard[0]!.data).toMatchObject({ kind: 'gap', reason: 'unknown_id', afterId: lost })
    expect(pairs(stream.heard[1]!.data.openCards as { gaps: { pairId: string }[] })).toEqual(open)
    const other = await world.open(await world.start(), { 'last-event-id': first! })
    await other.hears('the next one', (heard) => heard.length === 2)
    expect(other.heard.map(({ event }) => event)).toEqual(['status', 'opened'])
  })

  test('holds something that is no event: it is passed over', async () => {
    const feed = await world.start()
    const reader = await world.open(feed)
    await reader.hears('the snapshot', (heard) => heard.length === 1)
    await world.redis.xadd(FEED_STREAM, '*', 'event', '{"kind":"opened"')
    await world.redis.xadd(FEED_STREAM, '*', 'other', 'x')
    const [good] = await tell(world.redis, [someEvent()])
    await reader.hears('the good one', (heard) => heard.length === 2)
    expect(idsOf(reader)).toEqual([good])
  })
})
