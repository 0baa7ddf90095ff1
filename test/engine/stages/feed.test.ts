import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { EPISODE_STREAM, EPISODES_MAX, EpisodeRow } from '../../../engine/contract/episodes.ts'
import {
  FEED_MAX_EVENTS,
  FEED_STREAM,
  FEED_TOPICS,
  type FeedCard,
  FeedEvent,
  feedOpenKey,
} from '../../../engine/contract/feed.ts'
import { GapCardsBoard } from '../../../engine/contract/gapCards.ts'
import { Snapshot, snapshotKey } from '../../../engine/contract/snapshot.ts'
import { parseEpisodes } from '../../../engine/core/boards/pairMemory.ts'
import { StaleFenceError, StoreMovedError } from '../../../engine/errors.ts'
import type { Board } from '../../../engine/stages/board.ts'
import { BoardPublisher } from '../../../engine/stages/boardPublisher.ts'
import { EPISODES_KEY, FENCE_KEY } from '../../../engine/stages/keys.ts'
import { LineSpace } from '../../../engine/stages/lineSpace.ts'
import { remember } from '../../../engine/stages/memory.ts'
import { pairStage } from '../../../engine/stages/pairStage.ts'
import { type Changes, noChanges, World } from '../../../engine/stages/world.ts'
import type { Book } from '../../../ingest/contract/quote.ts'
import { instant } from '../../../ops/instant.ts'
import { createLog } from '../../../ops/log.ts'
import { DAY, MINUTE, SECOND } from '../../../ops/units.ts'
import { rememberStore, startRedis, type TestRedis } from '../../support/redis.ts'
import { marketA, marketB, quote } from '../support/markets.ts'
import { loadListed } from '../support/stream.ts'

const NOW = 1_800_000_000_000
const PLACES = ['Chile', 'Peru', 'Kenya', 'Nepal']
const tickerOf = (place: string) => `KXVISIT-27JUN30-${place.toUpperCase()}`

let server: TestRedis
let redis: Redis
let world: World
/** The boards of all engines that follow the world. */
let boards: Board[] = []
let nowMs = NOW
let seenMs = NOW
beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.url.slice('unix:'.length))
})
afterAll(async () => {
  redis?.disconnect()
  await server?.stop()
})
beforeEach(() => begin())

async function begin() {
  await redis.flushall()
  boards = []
  nowMs = NOW
  world = new World({ nowMs: () => nowMs })
  for (const place of PLACES) {
    const title = `Will Ola Berg visit ${place} by June 30, 2027?`
    const times = { closeMs: NOW + 90 * DAY, rules: 'Yes if it happens.' }
    loadListed(world, { market: marketA(place, title, times), quote: quote('a', place, 4_000, 4_100) })
    loadListed(world, {
      market: marketB(tickerOf(place), title, times),
      quote: quote('b', tickerOf(place), 4_000, 4_100),
    })
  }
  for (const _ of world.pairLoaded());
  expect(world.pairs).toBe(PLACES.length)
}

/** Moves the bid of B so that the mids are `cents` apart; null: B has no bid. */
function move(place: string, cents: number | null) {
  const bid = cents === null ? null : 4_000 + cents * 100
  const moved = quote('b', tickerOf(place), bid, bid === null ? 9_000 : bid + 100, { seenMs: ++seenMs })
  const batch = { kind: 'changes', venue: 'b', markets: [], quotes: [moved], closed: [] } as const
  const changes = noChanges()
  for (const _ of world.apply({ ...batch, markets: [], quotes: [moved], closed: [] }, changes));
  for (const board of boards) board.note(changes)
}

/** Has both books read again, with enough at the prices that `move` makes. */
function seeDepth(place: string, cents: number) {
  for (const [venue, marketId, bidBps] of [
    ['a', place, 4_000],
    ['b', tickerOf(place), 4_000 + cents * 100],
  ] as const) {
    const book: Book = {
      venue,
      marketId,
      bids: [[bidBps, 1_000]],
      asks: [[bidBps + 100, 1_000]],
      venueMs: null,
      seenMs: nowMs,
    }
    const changes = noChanges()
    for (const _ of world.apply({ kind: 'books', venue, books: [book] }, changes));
    for (const board of boards) board.note(changes)
  }
}

