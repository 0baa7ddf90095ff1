import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EPISODE_STREAM, EpisodeRow } from '../../../engine/contract/episodes.ts'
import { FEED_STREAM, FeedEvent, feedOpenKey } from '../../../engine/contract/feed.ts'
import { GapCardsBoard } from '../../../engine/contract/gapCards.ts'
import { GapsBoard } from '../../../engine/contract/gaps.ts'
import { SNAPSHOT_STREAM, Snapshot, snapshotKey } from '../../../engine/contract/snapshot.ts'
import { BEHIND_MS } from '../../../engine/stages/followQuotes.ts'
import { EPISODES_KEY } from '../../../engine/stages/keys.ts'
import { type Batch, QUOTE_STREAM, WANTED_BOOKS_KEY } from '../../../ingest/contract/stream.ts'
import { SECOND } from '../../../ops/units.ts'
import { type Running, runMain, sleep, until } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { marketA, marketB, quote } from '../support/markets.ts'
import { sendChanges, sendSweep } from '../support/stream.ts'

let server: TestRedis
let redis: Redis
const running: Running[] = []
beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.url.slice('unix:'.length))
  redis.on('error', () => {}) //  it is killed below
})
afterAll(async () => {
  for (const engine of running) {
    engine.child.kill('SIGCONT')
    await engine.kill()
  }
  redis?.disconnect()
  await server?.stop()
})

function startEngine(): Running {
  const engine = runMain('engine/main.ts', {
    env: { REDIS_URL: server.url, OPERATOR_PORT: '0', LOG_LEVEL: 'info' },
  })
  running.push(engine)
  return engine
}

async function newest() {
  const text = await redis.get(snapshotKey('gaps'))
  if (text === null) return null
  const snapshot = Snapshot.parse(JSON.parse(text))
  return { ...snapshot, body: GapsBoard.parse(snapshot.body) }
}
const B = 'KXCHILE-27JUL01-OBER'
const PAGES = 200
const bid = (bidBps: number) =>
  sendChanges(redis, 'b', { quotes: [quote('b', B, bidBps, bidBps + 100, { seenMs: Date.now() })] })
const shows = (bidBps: number) =>
  until(`bid ${bidBps} on the board`, async () =>
    (await newest())?.body.rows[0]?.b.bidBps === bidBps ? newest() : null,
  )
const leads = (engine: Running) => (engine.stdout().match(/"msg":"leading"/g) ?? []).length
const port = (engine: Running) => engine.says(/"operatorPort":(\d+)/).then((match) => Number(match[1]))

