import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isProblem } from '../../../api/errors.ts'
import { createDoor, type FeedAccess } from '../../../api/feed/access.ts'
import { FeedLog } from '../../../api/feed/feedLog.ts'
import type { Feed } from '../../../api/feed/followFeed.ts'
import { eventFrame } from '../../../api/feed/frames.ts'
import { CHECKS_AT_ONCE, STREAMS_MAX, STREAMS_PER_TOKEN } from '../../../api/feed/holders.ts'
import { createHub } from '../../../api/feed/hub.ts'
import { nothingOpen } from '../../../api/feed/openCards.ts'
import { SLOW_BYTES, SLOW_MS } from '../../../api/feed/reader.ts'
import type { FeedStatus } from '../../../api/feed/status.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { someEvent, toldCard } from '../../support/feed.ts'
import { quietLog } from '../../support/ledger.ts'
import { FRESH, STALE } from './statuses.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const SECOND = 1_000

/** What a reader hears, in words: the kind, and whether the data is stale where the message says so. */
const heardOf = (text: string): string => {
  const { kind, stale } = JSON.parse(text)
  return stale === undefined ? kind : `${kind} ${stale ? 'stale' : 'fresh'}`
}

const HOUR = 3_600 * SECOND
type Check = FeedAccess['check']
/** What the store says of a token that ends at this instant. */
const endingAt = (expiresMs: number) => ({
  expiresMs,
  nowMs: Date.now(),
  sku: 'SKU_AG_ALPHA_7D',
  isRevoked: false,
})
const GOOD: Check = async () => endingAt(Date.now() + HOUR)

/** A hub whose time is moved by hand; `join` opens a reader that takes everything unless `stuck`. */
function openHub(check = GOOD) {
  const now: { feed: Feed; status: FeedStatus } = {
    feed: { log: new FeedLog(10_000, '0-0'), open: nothingOpen() },
    status: FRESH,
  }
  const steady = { nowMs: () => Date.now() }
  const door = createDoor({ access: { check }, steady, log: quietLog })
  const hub = createHub({
    feed: () => now.feed,
    status: () => now.status,
    door,
    steady,
    metrics: createMetrics('test'),
  })
  const reserve = (token = 't', endsMs = Date.now() + HOUR) => hub.reserve(token, { key: token, endsMs })
  const join = (afterId: string | null = null, place = reserve()) => {
    if (isProblem(place)) throw new Error(place.problem)
    const said: string[] = []
    const texts: string[] = []
    const ended: string[] = []
    const wire = { stuck: false, lingers: false, drain: () => {}, closed: () => {} }
    const { leave } = place.join(
      { topics: new Set(['gaps']), afterId },
      {
        outlet: {
          write: (chunk) => {
            texts.push(String(Buffer.from(chunk as Uint8Array)))
            said.push(heardOf(texts.at(-1)!))
            return !wire.stuck
          },
          waiting: () => 0,
          onDrained: (listener) => {
            wire.drain = () => {
              wire.stuck = false
              listener()
            }
          },
          onClosed: (listener) => {
            wire.closed = listener
          },
        },
        bytes: ({ text }) => text,
        heartbeat: () => said.push('heartbeat'),
        end: (why) => {
          ended.push(why)
          if (!wire.lingers) wire.closed()
        },
      },
    )
    return { said, texts, ended, wire, leave }
  }
  const tell = (ms: number, topic = '') => {
    now.feed.log.append(someFrame(ms, topic))
    hub.pumpAll()
  }
  /** The feed begins anew with so many events, of two kilobytes each. */
  const beginAnew = (count: number) => {
    now.feed = { log: new FeedLog(10_000, '0-0'), open: nothingOpen() }
    for (let at = 0; at < count; at++) now.feed.log.append(someFrame(1_000 + at, 'x'.repeat(2_000)))
    hub.resetAll()
  }
  return { now, door, hub, reserve, join, tell, beginAnew }
}
const someFrame = (ms: number, topic = '') =>
  eventFrame(`${ms}-0`, someEvent({ kind: 'opened', card: toldCard({ topic }) }))