/** An engine that has just started; it remembers nothing but what is stored. */
function startEngine(connection: Redis = redis, saveEveryMs = 0) {
  const log = createLog('test', 'fatal')
  const [cards] = pairStage({ redis: connection, clock: { nowMs: () => nowMs }, log, saveEveryMs })
  cards!.warm(world)
  boards.push(cards!)
  const publisher = new BoardPublisher(connection, cards!)
  let fence = '0'
  return {
    async lead() {
      fence = String(await redis.incr(FENCE_KEY))
    },
    async publish(fresh = { a: true, b: true }) {
      const at = { nowMs, asOfMs: { a: nowMs, b: nowMs }, fresh }
      await publisher.approach(world, fence, at)
      const published = await publisher.publish(world, fence, at)
      await publisher.remember(fence)
      return published
    },
    stop: () => publisher.remember(fence, true),
  }
}

async function events(): Promise<FeedEvent[]> {
  const entries = await redis.xrange(FEED_STREAM, '-', '+')
  return entries.map(([, fields]) => FeedEvent.parse(JSON.parse(fields[1]!)))
}
async function ended(): Promise<EpisodeRow[]> {
  const entries = await redis.xrange(EPISODE_STREAM, '-', '+')
  return entries.map(([, fields]) => EpisodeRow.parse(JSON.parse(fields[1]!)))
}
async function board() {
  const snapshot = Snapshot.parse(JSON.parse((await redis.get(snapshotKey('gapCards')))!))
  return { ...snapshot, body: GapCardsBoard.parse(snapshot.body) }
}

/** What a reader holds who has heard every event; fails on one that comes twice or out of turn. */
function hear(all: readonly FeedEvent[]) {
  const open = { gaps: new Map<string, FeedCard>(), edges: new Map<string, FeedCard>() }
  for (const { kind, topic, card } of all) {
    const before = open[topic].get(card.pairId)
    if (kind === 'opened') expect(before).toBeUndefined()
    else expect(before).toBeDefined()
    if (kind === 'closed') {
      expect(card).toEqual(before)
      open[topic].delete(card.pairId)
    } else open[topic].set(card.pairId, card)
  }
  return open
}
const ids = (cards: Iterable<Pick<FeedCard, 'cardId'>>) => [...cards].map(({ cardId }) => cardId).sort()

/** The promise of the feed: a reader who folds it knows what is open now. */
async function expectTruth() {
  const heard = hear(await events())
  const { cards } = (await board()).body
  expect(ids(heard.gaps.values())).toEqual(ids(cards.filter(({ life }) => life !== null)))
  for (const topic of FEED_TOPICS) {
    const stored = Object.entries(await redis.hgetall(feedOpenKey(topic)))
    expect(Object.fromEntries(stored.map(([pairId, text]) => [pairId, JSON.parse(text)]))).toEqual(
      Object.fromEntries(heard[topic]),
    )
  }
  const rows = (await ended()).map((row) => row.episode_id)
  expect(rows.length).toBe(new Set(rows).size)
  return { heard, cards, rows }
}