describe('two real engines on one Redis', () => {
  test('one leads; a leader that stands still is replaced and never publishes again; a leader that ends hands over', async () => {
    await sendChanges(redis, 'a', {
      listed: [
        {
          market: marketA('1', 'Will Ola Berg visit Chile by June 30, 2027?'),
          quote: quote('a', '1', 4_000, 4_100),
        },
      ],
    })
    await sendChanges(redis, 'b', {
      listed: [
        {
          market: marketB(B, 'Will Ola Berg visit Chile before Jul 1, 2027?', { outcome: 'Ola Berg' }),
          quote: quote('b', B, 4_500, 4_600),
        },
      ],
    })
    await sendSweep(redis, 'a', Date.now())
    await sendSweep(redis, 'b', Date.now())
    const first = startEngine()
    await shows(4_500)
    const second = startEngine()
    await second.says(/"msg":"warm"/)

    //  both answer their operator; only the first leads
    const ready = async (engine: Running) =>
      (await fetch(`http://127.0.0.1:${await port(engine)}/readyz`)).status
    await until('both ready', async () => (await ready(first)) === 200 && (await ready(second)) === 200)
    const metric = async (engine: Running, name: string) =>
      Number(
        new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'm').exec(
          await (await fetch(`http://127.0.0.1:${await port(engine)}/metrics`)).text(),
        )?.[1],
      )
    await until('metrics of the stand-by', async () => (await metric(second, 'engine_pairs')) === 1)
    expect([await metric(first, 'engine_leader'), await metric(second, 'engine_leader')]).toEqual([1, 0])
    await until(
      'wanted books',
      async () => (await redis.smembers(WANTED_BOOKS_KEY)).sort().join() === `a:1|11,b:${B}`,
    )

    //  what its alert reads of a stream that does not follow the contract
    expect(await metric(first, 'engine_bad_batches_total')).toBe(0)
    await redis.xadd(QUOTE_STREAM, '*', 'batch', 'no batch')
    await until('it is counted', async () => (await metric(first, 'engine_bad_batches_total')) === 1)

    //  the leader is frozen in the middle of its work: the stand-by takes over
    const before = (await newest())!
    first.child.kill('SIGSTOP')
    await until('the second leads', () => leads(second) === 1)
    await bid(5_000)
    const taken = await shows(5_000)
    expect(taken.fence).toBeGreaterThan(before.fence)

    //  it wakes with work to do, and everything it publishes is refused
    await bid(5_100)
    first.child.kill('SIGCONT')
    await shows(5_100)
    for (let step = 1; step <= 20; step++) {
      await bid(5_100 + step)
      await sleep(50)
    }
    const last = await shows(5_120)
    expect(last.fence).toBe(taken.fence)
    expect(leads(first)).toBe(1)
    await first.says(/"msg":"no longer leading"|another engine leads/)

    //  the leader ends: the lease is handed back and the first leads again
    const exit = await second.stop()
    expect(exit).toEqual({ code: 0, signal: null })
    await until('the first leads again', () => leads(first) === 2)
    await bid(6_000)
    const after = await shows(6_000)
    expect(after.fence).toBeGreaterThan(last.fence)

    //  nobody saw a version twice or out of order, whoever published
    const published = (await redis.xrange(SNAPSHOT_STREAM, '-', '+')).map(([, fields]) => fields)
    const versions = published.filter((fields) => fields[1] === 'gaps').map((fields) => Number(fields[3]))
    expect(versions).toEqual(versions.map((_, at) => at + 1))
    expect(after.version).toBeLessThanOrEqual(versions.length)
    expect((await first.stop()).code).toBe(0)
  })

  test('kill -9 of the leader: no event is told twice, none is lost, and the gap keeps its age', async () => {
    const feed = async () =>
      (await redis.xrange(FEED_STREAM, '-', '+')).map(([, fields]) => FeedEvent.parse(JSON.parse(fields[1]!)))
    const told = async () => (await feed()).map(({ kind, topic }) => `${topic} ${kind}`)
    const life = async () => {
      const snapshot = Snapshot.parse(JSON.parse((await redis.get(snapshotKey('gapCards')))!))
      return { fence: snapshot.fence, life: GapCardsBoard.parse(snapshot.body).cards[0]?.life ?? null }
    }
    await redis.del(FEED_STREAM, EPISODE_STREAM, feedOpenKey('gaps'), feedOpenKey('edges'), EPISODES_KEY)
    await bid(4_000)
    await sendSweep(redis, 'a', Date.now())
    await sendSweep(redis, 'b', Date.now())
    const first = startEngine()
    await shows(4_000)
    await bid(4_600)
    await until('opened', async () => (await told()).join() === 'gaps opened')
    const before = await life()
    const second = startEngine()
    await second.says(/"msg":"warm"/)
    await first.kill()
    await bid(4_620) //  moved by a little: no news
    await until('the second leads', () => leads(second) === 1)
    const after = await until('its cards', async () => {
      const now = await life()
      return now.fence > before.fence && now.life !== null ? now : null
    })
    expect(after.life!.openedMs).toBe(before.life!.openedMs)
    expect(await told()).toEqual(['gaps opened'])
    await bid(4_000)
    await until('closed', async () => (await told()).join() === 'gaps opened,gaps closed')
    const ends = await redis.xrange(EPISODE_STREAM, '-', '+')
    expect(ends.map(([, fields]) => EpisodeRow.parse(JSON.parse(fields[1]!)).why_closed)).toEqual([
      'narrowed',
    ])
    expect((await second.stop()).code).toBe(0)
  })

  test('who stood still tells what is, and nothing of what was meanwhile: neither a gap nor a peak of the past', async () => {
    await redis.del(FEED_STREAM, EPISODE_STREAM, feedOpenKey('gaps'), feedOpenKey('edges'), EPISODES_KEY)
    const feed = async () =>
      (await redis.xrange(FEED_STREAM, '-', '+')).map(([, fields]) => FeedEvent.parse(JSON.parse(fields[1]!)))
    await bid(4_000)
    await sendSweep(redis, 'a', Date.now())
    await sendSweep(redis, 'b', Date.now())
    const engine = startEngine()
    await shows(4_000)
    engine.child.kill('SIGSTOP')
    //  pages that take seconds to read: they list many markets, which the newest state no longer has
    for (let page = 0; page < PAGES; page++) {
      const markets = Array.from({ length: 40 }, (_, at) =>
        marketB(`KXOTHER-${page}-${at}`, `Will Ola Berg ${page} visit Peru ${at} times before Jul 1, 2027?`),
      )
      const bidBps = page < PAGES - 1 ? 5_500 : 4_000
      const quotes = [quote('b', B, bidBps, bidBps + 100)]
      const batch: Batch = { kind: 'changes', venue: 'b', markets, quotes, closed: [] }
      await redis.xadd(QUOTE_STREAM, '*', 'batch', JSON.stringify(batch))
    }
    await bid(4_600)
    await sleep(BEHIND_MS + 1 * SECOND)
    const wokenMs = Date.now()
    engine.child.kill('SIGCONT')
    await shows(4_600)
    const events = await until('it is told', async () => ((await feed()).length > 0 ? feed() : null))
    expect(events.map(({ kind, topic, card }) => [kind, topic, card.life?.peakCents])).toEqual([
      ['opened', 'gaps', 6],
    ])
    expect(events[0]!.card.life!.openedMs).toBeGreaterThanOrEqual(wokenMs)
    expect(await redis.xlen(EPISODE_STREAM)).toBe(0)
    expect((await engine.stop()).code).toBe(0)
  })

  test('an engine without its Redis says so, comes back with it, and ends cleanly though it is gone', async () => {
    const engine = startEngine()
    await engine.says(/"msg":"warm"/)
    const status = async () => (await fetch(`http://127.0.0.1:${await port(engine)}/readyz`)).status
    await until('ready', async () => (await status()) === 200)
    await server.kill()
    await until('not ready', async () => (await status()) === 503)
    await server.restart()
    await until('ready again', async () => (await status()) === 200)
    await bid(7_000)
    await shows(7_000)
    await server.kill()
    expect(await engine.stop()).toEqual({ code: 0, signal: null })
    await server.restart()
  })
})