function begun() {
  const { tell, join } = openHub()
  return { tell, ...join() }
}

test('a heartbeat every fifteen seconds, and none to a reader whose bytes wait', async () => {
  const { said, wire, tell } = begun()
  await vi.advanceTimersByTimeAsync(45 * SECOND)
  expect(said).toEqual(['snapshot fresh', 'heartbeat', 'heartbeat', 'heartbeat'])
  wire.stuck = true
  tell(1)
  await vi.advanceTimersByTimeAsync(15 * SECOND)
  expect(said.slice(4)).toEqual(['opened'])
})

describe('a token is looked up again every minute while it streams', () => {
  //  both ways in which the ledger takes a token back are tested in revoked.test.ts
  test.each<[string, string, Check]>([
    ['revoked', 'it is revoked', async () => ({ ...endingAt(Date.now()), isRevoked: true })],
    ['revoked', 'it is unknown', async () => null],
    //  the machine stood still for hours and its steady clock with it, or the store's clock was set right
    ['expired', 'it has expired, before the end we were told of', async () => endingAt(Date.now())],
  ])('ENT-15 %s, as %s: its readers are told and end', async (why, _, check) => {
    const { join } = openHub(check)
    const readers = [join(), join()]
    await vi.advanceTimersByTimeAsync(59 * SECOND)
    expect(readers.map(({ ended }) => ended)).toEqual([[], []])
    await vi.advanceTimersByTimeAsync(1 * SECOND)
    for (const { said, ended } of readers) expect([said.at(-1), ended]).toEqual([why, [why]])
  })

  test('one whose time is over in that very moment has expired, and was not taken back', async () => {
    const { join, reserve } = openHub(async () => endingAt(Date.now()))
    const { ended } = join(null, reserve('t', Date.now() + 60 * SECOND + 1))
    await vi.advanceTimersByTimeAsync(61 * SECOND)
    expect(ended).toEqual(['expired'])
  })

  test('ENT-06 its very last millisecond is over: a look at that instant ends it, and not the next one', async () => {
    const { join, reserve } = openHub()
    const { ended } = join(null, reserve('t', Date.now() + 30 * SECOND))
    await vi.advanceTimersByTimeAsync(30 * SECOND)
    expect(ended).toEqual(['expired'])
  })

  test.each([
    ['longer', 3_600, []],
    ['shorter', 65, ['expired']],
  ])('ENT-06 when it ends is what the store last said: %s', async (_, lastsS, expected) => {
    const endMs = Date.now() + lastsS * SECOND
    const { join, reserve } = openHub(async () => endingAt(endMs))
    const { ended } = join(null, reserve('t', Date.now() + 90 * SECOND))
    await vi.advanceTimersByTimeAsync(100 * SECOND)
    expect(ended).toEqual(expected)
  })

  test.each([
    ['longer', 30, 90, []],
    ['shorter', 90, 30, ['expired']],
  ])('ENT-06 also where it said so to another reader: %s', async (_, beforeS, lastsS, expected) => {
    const { join, reserve } = openHub()
    const { ended } = join(null, reserve('t', Date.now() + beforeS * SECOND))
    join(null, reserve('t', Date.now() + lastsS * SECOND))
    await vi.advanceTimersByTimeAsync(40 * SECOND)
    expect(ended).toEqual(expected)
  })

  test('one look-up at a time, however long the store takes; its answer is nothing to who came meanwhile', async () => {
    const answers: ((known: Awaited<ReturnType<Check>>) => void)[] = []
    const { join } = openHub(() => new Promise((resolve) => answers.push(resolve)))
    const { leave } = join()
    await vi.advanceTimersByTimeAsync(70 * SECOND)
    expect(answers).toHaveLength(1)
    leave()
    const { ended } = join()
    answers[0]!(null)
    await vi.advanceTimersByTimeAsync(60 * SECOND)
    expect([answers.length, ended]).toEqual([2, []])
    answers[1]!(null)
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toEqual(['revoked'])
  })

  test('ENT-15 one that never comes back keeps no other token from being looked up', async () => {
    const asked: string[] = []
    const { join, reserve } = openHub((token) => {
      asked.push(token)
      return token === 'hangs' ? new Promise(() => {}) : Promise.resolve(null)
    })
    join(null, reserve('hangs'))
    await vi.advanceTimersByTimeAsync((60 + CHECKS_AT_ONCE) * SECOND)
    const { ended } = join(null, reserve('revoked'))
    await vi.advanceTimersByTimeAsync(60 * SECOND)
    expect([asked, ended]).toEqual([['hangs', 'revoked'], ['revoked']])
  })

  test('a store that does not answer ends no stream, and is asked again soon', async () => {
    let asked = 0
    const { join } = openHub(async () => {
      if (++asked < 10) throw new Error('away')
      return null
    })
    const { ended } = join()
    await vi.advanceTimersByTimeAsync(60 * SECOND)
    expect([asked, ended]).toEqual([1, []])
    await vi.advanceTimersByTimeAsync(60 * SECOND)
    expect([asked, ended]).toEqual([10, ['revoked']])
  })

  test('once for all its readers; one that nobody reads with any more is not', async () => {
    const asked: string[] = []
    const { join, reserve } = openHub(async (token) => {
      asked.push(token)
      return GOOD(token)
    })
    for (let at = 0; at < STREAMS_PER_TOKEN; at++) join(null, reserve('many'))
    join(null, reserve('gone')).leave()
    await vi.advanceTimersByTimeAsync(60 * SECOND)
    expect(asked).toEqual(['many'])
  })

  test('of as many tokens as may stream each has its turn, however slow the store; a full door is asked again', async () => {
    const lastMs = new Map<string, number>()
    let [underWay, most, longestMs] = [0, 0, 0]
    const guesses: (() => void)[] = []
    const { join, reserve, door } = openHub(async (token) => {
      if (token.startsWith('guess')) return new Promise((resolve) => guesses.push(() => resolve(null)))
      longestMs = Math.max(longestMs, Date.now() - (lastMs.get(token) ?? startMs))
      lastMs.set(token, Date.now())
      most = Math.max(most, ++underWay)
      await new Promise((resolve) => setTimeout(resolve, 3 * SECOND)) //  a minute is not enough for all
      underWay--
      return GOOD(token)
    })
    const startMs = Date.now()
    for (let at = 0; at < STREAMS_MAX; at++) join('0-0', reserve(`t${at}`))
    for (let at = 0; at < 256; at++) void door.admitToken(`guess${at}`)
    await vi.advanceTimersByTimeAsync(90 * SECOND)
    expect(lastMs.size).toBe(0)
    for (const answer of guesses) answer() //  the door has room again
    await vi.advanceTimersByTimeAsync(600 * SECOND)
    expect([lastMs.size, most]).toEqual([STREAMS_MAX, CHECKS_AT_ONCE])
    const quietMs = Math.max(...[...lastMs.values()].map((atMs) => Date.now() - atMs))
    expect(Math.max(quietMs, longestMs)).toBeLessThanOrEqual(300 * SECOND)
  })
})