describe('feed, ended gaps and cards are one publication', () => {
  test('events carry the version of the cards they belong to', async () => {
    const engine = startEngine()
    await engine.lead()
    await engine.publish()
    move('Chile', 5)
    const { version } = await engine.publish()
    expect(version).toBe(2)
    expect(
      (await events()).map(({ kind, topic, snapshotVersion }) => [kind, topic, snapshotVersion]),
    ).toEqual([['opened', 'gaps', 2]])
    nowMs += 10 * SECOND
    move('Chile', 0)
    await engine.publish()
    expect((await events()).at(-1)).toMatchObject({ kind: 'closed', snapshotVersion: 3 })
    expect(await ended()).toMatchObject([{ market_a: 'Chile', why_closed: 'narrowed', samples: 2 }])
  })

  test('what stands open is kept by its topic', async () => {
    const engine = startEngine()
    await engine.lead()
    move('Chile', 9)
    for (let minute = 0; minute < 3; minute++) {
      seeDepth('Chile', 9)
      await engine.publish()
      nowMs += 1 * MINUTE
    }
    const { heard } = await expectTruth()
    expect(FEED_TOPICS.map((topic) => heard[topic].size)).toEqual([1, 1])
  })

  test('VEN-18 a leader that was replaced writes no event, no card, no memory', async () => {
    const [old, next] = [startEngine(), startEngine()]
    await old.lead()
    await old.publish()
    await next.lead()
    const before = await redis.dump(EPISODES_KEY)
    move('Chile', 5)
    await expect(old.publish()).rejects.toThrow(StaleFenceError)
    expect([await events(), await ended(), (await board()).version]).toEqual([[], [], 1])
    expect(await redis.dump(EPISODES_KEY)).toEqual(before)
    await next.publish()
    await expectTruth()
  })

  test('VEN-18 nor does it overwrite what its successor remembers', async () => {
    const [old, next] = [startEngine(), startEngine()]
    await old.lead()
    await next.lead()
    await next.publish()
    const before = await redis.get(EPISODES_KEY)
    await expect(remember(redis, 1, [], new LineSpace())).rejects.toThrow(StaleFenceError)
    expect(await redis.get(EPISODES_KEY)).toBe(before)
  })

  test('while a venue is stale nothing is told, and the feed stays where it was (VEN-09)', async () => {
    const engine = startEngine()
    await engine.lead()
    move('Chile', 5)
    await engine.publish()
    move('Chile', 0)
    await engine.publish({ a: true, b: false })
    expect(await events()).toHaveLength(1)
    await engine.publish()
    expect(await events()).toHaveLength(2)
    await expectTruth()
  })

  test('streams are bounded', async () => {
    const engine = startEngine()
    await engine.lead()
    move('Chile', 5)
    await engine.publish()
    for (const [stream, most] of [
      [FEED_STREAM, FEED_MAX_EVENTS],
      [EPISODE_STREAM, EPISODES_MAX],
    ] as const)
      await redis.eval(
        "for i = 1, ARGV[1] do redis.call('XADD', KEYS[1], '*', 'event', '{}') end",
        1,
        stream,
        most + 1_000,
      )
    const next = startEngine()
    await next.lead()
    nowMs += 10 * SECOND
    move('Chile', 0)
    await next.publish()
    expect(await redis.xlen(FEED_STREAM)).toBeLessThan(FEED_MAX_EVENTS + 200)
    expect(await redis.xlen(EPISODE_STREAM)).toBeLessThan(EPISODES_MAX + 200)
  })
})

describe('what one engine goes on with', () => {
  test('the quote stream was cut and the world is another one: gaps keep their age, and nothing is told again', async () => {
    const engine = startEngine()
    await engine.lead()
    move('Chile', 5)
    await engine.publish()
    nowMs += 30 * SECOND
    for (const board of boards) board.warm(world)
    await engine.publish()
    const { cards } = await expectTruth()
    expect(await events()).toHaveLength(1)
    expect(cards.filter(({ life }) => life !== null)).toMatchObject([
      { life: { openedMs: NOW, ageMs: 30 * SECOND } },
    ])
  })

  test('what it saves can be read each time', async () => {
    const engine = startEngine()
    await engine.lead()
    for (const cents of [5, 6, 7]) {
      move('Chile', cents)
      await engine.publish()
      const saved = parseEpisodes((await redis.get(EPISODES_KEY))!)
      expect([...saved!.episodes.open.values()]).toMatchObject([{ peakCents: cents }])
    }
  })
})

