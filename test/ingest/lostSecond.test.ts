import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFeed, type SweepFeed } from '../../ingest/poll/feed.ts'
import { type SweepOutcome, sweepVenue } from '../../ingest/poll/sweepVenue.ts'
import { createPublisher } from '../../ingest/publish.ts'
import { createVenueA } from '../../ingest/venues/a/client.ts'
import { createHttpClient, type HttpClient } from '../../ops/http.ts'
import { rememberStore, watched } from '../support/redis.ts'
import { serveAnswers } from './support/answers.ts'
import { type Bench, Latest, openBench, replayStream } from './support/bench.ts'
import { eventA, marketA } from './support/rows.ts'

const FAST = { perSecond: 10_000, burst: 10_000 }
const IDS = ['m1', 'm2', 'm3', 'm4']
const PER_PAGE = 2
let bench: Bench
let http: HttpClient
let venue: Awaited<ReturnType<typeof serveAnswers>>
/** The bid of every market that the venue lists, in cents. */
let listed: Map<string, number>

beforeAll(async () => {
  bench = await openBench()
  http = createHttpClient({ timeoutMs: 1_000, maxBytes: 4_000_000 })
  venue = await serveAnswers((_, url) => {
    const from = Number(url.searchParams.get('after_cursor') ?? 0)
    const to = from + PER_PAGE
    const events = [...listed].map(([id, cents]) =>
      eventA([marketA({ id, bestBid: cents / 100 })], { id: `e${id}` }),
    )
    return { json: { events: events.slice(from, to), next_cursor: to < events.length ? `${to}` : undefined } }
  })
})
afterAll(async () => {
  await http.close()
  await venue.close()
  await bench.close()
})
beforeEach(() => begin())

async function begin() {
  await bench.wipe()
  listed = new Map(IDS.map((id) => [id, 30]))
}

/** What befalls the call of a sweep with this number: its reply is lost, it is not made, or `save` or `roll` come before it. */
type Trouble = { kind: 'lose' | 'fail' | 'save' | 'roll'; nth: number }

/** Redis goes back to what it was at the last `save`. */
let back: Awaited<ReturnType<typeof rememberStore>>
const save = async () => {
  back = await rememberStore(bench.redis)
}
const roll = () => back().exec()

/** A process that sweeps. */
function startWorker(owner: string) {
  let troubles: readonly Trouble[] = []
  let calls = 0
  let now: Trouble['kind'][] = []
  const cut = () => {
    throw new Error('Connection is closed.')
  }
  const redis = watched(bench.redis, {
    async before(command, args) {
      now = []
      if (command !== 'evalsha') return
      if (!args.includes('renew')) now = troubles.filter(({ nth }) => nth === calls).map(({ kind }) => kind)
      calls++
      if (now.includes('roll')) await roll()
      if (now.includes('save')) await save()
      if (now.includes('fail')) cut()
    },
    after() {
      if (now.includes('lose')) cut()
    },
  })
  const feed: SweepFeed = createFeed(
    createVenueA({ http, catalogUrl: venue.url, bookUrl: venue.url, limits: { catalog: FAST, books: FAST } }),
  )
  const publisher = createPublisher(redis, { owner, maxBatches: 1_000, maxBytes: 1024 ** 3, restMs: 0 })
  const ports = { ...bench.ports(owner), publisher }
  return async (...befall: Trouble[]): Promise<SweepOutcome | 'failed'> => {
    troubles = befall
    calls = 0
    return sweepVenue(feed, ports, new AbortController().signal).catch(() => 'failed' as const)
  }
}

/** Newest state of every market in Redis, in cents; it is also what a reader of the whole stream holds. */
async function held(): Promise<[id: string, cents: number][]> {
  const replayed = replayStream(await bench.stream(), 'a')
  const latest = await bench.latest('a')
  const told = (states: Iterable<[string, unknown]>): [string, number][] =>
    [...states]
      .map(([id, state]): [string, number] => [id, Latest.parse(state).quote.bidBps! / 100])
      .sort(([x], [y]) => (x < y ? -1 : 1))
  expect(told(latest)).toEqual(told(replayed))
  return told(latest)
}
const truth = () => [...listed].sort(([x], [y]) => (x < y ? -1 : 1))

describe('DATA-03 Redis lost its last second while we ran', () => {
  /** The calls of a sweep in which the first market has moved: its term, one batch, itself. */
  const [TERM, BATCH, ITSELF] = [0, 1, 2]
  test.each([
    ['a whole sweep', TERM],
    ['what a sweep published', BATCH],
    ['that it ended', ITSELF],
  ])('%s: the next one publishes it again, though the venue stands still', async (_, nth) => {
    const sweep = startWorker('one')
    expect(await sweep()).toBe('complete')
    listed.set('m1', 40)
    expect(await sweep({ kind: 'save', nth })).toBe('complete')
    expect(await held()).toEqual(truth())
    await roll()
    expect(await sweep()).toBe('complete')
    expect(await held()).toEqual(truth())
  })

  test('what is left of a sweep whose beginning is lost is not published, the next one publishes all', async () => {
    const sweep = startWorker('one')
    expect(await sweep()).toBe('complete')
    for (const id of IDS) listed.set(id, 40)
    expect(await sweep({ kind: 'save', nth: BATCH }, { kind: 'roll', nth: BATCH + 1 })).toBe('superseded')
    expect(await held()).toEqual(IDS.map((id) => [id, 30]))
    expect(await sweep()).toBe('complete')
    expect(await held()).toEqual(truth())
  })

  test('nothing lost: nothing is read or published again', async () => {
    const sweep = startWorker('one')
    for (let round = 0; round < 3; round++) await sweep()
    expect((await bench.stream()).map(({ kind }) => kind)).toEqual([
      'changes',
      'changes',
      'sweep',
      'sweep',
      'sweep',
    ])
  })
})

describe('two processes, calls that fail, replies that are lost, a Redis that goes back', () => {
  const trouble = fc.record({
    kind: fc.constantFrom<Trouble['kind']>('lose', 'fail', 'save', 'save', 'roll'),
    nth: fc.nat(5),
  })
  const troubles = fc.array(trouble, { maxLength: 2 })
  const id = fc.constantFrom(...IDS, 'm5')
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('move' as const), id, cents: fc.integer({ min: 30, max: 34 }) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('leave' as const), id }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('sweep' as const), by: fc.nat(1), troubles }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('save' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('roll' as const) }) },
  )

  test('after every complete sweep Redis holds what the venue shows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 40 }), async (steps) => {
        await begin()
        await save()
        const workers = [startWorker('one'), startWorker('two')]
        for (const step of steps) {
          if (step.do === 'move') listed.set(step.id, step.cents)
          else if (step.do === 'leave') listed.delete(step.id)
          else if (step.do === 'save') await save()
          else if (step.do === 'roll') await roll()
          else if ((await workers[step.by]!(...step.troubles)) === 'complete')
            expect(await held()).toEqual(truth())
        }
        const outcomes = [await workers[0]!(), await workers[1]!()]
        expect(outcomes.filter((outcome) => outcome !== 'busy' && outcome !== 'empty')).not.toContain(
          'failed',
        )
        if (outcomes.includes('complete')) expect(await held()).toEqual(truth())
      }),
      { numRuns: 60 },
    )
  }, 60_000)
})