describe('room for streams is held from when it is given', () => {
  const problemOf = (place: object) => (isProblem(place) ? place.problem : null)

  test('however many come at once: twenty of a token', () => {
    const { reserve } = openHub()
    const places = Array.from({ length: STREAMS_PER_TOKEN + 1 }, () => problemOf(reserve()))
    expect(places.filter((problem) => problem === null)).toHaveLength(STREAMS_PER_TOKEN)
    expect(places.at(-1)).toBe('too_many_streams')
    expect(problemOf(reserve('other'))).toBeNull()
  })

  test('however many come at once: five thousand of a process', () => {
    const { reserve, join } = openHub()
    const { leave, wire } = join()
    for (const go of [leave, wire.closed, leave]) go() //  leaving makes room for one, however often it is reported
    const places = Array.from({ length: STREAMS_MAX + 1 }, (_, at) => problemOf(reserve(`t${at}`)))
    expect(places.filter((problem) => problem === null)).toHaveLength(STREAMS_MAX)
    expect(places.at(-1)).toBe('busy')
  })

  test('who begins when his place has lapsed has one all the same, and gives back no more than that', async () => {
    const { reserve, join } = openHub()
    const late = reserve()
    await vi.advanceTimersByTimeAsync(1)
    join(null, late)
    const places = Array.from({ length: STREAMS_PER_TOKEN }, () => problemOf(reserve()))
    expect(places.indexOf('too_many_streams')).toBe(STREAMS_PER_TOKEN - 1)
  })

  test('who left before his stream began keeps none; who began keeps his until he leaves', async () => {
    const { reserve, join, hub } = openHub()
    const { leave } = join()
    for (let at = 1; at < STREAMS_PER_TOKEN; at++) reserve()
    expect(problemOf(reserve())).toBe('too_many_streams')
    await vi.advanceTimersByTimeAsync(1)
    const places = Array.from({ length: STREAMS_PER_TOKEN }, () => problemOf(reserve()))
    expect([places.indexOf('too_many_streams'), hub.count()]).toEqual([STREAMS_PER_TOKEN - 1, 1])
    await vi.advanceTimersByTimeAsync(1)
    leave()
    leave()
    for (let at = 0; at < STREAMS_PER_TOKEN; at++) expect(problemOf(reserve())).toBeNull()
    expect(problemOf(reserve())).toBe('too_many_streams')
  })
})