describe('what another engine left', () => {
  const opened = async () => {
    const engine = startEngine()
    await engine.lead()
    move('Chile', 5)
    await engine.publish()
    nowMs += 30 * SECOND
  }

  test('a gap keeps its age and its card id under the next leader', async () => {
    await opened()
    const next = startEngine()
    await next.lead()
    await next.publish()
    const { cards } = await expectTruth()
    expect(await events()).toHaveLength(1)
    expect(cards.find(({ a }) => a.marketId === 'Chile')).toMatchObject({
      life: { openedMs: NOW, ageMs: 30 * SECOND, peakCents: 5 },
    })
  })

  test('a peak that was told after the memory was saved is still the peak', async () => {
    const engine = startEngine(redis, 60 * SECOND)
    await engine.lead()
    move('Chile', 5)
    await engine.publish() //  saved with it
    for (const cents of [9, 4]) {
      nowMs += 2 * SECOND
      move('Chile', cents)
      await engine.publish() //  not saved
    }
    const next = startEngine()
    await next.lead()
    await next.publish()
    const { cards } = await expectTruth()
    expect(cards.find(({ a }) => a.marketId === 'Chile')).toMatchObject({
      gapCents: 4,
      life: { peakCents: 9 },
    })
    move('Chile', 0)
    await next.publish()
    expect(await ended()).toMatchObject([{ open_cents: 5, peak_cents: 9, last_cents: 0 }])
  })

  test('a gap that opened after the memory was saved opened, peaked and halved as it was told then', async () => {
    const engine = startEngine(redis, 60 * SECOND)
    await engine.lead()
    await engine.publish() //  saved
    for (const cents of [5, 9, 4, 6]) {
      nowMs += 2 * SECOND
      move('Chile', cents)
      await engine.publish() //  not saved
    }
    const next = startEngine()
    await next.lead()
    nowMs += 2 * SECOND
    move('Chile', 0)
    await next.publish()
    expect(await ended()).toMatchObject([
      {
        opened_at: instant(NOW + 2 * SECOND),
        open_cents: 5,
        peak_at: instant(NOW + 4 * SECOND),
        peak_cents: 9,
        half_life_ms: 2 * SECOND,
        last_cents: 0,
        samples: 5,
      },
    ])
    await expectTruth()
  })

  test('nor is it another gap when its card was closed since because a leg had no mid', async () => {
    const engine = startEngine(redis, 60 * SECOND)
    await engine.lead()
    await engine.publish() //  saved
    for (const cents of [5, null]) {
      nowMs += 2 * SECOND
      move('Chile', cents)
      await engine.publish() //  not saved
    }
    const next = startEngine()
    await next.lead()
    nowMs += 2 * SECOND
    move('Chile', 4)
    await next.publish()
    const { cards } = await expectTruth()
    expect(cards.find(({ a }) => a.marketId === 'Chile')?.life?.openedMs).toBe(NOW + 2 * SECOND)
    expect(await ended()).toEqual([])
  })

  test('what was told before the memory was saved is not told since, also where the market clock was set back', async () => {
    const engine = startEngine(redis, 60 * SECOND)
    await engine.lead()
    for (const [second, cents] of [
      [10, 5],
      [12, 0], //  it ended
      [75, 0],
      [5, 0], //   set back
    ] as const) {
      nowMs = NOW + second * SECOND
      move('Chile', cents)
      await engine.publish()
    }
    await engine.stop() //  saved
    await engine.lead()
    nowMs += 2 * SECOND
    move('Peru', 5)
    await engine.publish() //  not saved
    const next = startEngine()
    await next.lead()
    nowMs += 5 * SECOND
    await next.publish()
    await expectTruth()
    expect((await ended()).map((row) => row.market_a)).toEqual(['Chile'])
  })

  test('an engine that stops leaves what no card tells: a peak that was no news, and when it was', async () => {
    const engine = startEngine(redis, 60 * SECOND)
    await engine.lead()
    move('Chile', 5)
    await engine.publish() //  saved with it
    for (const cents of [5.4, 5]) {
      nowMs += 2 * SECOND
      move('Chile', cents)
      await engine.publish() //  neither saved nor told
    }
    expect(await events()).toHaveLength(1)
    await engine.stop()
    const saved = parseEpisodes((await redis.get(EPISODES_KEY))!)!.episodes
    expect([...saved.open.values()]).toMatchObject([
      { peakCents: 5.4, peakMs: NOW + 2 * SECOND, lastMs: NOW + 4 * SECOND, samples: 3 },
    ])
  })

  test('an end that was told after the memory was saved is not told again, and its gap may open anew', async () => {
    const engine = startEngine(redis, 60 * SECOND)
    await engine.lead()
    move('Chile', 5)
    await engine.publish() //  saved with it
    nowMs += 10 * SECOND
    move('Chile', 0)
    await engine.publish() //  not saved
    nowMs += 10 * SECOND
    const next = startEngine()
    await next.lead()
    await next.publish()
    await expectTruth()
    expect((await ended()).map((row) => row.episode_id)).toEqual([expect.stringContaining(`@${NOW}`)])
    move('Chile', 5)
    await next.publish()
    const { cards } = await expectTruth()
    expect(cards.filter(({ life }) => life !== null)).toMatchObject([{ life: { openedMs: nowMs } }])
  })

  test('nor is it when a thousand others were told between', async () => {
    const engine = startEngine(redis, 60 * SECOND)
    await engine.lead()
    move('Chile', 5)
    await engine.publish() //  saved with it
    const others = redis.pipeline()
    for (let at = 0; at < 1_000; at++) others.xadd(EPISODE_STREAM, '*', 'episode', '{}')
    await others.exec()
    move('Chile', 0)
    await expect(engine.publish()).rejects.toThrow(StoreMovedError)
    await engine.publish() //  not saved
    const next = startEngine()
    await next.lead()
    await next.publish()
    expect(await redis.xlen(EPISODE_STREAM)).toBe(1_001)
    expect((await events()).map(({ kind }) => kind)).toEqual(['opened', 'closed'])
  })

  test.each([
    ['lost', null],
    ['of another shape', '{"version":1}'],
    ['no JSON', 'half of'],
  ])('a memory that is %s: ages come from the cards that stand open', async (_what, text) => {
    await opened()
    if (text === null) await redis.del(EPISODES_KEY)
    else await redis.set(EPISODES_KEY, text)
    const next = startEngine()
    await next.lead()
    await next.publish()
    const { cards } = await expectTruth()
    expect(await events()).toHaveLength(1)
    expect(cards.filter(({ life }) => life !== null)).toMatchObject([{ life: { openedMs: NOW } }])
  })

  test.each([
    ['of another shape is told closed, as it stands', '{"schema":"botFuel.v1"}', { schema: 'botFuel.v1' }],
    ['that is no JSON is told closed', 'half of', null],
  ])('a card %s, and opened anew', async (_what, text, card) => {
    await opened()
    const [pairId] = await redis.hkeys(feedOpenKey('gaps'))
    await redis.hset(feedOpenKey('gaps'), pairId!, text)
    await redis.del(EPISODES_KEY)
    const next = startEngine()
    await next.lead()
    await next.publish()
    const raw = (await redis.xrange(FEED_STREAM, '-', '+')).slice(1)
    expect(raw.map(([, fields]) => JSON.parse(fields[1]!))).toMatchObject([
      { kind: 'closed', topic: 'gaps', card },
      { kind: 'opened', topic: 'gaps', card: { schema: 'feedCard.v1', a: { marketId: 'Chile' } } },
    ])
    await next.publish()
    expect(await redis.xlen(FEED_STREAM)).toBe(3) //  told once
  })

  test('nobody looked for too long: the gap ended when it was last seen, and is another one now', async () => {
    await opened()
    nowMs += 10 * MINUTE
    const next = startEngine()
    await next.lead()
    await next.publish()
    await expectTruth()
    expect((await events()).map(({ kind }) => kind)).toEqual(['opened', 'closed', 'opened'])
    expect(await ended()).toMatchObject([{ why_closed: 'unwatched', samples: 1 }])
  })

  test('the market clock was set back: ages begin anew, and the feed goes on', async () => {
    await opened()
    nowMs = NOW - 1 * DAY
    const next = startEngine()
    await next.lead()
    await next.publish()
    const { cards } = await expectTruth()
    expect(cards.filter(({ life }) => life !== null)).toMatchObject([{ life: { openedMs: nowMs, ageMs: 0 } }])
    nowMs += 10 * SECOND
    move('Chile', 0)
    await next.publish()
    expect((await events()).at(-1)).toMatchObject({ kind: 'closed' })
  })

  test('a clock a little behind the last leader: no age is negative', async () => {
    await opened()
    nowMs = NOW - 2 * SECOND
    const next = startEngine()
    await next.lead()
    await next.publish()
    const { cards } = await expectTruth()
    expect(cards.filter(({ life }) => life !== null)).toMatchObject([{ life: { openedMs: NOW, ageMs: 0 } }])
  })

  test.each([FEED_STREAM, EPISODE_STREAM])(
    'VEN-18 an entry of %s that this engine did not tell: nothing is written on top',
    async (stream) => {
      const engine = startEngine()
      await engine.lead()
      await engine.publish()
      await redis.xadd(stream, '*', 'told', 'by another')
      const length = await redis.xlen(FEED_STREAM)
      move('Chile', 5)
      await expect(engine.publish()).rejects.toThrow(StoreMovedError)
      expect(await redis.xlen(FEED_STREAM)).toBe(length)
      await engine.publish()
      expect(await redis.xlen(FEED_STREAM)).toBe(length + 1)
    },
  )

  test('a store that lost its last second: nothing is written on top, then the truth is told again', async () => {
    const engine = startEngine()
    await engine.lead()
    await engine.publish()
    const keys = [FEED_STREAM, feedOpenKey('gaps'), snapshotKey('gapCards')]
    const before = await Promise.all(keys.map((key) => redis.dumpBuffer(key)))
    move('Chile', 5)
    await engine.publish()
    for (const [at, key] of keys.entries()) {
      await redis.del(key)
      if (before[at] !== null) await redis.restore(key, 0, before[at]!)
    }
    nowMs += 5 * SECOND
    await expect(engine.publish()).rejects.toThrow(StoreMovedError)
    expect(await events()).toEqual([])
    await engine.publish()
    await expectTruth()
    expect(await events()).toHaveLength(1)
  })
})

