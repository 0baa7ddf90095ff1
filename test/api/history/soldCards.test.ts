import type { ClickHouseClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Draft } from '../../../api/goods/good.ts'
import { botFuel } from '../../../api/goods/market/botFuel.ts'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { deliverClaim } from '../../../api/payment/deliver.ts'
import { copyJournal } from '../../../api/worker/journal.ts'
import type { GapCard } from '../../../engine/contract/gapCards.ts'
import { retentionWords } from '../../../engine/history/readSchema.ts'
import { feedRows } from '../../../engine/history/rows.ts'
import { clickhouseSink } from '../../../ops/clickhouseSink.ts'
import { loadConfig } from '../../../ops/config.ts'
import { instant } from '../../../ops/instant.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { migrate } from '../../../ops/migrate.ts'
import { DAY, MINUTE, SECOND } from '../../../ops/units.ts'
import { cardIdOf, drained, episode, feedEvent, pairOf } from '../../engine/history/support.ts'
import { someCard } from '../../support/boards.ts'
import { type ClickhouseShare, shareClickhouse, sliceOf } from '../../support/clickhouse.ts'
import { openLedger, quietLog, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { cardsBody, NOW, portsOver } from '../goods/support.ts'
import { newKey, ringOf } from '../receipts/keys.ts'

let server: TestRedis
let store: ReturnType<typeof openLedger>
let clickhouse: ClickhouseShare
let client: ClickHouseClient
let copy: ReturnType<typeof copyJournal>

beforeAll(async () => {
  server = await startRedis({ appendfsync: 'always' })
  store = openLedger(server.url)
  clickhouse = await shareClickhouse()
  let database: string
  ;({ name: database, client } = await clickhouse.database())
  await migrate(sliceOf(clickhouse, database))
  const config = loadConfig({ CLICKHOUSE_URL: clickhouse.url, CLICKHOUSE_DATABASE: database }, 'script')
  copy = copyJournal({ redis: store.redis, config, log: quietLog, metrics: createMetrics('test') })
})
afterAll(async () => {
  await copy?.stop()
  store?.close()
  await clickhouse?.stop()
  await server?.stop()
})

const receiptKey = newKey()
/** Buys a card: drafted, settled and answered, as in every way of buying. */
async function buy(seed: number, card: GapCard, blockMs: number) {
  const draft = botFuel.answer({}, portsOver({ gapCards: cardsBody([card]) })) as Draft
  const key = `tx:8453:${seed}:log0`
  const terms = { sku: botFuel.sku, path: botFuel.path!, via: 'transfer' as const }
  const { snapshotVersion } = draft
  await store.ledger.claimTransfer(
    key,
    someTerms({ ...terms, snapshotVersion, draft: JSON.stringify(draft) }),
    { ...someSettled(seed), blockMs },
    8453,
  )
  const claim = (await store.ledger.find(key))!
  const answer = await deliverClaim(claim, null, {
    ledger: store.ledger,
    credits: createCreditLedger(store.redis),
    finality: { reached: async () => true },
    answers: {
      receiptKey,
      receiptKeys: ringOf(receiptKey),
      secret: Buffer.alloc(32, 7),
      publicUrl: 'http://127.0.0.1:8402',
      mode: 'sandbox' as const,
    },
    faultPoint: () => {},
  })
  await drained(store.redis, KEYS.sales, 'sales')
  return JSON.parse(answer.body).result.botFuel as Record<string, unknown>
}
const rows = async (query: string) =>
  (await client.query({ query, format: 'JSONEachRow' })).json<Record<string, unknown>>()
const sold = (cardId: string) => rows(`SELECT * FROM sold_cards WHERE card_id = '${cardId}'`)
const told = async (event: Parameters<typeof feedEvent>, ms: number) => {
  const fields = { event: JSON.stringify(feedEvent(...event)) }
  for (const table of feedRows({ id: `${ms}-0`, ms, seq: 0, fields })!)
    await clickhouseSink(client).insert(table.table, table.rows, `${ms}`)
}

describe('the record of a sold card is what its buyer got', () => {
  test('of a card without an open gap, whatever was told of its pair months ago', async () => {
    const cardId = `${pairOf('1')}@0`
    const before = {
      cardId,
      life: null,
      gapCents: 1.9,
      edgeCents: 1.2,
      suggestedAction: 'buy_a_sell_b',
    } as const
    const longAgo = Date.now() - 100 * DAY
    await told(['opened', { id: '1', openedMs: 0, atMs: NOW - 100 * DAY, card: before }, 'edges'], longAgo)
    const shown = await buy(
      1,
      someCard({ ...before, gapCents: 0.4, edgeCents: -0.3, executable: false, suggestedAction: 'watch' }),
      NOW,
    )
    expect(shown).toMatchObject({ cardId, gapCents: 0.4, suggestedAction: 'watch' })
    expect(await sold(cardId)).toMatchObject([
      {
        gap_when_sold_cents: 0.4,
        edge_when_sold_cents: -0.3,
        suggested_action: 'watch',
        executable_when_sold: false,
        verdict: 'identity',
        sold_market_at: instant(NOW),
        why_closed: null,
      },
    ])
  })
  test('of a card that opened after the block of the payment: it was delivered later', async () => {
    const cardId = cardIdOf('2', NOW - 10 * MINUTE)
    await buy(2, someCard({ cardId, gapCents: 6 }), NOW - 30 * MINUTE)
    const [row] = await sold(cardId)
    expect(row).toMatchObject({ gap_when_sold_cents: 6 })
    const [{ at }] = (await rows(
      `SELECT fromUnixTimestamp64Milli(stream_ms, 'UTC') AS at FROM sales WHERE has(card_ids, '${cardId}')`,
    )) as [{ at: string }]
    expect(row!.sold_at).toBe(at)
    expect(await rows(`SELECT at FROM sales WHERE has(card_ids, '${cardId}')`)).toEqual([
      { at: instant(NOW - 30 * MINUTE) },
    ])
  })
  test('an entry of before it was noted: as told last before its delivery, not before its block', async () => {
    const nowMs = Date.now()
    const openedMs = NOW - 10 * MINUTE
    const cardId = cardIdOf('3', openedMs)
    await told(['opened', { id: '3', openedMs, atMs: openedMs, card: { gapCents: 6 } }], nowMs - 10 * MINUTE)
    const sale = { eventId: 'old', atMs: nowMs - 30 * MINUTE, sku: botFuel.sku, cardIds: [cardId] }
    await store.redis.xadd(KEYS.sales, '*', 'sale', JSON.stringify(sale))
    await drained(store.redis, KEYS.sales, 'sales')
    expect(await sold(cardId)).toMatchObject([{ gap_when_sold_cents: 6, verdict: 'identity' }])
  })
  test('as it was sold, not as it was told last', async () => {
    const openedMs = NOW - 10 * MINUTE
    const cardId = cardIdOf('7', openedMs)
    const wide = { gapCents: 6, edgeCents: 3, suggestedAction: 'buy_a_sell_b' as const }
    await told(['opened', { id: '7', openedMs, atMs: openedMs, card: wide }], Date.now() - 9 * MINUTE)
    const now = { gapCents: 5.2, edgeCents: -1, suggestedAction: 'watch' as const, executable: false }
    await buy(7, someCard({ cardId, ...now }), NOW)
    expect(await sold(cardId)).toMatchObject([
      {
        gap_when_sold_cents: 5.2,
        edge_when_sold_cents: -1,
        suggested_action: 'watch',
        executable_when_sold: false,
      },
    ])
  })
  test('each of several in one answer by its own figures', async () => {
    const cards = [6, 4].map((gapCents, at) => ({
      cardId: `${pairOf(`9${at}`)}@0`,
      marketMs: NOW,
      verdict: 'identity',
      category: null,
      gapCents,
      edgeCents: gapCents - 2,
      suggestedAction: 'watch',
      executable: gapCents === 6,
    }))
    const sale = {
      eventId: 'two',
      atMs: Date.now(),
      sku: botFuel.sku,
      cardIds: cards.map(({ cardId }) => cardId),
    }
    await store.redis.xadd(KEYS.sales, '*', 'sale', JSON.stringify({ ...sale, cards }))
    await drained(store.redis, KEYS.sales, 'sales')
    for (const { cardId, gapCents, edgeCents, executable } of cards)
      expect(await sold(cardId)).toMatchObject([
        {
          gap_when_sold_cents: gapCents,
          edge_when_sold_cents: edgeCents,
          executable_when_sold: executable,
        },
      ])
  })
  test('an entry of which only the end of its gap is still known', async () => {
    const nowMs = Date.now()
    const ended = episode('8', NOW - 10 * MINUTE, NOW, { verdict: 'inverted', category: 'Politics' })
    const row = { ...ended, stream_ms: nowMs, stream_seq: 0 }
    await clickhouseSink(client).insert('gap_episodes', [row], 'episode-8')
    const sale = { eventId: 'old', atMs: nowMs, sku: botFuel.sku, cardIds: [ended.episode_id] }
    await store.redis.xadd(KEYS.sales, '*', 'sale', JSON.stringify(sale))
    await drained(store.redis, KEYS.sales, 'sales')
    expect(await sold(ended.episode_id)).toMatchObject([
      { verdict: 'inverted', category: 'Politics', gap_when_sold_cents: null, why_closed: 'narrowed' },
    ])
  })
  test('of a card without an open gap there is no telling then', async () => {
    const cardId = `${pairOf('4')}@0`
    const card = { cardId, life: null }
    await told(['opened', { id: '4', openedMs: 0, atMs: NOW, card }, 'edges'], Date.now() - 90 * DAY)
    const sale = { eventId: 'old', atMs: Date.now(), sku: botFuel.sku, cardIds: [cardId] }
    await store.redis.xadd(KEYS.sales, '*', 'sale', JSON.stringify(sale))
    await drained(store.redis, KEYS.sales, 'sales')
    expect(await sold(cardId)).toMatchObject([{ gap_when_sold_cents: null, suggested_action: null }])
  })
  test('and ended once, whatever is stored of its episode', async () => {
    const openedMs = NOW - 5 * MINUTE
    const cardId = cardIdOf('5', openedMs)
    const ends = [episode('5', openedMs, NOW), episode('5', openedMs, NOW + MINUTE, { why_closed: 'gone' })]
    for (const [seq, row] of ends.entries())
      await clickhouseSink(client).insert(
        'gap_episodes',
        [{ ...row, stream_ms: Date.now(), stream_seq: seq }],
        `${seq}`,
      )
    await buy(5, someCard({ cardId }), NOW)
    expect(await sold(cardId)).toMatchObject([{ why_closed: 'narrowed', closed_after_ms: 0 }])
  })
})

test('how soon a gap ended is said only where we saw it end after the sale', async () => {
  const ends = [
    ['61', 'unwatched', -90 * SECOND, null], //  last seen before the sale: what it did since nobody knows
    ['62', 'unwatched', 5 * MINUTE, null],
    ['63', 'narrowed', -1, null],
    ['64', 'gone', MINUTE, MINUTE],
    ['65', 'unquoted', 3 * MINUTE, 3 * MINUTE],
  ] as const
  const openedMs = NOW - 10 * MINUTE
  const episodes = ends.map(([id, why_closed, afterMs], seq) => ({
    ...episode(id, openedMs, NOW + afterMs, { why_closed }),
    stream_ms: Date.now(),
    stream_seq: seq,
  }))
  await clickhouseSink(client).insert('gap_episodes', episodes, 'how-soon')
  const cards = ends.map(([id]) => ({
    cardId: cardIdOf(id, openedMs),
    marketMs: NOW,
    verdict: 'inverted',
    category: null,
    gapCents: 4,
    edgeCents: 1,
    suggestedAction: 'avoid',
    executable: false,
  }))
  const cardIds = cards.map(({ cardId }) => cardId)
  const sale = { eventId: 'five', atMs: Date.now(), sku: botFuel.sku, cardIds, cards }
  await store.redis.xadd(KEYS.sales, '*', 'sale', JSON.stringify(sale))
  await drained(store.redis, KEYS.sales, 'sales')
  expect(
    await rows(
      "SELECT why_closed, closed_after_ms FROM sold_cards WHERE suggested_action = 'avoid' ORDER BY card_id",
    ),
  ).toEqual(ends.map(([, why_closed, , closed_after_ms]) => ({ why_closed, closed_after_ms })))
  expect(await rows("SELECT * FROM track_record WHERE suggested_action = 'avoid'")).toMatchObject([
    { sold: 5, ended: 5, seen_to_end: 2, median_closed_after_s: 120 },
  ])
})

describe('what became of a card is said as long as episodes are kept', () => {
  /** Sells a card of a gap that ends soon after: each inserted as its drain does it. */
  async function soldLongAgo(id: string, ms: number) {
    const row = episode(id, ms - MINUTE, ms + MINUTE)
    const ended = { ...row, stream_ms: ms + MINUTE, stream_seq: 0 }
    await clickhouseSink(client).insert('gap_episodes', [ended], `ended-${id}`)
    const card = {
      card_id: row.episode_id,
      market_at: instant(ms),
      gap_cents: 5,
      suggested_action: 'long_ago',
    }
    const sale = { event_id: id, at: instant(ms), card_ids: [row.episode_id], cards: [card] }
    await clickhouseSink(client).insert('sales', [{ ...sale, stream_ms: ms, stream_seq: 0 }], `sold-${id}`)
  }

  test('a sale of before is in no track record: its gap would look as if it had never ended', async () => {
    const keptFromMs = await clickhouseSink(client).keptFromMs('gap_episodes')
    const days = [-30, -2, 2, 30] //  two: midnight may come meanwhile
    for (const [at, after] of days.entries()) await soldLongAgo(`10${at}`, keptFromMs + after * DAY)
    await client.command({ query: 'OPTIMIZE TABLE gap_episodes FINAL' })
    const at = (after: number) => instant(keptFromMs + after * DAY)
    expect(
      await rows(
        "SELECT sold_at, gap_when_sold_cents, why_closed FROM sold_cards WHERE suggested_action = 'long_ago' ORDER BY sold_at",
      ),
    ).toEqual(
      days.map((after) => ({
        sold_at: at(after),
        gap_when_sold_cents: 5,
        why_closed: after < 0 ? null : 'narrowed',
      })),
    )
    expect(
      await rows(
        "SELECT day, sold, ended, seen_to_end FROM track_record WHERE suggested_action = 'long_ago' ORDER BY day",
      ),
    ).toEqual([2, 30].map((after) => ({ day: at(after).slice(0, 10), sold: 1, ended: 1, seen_to_end: 1 })))
  })
  test('and both views say so, by the figure of the table', async () => {
    const said = await rows(
      `SELECT table, comment FROM system.columns WHERE database = currentDatabase() AND (table, name) IN (('sold_cards', 'peak_at'), ('track_record', 'day'))
UNION ALL SELECT name, comment FROM system.tables WHERE database = currentDatabase() AND name IN ('sold_cards', 'track_record')`,
    )
    const [of] = await rows(
      "SELECT engine_full AS of FROM system.tables WHERE database = currentDatabase() AND name = 'gap_episodes'",
    )
    const kept = retentionWords(String(of!.of))!
    expect([said.length, said.filter(({ comment }) => !String(comment).includes(kept))]).toEqual([4, []])
  })
})