test('nothing is told to a token whose time is over, also before it is looked at again', async () => {
  const { reserve, join, tell } = openHub()
  const { said } = join(null, reserve('t', Date.now() + 500))
  await vi.advanceTimersByTimeAsync(499)
  tell(1)
  await vi.advanceTimersByTimeAsync(1)
  tell(2)
  expect(said).toEqual(['snapshot fresh', 'opened'])
})

describe('a snapshot is shared by those who begin at the same event within a second', () => {
  const first = ({ texts }: { texts: string[] }) => JSON.parse(texts[0]!)

  test('behind one more event it is another: nothing is missed between it and what is told next', () => {
    const { join, tell } = openHub()
    for (const ms of [1, 2, 3]) {
      tell(ms)
      expect(first(join()).id).toBe(`${ms}-0`)
    }
  })

  test('later it says how old the data is by then', async () => {
    const { now, join } = openHub()
    expect(first(join()).snapshotVersion).toBe(1)
    now.status = { ...FRESH, snapshotVersion: 2 }
    expect(first(join()).snapshotVersion).toBe(1)
    await vi.advanceTimersByTimeAsync(SECOND + 1)
    expect(first(join()).snapshotVersion).toBe(2)
  })

  test('when the feed begins anew at an event of the same id it is another', () => {
    const { now, join, tell, beginAnew } = openHub()
    now.feed.open.gaps.set('pair', '{}')
    tell(1_000)
    const { texts } = join()
    expect(JSON.parse(texts[0]!).openCards.gaps).toEqual([{}])
    beginAnew(1)
    expect(JSON.parse(texts.at(-1)!)).toMatchObject({ id: '1000-0', openCards: { gaps: [] } })
  })
})

test('nothing is written while bytes wait; who drains in time hears all that was told meanwhile', async () => {
  const { said, ended, wire, tell } = begun()
  wire.stuck = true
  for (const ms of [1, 2, 3]) tell(ms)
  expect(said).toEqual(['snapshot fresh', 'opened'])
  await vi.advanceTimersByTimeAsync(SLOW_MS - SECOND)
  wire.drain()
  expect(said.filter((kind) => kind === 'opened')).toHaveLength(3)
  await vi.advanceTimersByTimeAsync(60 * SECOND)
  expect(ended).toEqual([])
})

test('who is not level again within thirty seconds is told and sent away', async () => {
  const { said, ended, wire, tell } = begun()
  await vi.advanceTimersByTimeAsync(600 * SECOND) // quiet hours do not count against him
  wire.stuck = true
  tell(1)
  await vi.advanceTimersByTimeAsync(SLOW_MS)
  expect(ended).toEqual([])
  await vi.advanceTimersByTimeAsync(2 * SECOND)
  expect([said.at(-1), ended]).toEqual(['slow', ['slow']])
})