/** A connection on which Redis executes a command, and the reply is lost on its way. */
function losesReplies(connection: Redis) {
  const state = { loses: Number.POSITIVE_INFINITY } // the first is 0
  const lossy = new Proxy(connection, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      if (key !== 'evalsha') return value.bind(target)
      return async (...args: unknown[]) => {
        const reply: unknown = await value.apply(target, args)
        if (state.loses-- === 0) throw new Error('Connection is closed.')
        return reply
      }
    },
  })
  return { connection: lossy, state }
}

const MOVES = fc.record({
  do: fc.constant('move' as const),
  place: fc.constantFrom(...PLACES),
  cents: fc.constantFrom(0, 1, 2, 3, 5, 8),
})
const byEngine = <What extends string>(what: What) => fc.record({ do: fc.constant(what), engine: fc.nat(1) })

describe('after any sequence of publications, kills, lost replies and changes of leader', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: MOVES },
    { weight: 6, arbitrary: byEngine('publish') },
    { weight: 2, arbitrary: byEngine('lead') },
    { weight: 2, arbitrary: byEngine('kill') },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('lose' as const), engine: fc.nat(1), nth: fc.nat(1) }),
    },
  )

  test('who folds the feed knows what is open; nothing is told twice, no end is lost, gaps keep their age', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 8, maxLength: 40 }),
        fc.constantFrom(0, 60 * SECOND),
        async (steps, saveEveryMs) => {
          await begin()
          const { connection, state } = losesReplies(redis)
          const engines = [0, 1].map(() => startEngine(connection, saveEveryMs))
          let leader = -1
          const openedMs = new Map<string, number>() // by pair, as the leaders saw it
          const looked = new Map<string, number>(PLACES.map((place) => [place, 0]))
          const note = () => {
            for (const [place, cents] of looked)
              if (cents >= 2 && !openedMs.has(place)) openedMs.set(place, nowMs)
              else if (cents <= 1) openedMs.delete(place)
          }
          for (const step of steps) {
            nowMs += 5 * SECOND
            if (step.do === 'move') {
              move(step.place, step.cents)
              looked.set(step.place, step.cents)
            } else if (step.do === 'lead') {
              await engines[step.engine]!.lead()
              leader = step.engine
            } else if (step.do === 'kill') {
              engines[step.engine] = startEngine(connection, saveEveryMs)
              if (leader === step.engine) leader = -1
            } else {
              const known = await redis.xlen(FEED_STREAM)
              state.loses = step.do === 'lose' ? step.nth : Number.POSITIVE_INFINITY
              const outcome = await engines[step.engine]!.publish().catch((error: unknown) => error)
              if (step.engine !== leader) {
                if (step.do === 'publish') expect(outcome).toBeInstanceOf(StaleFenceError)
                expect(await redis.xlen(FEED_STREAM)).toBe(known)
                continue
              }
              if (step.do === 'publish') expect(outcome).toMatchObject({ version: expect.any(Number) })
              note()
              const { heard } = await expectTruth()
              expect(
                [...heard.gaps.values()].map(({ a, life }) => [a.marketId, life!.openedMs]).sort(),
              ).toEqual([...openedMs].sort())
            }
          }
          //  every gap that was told closed is history, once
          const closed = (await events()).filter(({ kind, topic }) => kind === 'closed' && topic === 'gaps')
          const rows = (await ended()).map((row) => row.episode_id)
          expect(rows.sort()).toEqual(closed.map(({ card }) => card.cardId).sort())
        },
      ),
      { numRuns: 60 },
    )
  }, 60_000)
})

