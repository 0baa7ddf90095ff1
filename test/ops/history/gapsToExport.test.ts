import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClickHouseClient } from '@clickhouse/client'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EPISODE_STREAM } from '../../../engine/contract/episodes.ts'
import { FEED_STREAM, FeedEvent } from '../../../engine/contract/feed.ts'
import type { GapCardsBoard } from '../../../engine/contract/gapCards.ts'
import { type Snapshot, snapshotKey } from '../../../engine/contract/snapshot.ts'
import { instant } from '../../../ops/instant.ts'
import type { ExportTable } from '../../../ops/scripts/exportOrder.ts'
import { exportTable } from '../../../ops/scripts/exportTable.ts'
import { serveAnswers } from '../../ingest/support/answers.ts'
import { startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts'
import { FEED, openPairs, sellToken, startFeed, TOKEN } from '../../support/feed.ts'
import { readSse } from '../../support/feedReaders.ts'
import { type Running, runMain, until } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { readCsv } from './pages/csv.ts'
import { CATEGORY, MARKER, markerAt, pageA, pageB, titleOf } from './pages/gapPages.ts'
import {
  bestOf,
  edgeOf,
  gapOf,
  gapStory,
  KILLED_AT,
  livesOf,
  type PairStory,
  ROUNDS,
} from './pages/gapStory.ts'

const SEED = 793_634_196

let redisServer: TestRedis
let redis: Redis
let clickhouse: TestClickhouse
let client: ClickHouseClient
let folder: string
const running: Running[] = []

beforeAll(async () => {
  redisServer = await startRedis()
  redis = new Redis(redisServer.url.slice('unix:'.length))
  clickhouse = await startClickhouse()
  client = clickhouse.client({ database: 'microdata' })
  folder = await mkdtemp(join(tmpdir(), 'microdata-gaps-'))
})
afterAll(async () => {
  for (const process of running) await process.kill()
  redis?.disconnect()
  await clickhouse?.stop()
  await redisServer?.stop()
  await rm(folder, { recursive: true, force: true })
})

const iso = (ms: number) => new Date(ms).toISOString()

async function start(main: string, url: string, env: Record<string, string> = {}): Promise<Running> {
  const process = runMain(main, {
    env: {
      REDIS_URL: redisServer.url,
      CLICKHOUSE_URL: clickhouse.url,
      CLICKHOUSE_DATABASE: 'microdata',
      VENUE_A_CATALOG_URL: url,
      VENUE_A_BOOK_URL: url,
      VENUE_B_URL: url,
      POLL_EVERY_MS: '100',
      OPERATOR_PORT: '0',
      ...env,
    },
  })
  running.push(process)
  await process.says(/"operatorPort":(\d+)/)
  return process
}

const looked = (round: number) =>
  until(`round ${round} is looked at`, async () => {
    const { a, b } = markerAt(round)
    const snapshot = JSON.parse(
      (await redis.get(snapshotKey('gapCards'))) ?? 'null',
    ) as Snapshot<GapCardsBoard> | null
    for (const card of snapshot?.body.cards ?? []) {
      if (card.pairId === MARKER.pairId && card.buyBps === a.ask && card.sellBps === b.bid) return true
    }
    return false
  })

async function exported(table: ExportTable): Promise<Record<string, unknown>[]> {
  const out = join(folder, table)
  const day = (after: number) => iso(Date.now() + after * 86_400_000).slice(0, 10)
  await exportTable(client, { table, format: 'csv', from: day(-1), to: day(1), out }, () => {})
  const rows: Record<string, unknown>[] = []
  for (const name of (await readdir(out)).sort())
    rows.push(...readCsv(await readFile(join(out, name), 'utf8')))
  return rows
}

/** Both drains of the history have come to the end of their streams. */
async function drained(): Promise<void> {
  await until('history has everything', async () => {
    for (const [stream, drain] of [
      [EPISODE_STREAM, 'episodes'],
      [FEED_STREAM, 'feed'],
    ]) {
      const [newest] = await redis.xrevrange(stream!, '+', '-', 'COUNT', 1)
      const keys = await redis.keys(`drain:*${drain}*`)
      if (newest === undefined) continue
      const cursors = await Promise.all(
        keys.map((key) =>
          redis.type(key).then((type) => (type === 'hash' ? redis.hget(key, 'cursor') : null)),
        ),
      )
      if (!cursors.includes(newest[0])) return false
    }
    return true
  })
}

type Played = {
  stories: PairStory[]
  lives: ReturnType<typeof livesOf>[]
  shown: { fromMs: number; toMs: number }[]
  seed: number
}

function compareEpisodes({ stories, lives, shown, seed }: Played, episodes: Record<string, unknown>[]): void {
  for (const [at, { pairId, place }] of stories.entries()) {
    const mine = episodes.filter((row) => row.pair_id === pairId)
    const { ended } = lives[at]!
    const figures = mine.map((row) => ({
      open_cents: Number(row.open_cents),
      peak_cents: Number(row.peak_cents),
      last_cents: Number(row.last_cents),
      ever_executable: row.ever_executable === 'true',
      why_closed: row.why_closed,
      topic: row.topic,
      category: row.category,
      halved: row.half_life_ms !== null,
    }))
    expect(figures, `${place}, seed ${seed}`).toEqual(
      ended.map(({ open_cents, peak_cents, last_cents, ever_executable, why_closed, half }) => ({
        open_cents,
        peak_cents,
        last_cents,
        ever_executable,
        why_closed,
        topic: titleOf(place),
        category: CATEGORY,
        halved: half !== null,
      })),
    )
    for (const [nth, row] of mine.entries()) {
      const { opened, peak, half, closed } = ended[nth]!
      const within = (text: unknown, at: number) => {
        const ms = Date.parse(`${String(text).replace(' ', 'T')}Z`)
        expect(ms).toBeGreaterThanOrEqual(shown[at]!.fromMs)
        expect(ms).toBeLessThanOrEqual((shown[at + 1] ?? shown[at]!).toMs) //  what closes comes behind the marker
        return ms
      }
      const openedMs = within(row.opened_at, opened)
      const peakMs = within(row.peak_at, peak)
      const closedMs = within(row.closed_at, closed)
      expect(row.episode_id).toBe(`${pairId}@${openedMs}`)
      expect(Number(row.life_ms)).toBe(closedMs - openedMs)
      if (half !== null) within(instant(peakMs + Number(row.half_life_ms)), half)
      const looks = stories[at]!.rounds.slice(opened, closed + 1).filter(
        (then) => !then.isClosed && gapOf(then) !== null,
      )
      if (opened > KILLED_AT) expect(Number(row.samples)).toBeGreaterThanOrEqual(looks.length)
    }
  }
}

/** Everything the feed retains, as it stands there. */
const retained = async () =>
  (await redis.xrange(FEED_STREAM, '-', '+')).map(([id, [, json]]) => ({
    id,
    ...FeedEvent.parse(JSON.parse(json!)),
    raw: JSON.parse(json!),
  }))

function compareEvents(
  { stories, lives, shown, seed }: Played,
  entries: Awaited<ReturnType<typeof retained>>,
  told: Record<string, unknown>[],
): void {
  expect(told.length).toBe(entries.length)
  const byEvent = new Map(told.map((row) => [row.event_id, row]))
  const last = new Map<string, unknown>()
  const num = (text: unknown) => (text === null ? null : Number(text))
  for (const { id, kind, topic, atMs, snapshotVersion, card, raw } of entries) {
    const row = byEvent.get(id)!
    expect({
      ...row,
      gap_cents: num(row.gap_cents),
      net_cents: num(row.net_cents),
      edge_cents: num(row.edge_cents),
      peak_cents: num(row.peak_cents),
    }).toMatchObject({
      kind,
      topic,
      at: instant(atMs),
      snapshot_version: `${snapshotVersion}`,
      card_id: card.cardId,
      pair_id: card.pairId,
      card_topic: card.topic,
      category: card.category,
      verdict: card.verdict,
      gap_cents: card.gapCents,
      net_cents: card.netCents,
      edge_cents: card.edgeCents,
      executable: `${card.executable}`,
      suggested_action: card.suggestedAction,
      risk_flags: card.riskFlags,
      buy_venue: card.buyVenue,
      buy_bps: `${card.buyBps}`,
      sell_bps: `${card.sellBps}`,
      opened_at: card.life === null ? null : instant(card.life.openedMs),
      age_ms: card.life === null ? null : `${Math.max(0, atMs - card.life.openedMs)}`,
      peak_cents: card.life?.peakCents ?? null,
      ever_executable: card.life === null ? null : `${card.life.everExecutable}`,
    })
    expect(JSON.parse(String(row.card))).toEqual(raw.card)
    const key = `${topic} ${card.pairId}`
    if (kind === 'closed') expect(raw.card).toEqual(last.get(key))
    last.set(key, raw.card)
    const at = stories.findIndex(({ pairId }) => pairId === card.pairId)
    if (kind === 'closed' || at === -1) continue
    const when = shown.findLastIndex(({ fromMs }) => atMs >= fromMs)
    const then = stories[at]!.rounds[when]!
    const best = bestOf(then)
    const { episode } = lives[at]!.states[when]!
    const { hoursApart, rate } = stories[at]!
    expect(
      {
        gap: card.gapCents,
        net: card.netCents,
        edge: card.edgeCents,
        venue: card.buyVenue,
        buy: card.buyBps,
        sell: card.sellBps,
        executable: card.executable,
        peak: card.life?.peakCents,
      },
      `${kind} ${card.pairId} round ${when} seed ${seed}`,
    ).toEqual({
      gap: gapOf(then)! / 100,
      net: best.net / 100 + 0,
      edge: edgeOf(best, rate),
      venue: best.venue,
      buy: best.buy,
      sell: best.sell,
      executable: hoursApart !== null && hoursApart <= 48,
      peak: episode?.peak_cents,
    })
  }
}

test('what becomes of a gap is what the quotes say', { timeout: 180_000 }, async () => {
  //  another story: PAGES_SEED=$RANDOM
  const seed = Number(process.env.PAGES_SEED ?? SEED)
  const [stories] = fc.sample(gapStory, { numRuns: 1, seed }) as [PairStory[]]
  const all = [...stories, MARKER]
  let round = 0
  const venues = await serveAnswers((path) => {
    if (path === '/series')
      return {
        json: {
          series: [{ ticker: 'KXVISIT', category: 'Politics', fee_type: 'quadratic', fee_multiplier: 1 }],
        },
      }
    if (path === '/events/keyset') return { json: { events: pageA(all, Math.min(round, ROUNDS - 1)) } }
    if (path === '/events') return { json: { events: pageB(all, Math.min(round, ROUNDS - 1)), cursor: '' } }
    return { status: 404 }
  })
  const shown: { fromMs: number; toMs: number }[] = []
  const lives = stories.map(livesOf)
  const feed = await startFeed(redisServer.url)
  await sellToken(redis, TOKEN, Date.now() + 3_600_000)
  const reader = await readSse(`${feed.base}${FEED}`, { 'x-service-feed-token': TOKEN })
  try {
    const ingest = await start('ingest/main.ts', venues.url)
    let engine = await start('engine/main.ts', venues.url)
    for (; round < ROUNDS; round++) {
      const fromMs = round === 0 ? 0 : Date.now()
      if (round === KILLED_AT) {
        await engine.kill()
        engine = await start('engine/main.ts', venues.url)
      }
      await looked(round)
      shown.push({ fromMs, toMs: Date.now() })
      const open = stories.flatMap(({ pairId }, at) => {
        const { episode, hasCard } = lives[at]!.states[round]!
        return episode !== null && hasCard ? [pairId] : []
      })
      //  what closes comes in a batch of its own, behind the marker
      await until(`open in round ${round}: ${open.sort()}, seed ${seed}`, async () => {
        const told = (await openPairs(redis, 'gaps')).filter((pairId) => pairId !== MARKER.pairId)
        return `${told}` === `${open}`
      })
      shown[round]!.toMs = Date.now()
    }
    await drained()
    await ingest.stop()
    await engine.stop()

    const played = { stories, lives, shown, seed }
    compareEpisodes(played, await exported('gap_episodes'))
    const entries = await retained()
    compareEvents(played, entries, await exported('feed_events'))
    const heard = reader.heard
      .filter(({ event }) => ['opened', 'changed', 'closed'].includes(event))
      .map(({ data }) => data)
    const own = entries.map(({ id, raw }) => ({ id, ...raw }))
    expect(heard).toEqual(own)
    const polled: unknown[] = []
    for (let since = '0-0'; ; ) {
      const answer = (await (await feed.get(`?since=${since}&limit=7`)).json()) as {
        events: { id: string }[]
        more: boolean
        lastEventId: string
      }
      polled.push(...answer.events)
      since = answer.lastEventId
      if (!answer.more) break
    }
    expect(polled).toEqual(own)
  } finally {
    reader.close()
    await feed.stop()
    await venues.close()
  }
})