test.each([
  ['exactly so many bytes behind as one may be', 0, []],
  ['one byte more', 1, ['slow']],
])('%s', async (_, more, expected) => {
  const { now, join, tell } = openHub()
  const { ended, wire } = join()
  const { log } = now.feed
  wire.stuck = true
  for (let at = 1; at <= SLOW_BYTES / 4_000; at++) tell(at, 'x'.repeat(2_000))
  const least = someFrame(900_000).sse.byteLength
  tell(900_000, 'x'.repeat(SLOW_BYTES + more - log.toldBytes - least))
  expect(log.toldBytes).toBe(SLOW_BYTES + more)
  await vi.advanceTimersByTimeAsync(SECOND)
  expect(ended).toEqual(expected)
})

test('who took all there was a moment ago is not behind, however much it was', async () => {
  const { said, ended, wire, tell } = begun()
  for (let at = 1; at <= SLOW_BYTES / 2_000 + 1; at++) tell(at, 'x'.repeat(2_000))
  wire.stuck = true
  tell(900_000)
  await vi.advanceTimersByTimeAsync(SECOND)
  expect([said.at(-1), ended]).toEqual(['opened', []])
})

test('who waited until the log no longer holds what comes next is sent away at once: nothing is left out', () => {
  const { now, join, tell } = openHub()
  now.feed.log = new FeedLog(2, '0-0')
  const { said, ended, wire } = join()
  wire.stuck = true
  for (const ms of [1, 2, 3, 4]) tell(ms)
  wire.drain()
  expect([said, ended]).toEqual([['snapshot fresh', 'opened', 'slow'], ['slow']])
})

test('who was sent away and is still being written to hears no other farewell', async () => {
  const { join, tell } = openHub(async () => null)
  const { said, ended, wire } = join()
  wire.lingers = true
  wire.stuck = true
  tell(1)
  await vi.advanceTimersByTimeAsync(2 * 60 * SECOND) //  too slow, and its token is taken back as well
  expect([said.at(-1), ended]).toEqual(['slow', ['slow']])
})

describe('every reader knows how old the data is', () => {
  test('told by the snapshot, and once when it changes', async () => {
    const { now, join } = openHub()
    const fresh = join()
    now.status = STALE
    const stale = join('0-0')
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect(fresh.said).toEqual(['snapshot fresh', 'status stale'])
    expect(stale.said).toEqual(['status fresh', 'status stale'])
    now.status = FRESH
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect(fresh.said.slice(2)).toEqual(['status fresh'])
    expect(stale.said.slice(2)).toEqual(['status fresh'])
  })

  test('told before the events that end it: while data is said to be stale nothing is told', async () => {
    const { now, join, tell } = openHub()
    now.status = STALE
    const { said } = join()
    await vi.advanceTimersByTimeAsync(SECOND)
    now.status = FRESH
    tell(1)
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect(said).toEqual(['snapshot stale', 'status fresh', 'opened'])
  })

  test.each([
    ['fresh', FRESH],
    ['stale', STALE],
  ])('told first when a stream resumes: %s', async (word, status) => {
    const { now, join, tell } = openHub()
    tell(1)
    tell(2)
    now.status = status
    await vi.advanceTimersByTimeAsync(SECOND)
    const { said } = join('1-0')
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect(said).toEqual([`status ${word}`, 'opened'])
  })

  test('who resumes at once after the data is fresh again is not told that it is old', async () => {
    const { now, join } = openHub()
    now.status = STALE
    const before = join('0-0')
    await vi.advanceTimersByTimeAsync(SECOND)
    now.status = FRESH
    const after = join('0-0')
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect([before.said, after.said]).toEqual([
      ['status fresh', 'status stale', 'status fresh'],
      ['status fresh'],
    ])
  })

  test('as of the last second, however long nothing has changed', async () => {
    const { now, join } = openHub()
    await vi.advanceTimersByTimeAsync(600 * SECOND)
    now.status = { ...FRESH, snapshotVersion: 2, ageMs: { a: 5, b: 6 } }
    await vi.advanceTimersByTimeAsync(SECOND)
    expect(JSON.parse(join('0-0').texts[0]!)).toEqual({ kind: 'status', ...now.status })
  })

  test('told to whoever begins while it is stale: once, by the snapshot', async () => {
    const { now, join } = openHub()
    now.status = STALE
    const { said } = join()
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect(said).toEqual(['snapshot stale'])
  })

  test('told by the snapshot behind a gap and behind a reset', async () => {
    const { now, join, beginAnew } = openHub()
    const { said } = join('9-9')
    now.status = STALE
    beginAnew(1)
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect(said).toEqual(['gap', 'snapshot fresh', 'gap', 'snapshot stale'])
  })

  test('a change while his bytes wait is told when they have gone, before what was told since', async () => {
    const { now, join, tell } = openHub()
    const { said, wire } = join()
    wire.stuck = true
    tell(1)
    now.status = STALE
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    tell(2)
    expect(said).toEqual(['snapshot fresh', 'opened'])
    wire.drain()
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect(said.slice(2)).toEqual(['status stale', 'opened'])
  })

  test('what changed and changed back while his bytes waited is not told', async () => {
    const { now, join, tell } = openHub()
    const { said, wire } = join()
    wire.stuck = true
    tell(1)
    now.status = STALE
    await vi.advanceTimersByTimeAsync(2 * SECOND)
    now.status = FRESH
    await vi.advanceTimersByTimeAsync(2 * SECOND)
    wire.drain()
    await vi.advanceTimersByTimeAsync(2 * SECOND)
    expect(said).toEqual(['snapshot fresh', 'opened'])
  })
})