describe('DATA-03 a store that goes back to what it was some publications ago', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: MOVES },
    { weight: 6, arbitrary: byEngine('publish') },
    { weight: 2, arbitrary: byEngine('lead') },
    { weight: 1, arbitrary: byEngine('kill') },
    { weight: 2, arbitrary: fc.constant({ do: 'save' as const }) },
    { weight: 2, arbitrary: fc.constant({ do: 'roll' as const }) },
  )

  test('whoever publishes afterwards, also two under one fence: who folds the feed knows what is open, and no end is told twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 8, maxLength: 40 }),
        fc.constantFrom(0, 60 * SECOND),
        async (steps, saveEveryMs) => {
          await begin()
          const engines = [0, 1].map(() => startEngine(redis, saveEveryMs))
          const apart = new Map<string, number>(PLACES.map((place) => [place, 0]))
          let back = await rememberStore(redis)
          for (const step of steps) {
            nowMs += 5 * SECOND
            if (step.do === 'move') {
              move(step.place, step.cents)
              apart.set(step.place, step.cents)
            }
            if (step.do === 'lead') await engines[step.engine]!.lead()
            else if (step.do === 'kill') engines[step.engine] = startEngine(redis, saveEveryMs)
            else if (step.do === 'save') back = await rememberStore(redis)
            else if (step.do === 'roll') await back().exec()
            else if (step.do === 'publish') {
              const outcome = await engines[step.engine]!.publish().catch((error: unknown) => error)
              if (outcome instanceof StaleFenceError || outcome instanceof StoreMovedError) continue
              expect(outcome).toMatchObject({ version: expect.any(Number) })
              await expectTruth()
            }
          }
          const [last] = engines
          await last!.lead()
          await last!.publish().catch(() => last!.publish()) //  the second one, after a look at what is there
          const { heard } = await expectTruth()
          const open = PLACES.filter((place) => apart.get(place)! >= 2).sort()
          expect([...heard.gaps.values()].map(({ a }) => a.marketId).sort()).toEqual(open)
        },
      ),
      { numRuns: 60 },
    )
  }, 60_000)
})

test('cards are due when a pair moved, and when nobody needs us for a while; nets and edges go out with them', () => {
  const stages = pairStage({ redis, clock: { nowMs: () => nowMs }, log: createLog('test', 'fatal') })
  for (const stage of stages) stage.warm(world)
  const isDue = (changes: Partial<Changes>) =>
    stages.map((stage) => stage.note({ ...noChanges(), ...changes }))
  expect(isDue({ pairs: new Set(Array.from(world.livePairs(), ({ pairId }) => pairId)) })).toEqual([
    true,
    false,
    false,
  ])
  expect(isDue({ touched: [{ venue: 'a', marketId: 'of no pair' }], sweep: true })).toEqual([
    false,
    false,
    false,
  ])
  expect(stages.map((stage) => stage.rest?.())).toEqual([true, undefined, undefined])
})
