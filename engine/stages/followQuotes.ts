import type { Redis } from 'ioredis'
import { z } from 'zod'
import { Market, Venue } from '../../ingest/contract/market.ts'
import { Quote } from '../../ingest/contract/quote.ts'
import {
  Batch,
  latestMarketsKey,
  latestQuotesKey,
  QUOTE_STREAM,
  SWEEP_KEY,
  Sweep,
} from '../../ingest/contract/stream.ts'
import type { Clock } from '../../ops/clock.ts'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { quickCheck } from '../../ops/quickCheck.ts'
import { redisScript } from '../../ops/redisScript.ts'
import { SECOND } from '../../ops/units.ts'
import { createTurns, inTurns } from './turns.ts'
import { type Changes, noChanges, World } from './world.ts'

//  Entries of one read, each up to a megabyte, and how long an empty read waits.
const READ_COUNT = 16
const BLOCK_MS = 1 * SECOND
const SCAN_COUNT = 1_000
const STOP_MS = 500
const RETRY_MS = 1 * SECOND

export type Follower = {
  world(): World
  /** Null when warm and reading, else what is being waited for. */
  problem(): string | null
  stop(): Promise<void>
}

export type FollowerPorts = {
  redis: Redis //    commands
  blocking: Redis // a connection of its own: XREAD waits on it
  clock: Clock //    market clock
  log: Log
  /** A new world was loaded: everything computed so far is void. */
  onWarm(world: World): void
  /** Batches were applied. `newestMs` is the real time at which the newest entry was written to the stream. */
  onChanges(changes: Changes, newestMs: number): void
  onBadBatch(): void
}

/**
 * Follows the quote stream. A warm start remembers the stream's end, reads the newest state of every market, and
 * goes on from there. What changed in between is seen twice, first as it is and then as it was: nobody is told of the world
 * before it has come up to where the stream was then. When the stream was cut past our position, or began anew, the whole
 * state is read again; while the store does not answer we wait where we are.
 */
export function followQuotes(ports: FollowerPorts): Follower {
  const { redis, blocking, log } = ports
  let world = new World(ports.clock)
  let problem: string | null = 'warm start'
  let stopped = false

  const run = async () => {
    while (!stopped) {
      try {
        problem = 'warm start'
        const start = await streamEnd(redis)
        world = await warmStart(redis, ports)
        if (stopped) return
        await follow(start, await streamEnd(redis))
        if (!stopped) log.warn('the quote stream was cut past our position, or texts wore out: warm start')
      } catch (error) {
        await pause(error, 'following the quote stream failed')
      }
    }
  }

  const pause = async (error: unknown, what: string) => {
    if (stopped) return
    problem = describeError(error)
    log.error({ reason: problem }, what)
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }

  /** Reads on until stopped or until entries were lost; from `now` on what is applied is told. */
  const follow = async (start: StreamEnd, now: StreamEnd) => {
    let { id, entries } = start
    let isTold = false
    const tellWhenThere = () => {
      if (isTold || entries < now.entries) return
      isTold = true
      problem = null
      ports.onWarm(world)
    }
    tellWhenThere()
    const readNext = async (): Promise<Entries | 'lost'> => {
      const reply = await blocking.xread('COUNT', READ_COUNT, 'BLOCK', BLOCK_MS, 'STREAMS', QUOTE_STREAM, id)
      const read = reply?.[0]?.[1] ?? []
      return stopped ? [] : (await lostEntries(redis, { id, entries })) ? 'lost' : read
    }
    while (!stopped) {
      let read: Entries | 'lost'
      try {
        read = await readNext()
        if (isTold) problem = null
      } catch (error) {
        //  everything known stays known: to read it all again would cost minutes of work
        await pause(error, 'the quote stream cannot be read')
        continue
      }
      if (read === 'lost') return
      for (const [entryId, fields] of read) {
        const changes = await applyEntry(fields)
        if (isTold && changes !== null) ports.onChanges(changes, Number(entryId.split('-')[0]))
        id = entryId
        entries++
        tellWhenThere()
      }
      if (world.isWorn) return
    }
  }

  const turn = createTurns()
  //  what an entry changed is told at once: behind a long backlog the boards would stand still otherwise
  const applyEntry = async (fields: string[]): Promise<Changes | null> => {
    await turn()
    const batch = readBatch(fields)
    fields.length = 0 //  up to a megabyte of text, which would grow old while what it says is worked off
    if (batch === null) {
      ports.onBadBatch()
      return null
    }
    const changes = noChanges()
    for (const _ of world.apply(batch, changes)) await turn()
    return changes
  }

  const done = run()
  return {
    world: () => world,
    problem: () => problem,
    async stop() {
      stopped = true
      blocking.disconnect()
      //  a read that waits for a server that is gone never ends: nothing depends on its answer
      await Promise.race([done, new Promise((resolve) => setTimeout(resolve, STOP_MS))])
    },
  }
}