describe('the feed begins anew', () => {
  const MANY = Math.ceil(SLOW_BYTES / 2_000) // more bytes than a reader may be behind

  test('what the store retained is nothing that a reader owes: he stays, and hears what comes', async () => {
    const { join, tell, beginAnew } = openHub()
    tell(1)
    const { said, ended, wire } = join()
    await vi.advanceTimersByTimeAsync(SECOND)
    wire.stuck = true //  the snapshot is more than one write takes
    beginAnew(MANY)
    await vi.advanceTimersByTimeAsync(5 * SECOND)
    wire.drain()
    tell(900_000)
    expect([said, ended]).toEqual([['snapshot fresh', 'gap', 'snapshot fresh', 'opened'], []])
  })

  test('who is too far behind since then is slow all the same', async () => {
    const { join, tell, beginAnew, now } = openHub()
    const { said, ended, wire } = join()
    wire.stuck = true
    beginAnew(0)
    for (let at = 0; at < MANY; at++) now.feed.log.append(someFrame(1_000 + at, 'x'.repeat(2_000)))
    tell(900_000)
    await vi.advanceTimersByTimeAsync(SECOND)
    expect([said.at(-1), ended]).toEqual(['slow', ['slow']])
  })

  test('who was sent away, and whose last bytes are still on their way, hears nothing of it', async () => {
    const { join, tell, beginAnew } = openHub()
    const { said, ended, wire } = join()
    Object.assign(wire, { stuck: true, lingers: true })
    tell(1)
    await vi.advanceTimersByTimeAsync(SLOW_MS + 2 * SECOND)
    beginAnew(1)
    wire.drain()
    beginAnew(1)
    expect([said, ended]).toEqual([['snapshot fresh', 'opened', 'slow'], ['slow']])
  })

  test('again and again does not give a stuck reader more time', async () => {
    const { join, tell, beginAnew } = openHub()
    const { ended, wire } = join()
    wire.stuck = true
    tell(1)
    for (let seconds = 0; seconds < SLOW_MS / SECOND; seconds += 10) {
      await vi.advanceTimersByTimeAsync(10 * SECOND)
      beginAnew(1)
    }
    await vi.advanceTimersByTimeAsync(2 * SECOND)
    expect(ended).toEqual(['slow'])
  })
})