type Entries = [id: string, fields: string[]][]
type StreamEnd = { id: string; entries: number }

/** Last id of the stream and how many entries were ever added to it. */
async function streamEnd(redis: Redis): Promise<StreamEnd> {
  const info = await streamInfo(redis)
  return info === null ? { id: '0-0', entries: 0 } : { id: info.lastId, entries: info.added }
}

/** Were entries cut that we have not read, or did the stream begin anew? While it holds the one we read last, neither. */
async function lostEntries(redis: Redis, { id, entries }: StreamEnd): Promise<boolean> {
  if ((await countAt(redis, [QUOTE_STREAM], [id])) === 1) return false
  const info = await streamInfo(redis)
  if (info === null) return entries > 0
  return info.added < entries || info.added - info.length > entries
}

//  KEYS[1] stream  ARGV[1] id → whether it holds that entry, 1 or 0. Not asked with XINFO at every read: that comes with the first
//  and the last entry, up to a megabyte each, which was most of what the engine left to be collected.
const countAt = redisScript(`return #redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])`)

async function streamInfo(redis: Redis): Promise<{ lastId: string; added: number; length: number } | null> {
  try {
    const reply = (await redis.xinfo('STREAM', QUOTE_STREAM)) as (string | number)[]
    const field = (name: string) => reply[reply.indexOf(name) + 1]
    return {
      lastId: String(field('last-generated-id')),
      added: Number(field('entries-added')),
      length: Number(field('length')),
    }
  } catch (error) {
    if (error instanceof Error && /no such key/i.test(error.message)) return null
    throw error
  }
}

async function warmStart(redis: Redis, { log, clock }: FollowerPorts): Promise<World> {
  const world = new World(clock)
  const startedMs = performance.now()
  let bad = 0
  const load = async <T>(key: string, fits: (value: unknown) => value is T, take: (value: T) => void) => {
    let cursor = '0'
    do {
      const [next, flat] = await redis.hscan(key, cursor, 'COUNT', SCAN_COUNT)
      cursor = next
      for (let at = 1; at < flat.length; at += 2) {
        const value = parseJson(flat[at]!)
        if (fits(value)) take(value)
        else bad++
      }
    } while (cursor !== '0')
  }
  for (const venue of Venue.options) {
    await load(latestMarketsKey(venue), isMarket, (market) => world.loadMarket(market))
    await load(latestQuotesKey(venue), isQuote, (quote) => world.loadQuote(quote))
  }
  for (const text of Object.values(await redis.hgetall(SWEEP_KEY))) {
    const sweep = fitting(parseJson(text), Sweep)
    if (sweep !== null) world.loadSweep(sweep)
  }
  const loadedMs = performance.now()
  await inTurns(world.pairLoaded())
  log.info(
    {
      marketsA: world.marketCount('a'),
      marketsB: world.marketCount('b'),
      pairs: world.pairs,
      bad,
      loadMs: Math.round(loadedMs - startedMs),
      pairMs: Math.round(performance.now() - loadedMs),
    },
    'warm',
  )
  return world
}

const isMarkets = quickCheck(z.array(Market))
const isQuotes = quickCheck(z.array(Quote))
const isMarket = quickCheck(Market)
const isQuote = quickCheck(Quote)

/** Null when the entry does not follow the contract: one bad entry must not stop the rest. Most entries are quotes, so those are checked the quick way. */
function readBatch(fields: string[]): Batch | null {
  const at = fields.indexOf('batch')
  const value = at === -1 ? null : parseJson(fields[at + 1]!)
  if (typeof value !== 'object' || value === null) return null
  const { markets, quotes, ...rest } = value as Record<string, unknown>
  if (rest.kind !== 'changes' || !isMarkets(markets) || !isQuotes(quotes)) return fitting(value, Batch)
  const batch = fitting({ ...rest, markets: [], quotes: [] }, Batch)
  return batch?.kind === 'changes' ? { ...batch, markets, quotes } : null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function fitting<T>(value: unknown, schema: z.ZodType<T>): T | null {
  const parsed = schema.safeParse(value)
  return parsed.success ? parsed.data : null
}
