import { Redis } from 'ioredis'
import { KEYS } from '../../../api/ledger/keys.ts'
import { copyJournal } from '../../../api/worker/journal.ts'
import { keepHistory } from '../../../engine/history/keepHistory.ts'
import { startArchive } from '../../../ingest/archive/archive.ts'
import { QUOTE_STREAM } from '../../../ingest/contract/stream.ts'
import { createIngestMetrics } from '../../../ingest/metrics.ts'
import { clickhouseSink } from '../../../ops/clickhouseSink.ts'
import { loadConfig } from '../../../ops/config.ts'
import { createLog } from '../../../ops/log.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { migrate } from '../../../ops/migrate.ts'
import {
  at,
  cardIdOf,
  drained,
  end,
  episode,
  feedEvent,
  historyDrained,
  sell,
  tell,
} from '../../engine/history/support.ts'
import { marketA, marketB, quote } from '../../engine/support/markets.ts'
import { sendChanges, sendSweep } from '../../engine/support/stream.ts'
import { sliceOf, startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts'
import { startRedis } from '../../support/redis.ts'

export type Story = { clickhouse: TestClickhouse; redis: Redis; redisUrl: string; stop(): Promise<void> }

/**
 * One day of two pairs, told by the contracts of every stage and drained into ClickHouse by the real drains: archive,
 * history, sales. Pair 1 opens at 10:00, peaks at 10:05, halves at 10:15, narrows at 10:30, and opens again at 14:00;
 * pair 2, inverted, opens at 11:00 and stays open. Cards of both are sold.
 */
export async function tellStory(): Promise<Story> {
  const server = await startRedis()
  const redis = new Redis(server.url.slice('unix:'.length))
  const clickhouse = await startClickhouse()
  const env = { REDIS_URL: server.url, LEDGER_REDIS_URL: server.url, CLICKHOUSE_URL: clickhouse.url }
  const config = loadConfig(env, 'script')
  await migrate(sliceOf(clickhouse, config.CLICKHOUSE_DATABASE))
  await tellMarkets(redis)
  await tellGaps(redis)
  await tellSales(redis)

  const log = createLog('test', 'silent')
  const client = clickhouse.client({ database: config.CLICKHOUSE_DATABASE })
  const metrics = createIngestMetrics(createMetrics('test'))
  const archiveRedis = redis.duplicate()
  const stages = [
    startArchive({ redis: archiveRedis, sink: clickhouseSink(client), metrics, log }),
    keepHistory({ config, log, metrics: createMetrics('test') }),
    copyJournal({ redis, config, log, metrics: createMetrics('test') }),
  ]
  await historyDrained(redis)
  await drained(redis, QUOTE_STREAM, 'archive')
  await drained(redis, KEYS.sales, 'sales')
  return {
    clickhouse,
    redis,
    redisUrl: server.url,
    async stop() {
      for (const stage of stages) await stage.stop()
      await clickhouse.stop()
      archiveRedis.disconnect()
      redis.disconnect()
      await server.stop()
    },
  }
}

async function tellMarkets(redis: Redis): Promise<void> {
  for (const id of ['1', '2']) {
    const [a, b] = [`A${id}`, `KXB-${id}`]
    const seenMs = at(10)
    await sendChanges(redis, 'a', {
      listed: [{ market: marketA(a, `Will ${id} happen?`), quote: quote('a', a, 4_000, 4_100, { seenMs }) }],
    })
    await sendChanges(redis, 'b', {
      listed: [{ market: marketB(b, `Does ${id} happen?`), quote: quote('b', b, 4_500, 4_600, { seenMs }) }],
    })
  }
  await sendChanges(redis, 'a', {
    quotes: [
      quote('a', 'A1', 4_200, 4_300, { seenMs: at(10, 20) }),
      quote('a', 'A1', 3_900, 4_001, { seenMs: at(10, 40), volume24h: 2_000 }),
      quote('a', 'A1', 4_400, 4_300, { seenMs: at(10, 50) }), // crossed: no mid
      quote('a', 'A1', null, 4_300, { seenMs: at(10, 51) }), //  one side: no mid
      quote('a', 'A1', 4_300, 4_300, { seenMs: at(10, 52) }), // locked: no mid
      quote('a', 'A1', 4_600, 4_700, { seenMs: at(11, 10) }),
      quote('a', 'A1', 4_650, 4_750, { seenMs: at(14) }), //          b's quote is unchanged
    ],
  })
  await sendChanges(redis, 'b', {
    quotes: [
      quote('b', 'KXB-1', 4_500, 4_700, { seenMs: at(11, 30) }),
      quote('b', 'KXB-1', 4_400, 4_500, { seenMs: at(11, 31), bidSize: 0 }), // nothing to be had: no mid
      quote('b', 'KXB-1', 4_400, 4_500, { seenMs: at(11, 32), askSize: 0 }),
    ],
  })
  for (const minute of [0, 1, 5]) await sendSweep(redis, 'a', at(10, minute))
  await sendSweep(redis, 'a', at(10, 3), { complete: false, problem: 'page_missing' })
  await sendSweep(redis, 'b', at(10, 0))
  await sendSweep(redis, 'b', at(10, 2), { complete: false, problem: 'page_missing' })
}

async function tellGaps(redis: Redis): Promise<void> {
  const first = { id: '1', openedMs: at(10) }
  const flags = { riskFlags: ['young_gap' as const, 'settles_differently' as const] }
  const card = { gapCents: 4, edgeCents: 2, suggestedAction: 'buy_a_sell_b' as const, ...flags }
  const wide = { gapCents: 8, edgeCents: 5, riskFlags: ['flickering' as const] }
  const second = { verdict: 'inverted' as const, category: 'Politics', gapCents: 3, edgeCents: -1 }
  const before = { ...card, suggestedAction: 'watch' as const, riskFlags: ['depth_unknown' as const] }
  await tell(redis, feedEvent('opened', { ...first, atMs: at(10), card: before }, 'edges'))
  await tell(redis, feedEvent('opened', { ...first, atMs: at(10, 1), card }))
  await tell(redis, feedEvent('changed', { ...first, atMs: at(10, 5), card: { ...card, ...wide } }))
  await tell(redis, feedEvent('closed', { ...first, atMs: at(10, 30), card: { ...card, ...wide } }))
  await tell(
    redis,
    feedEvent('opened', {
      id: '2',
      openedMs: at(11),
      atMs: at(11),
      card: { ...second, suggestedAction: 'watch', riskFlags: ['settles_differently'] },
    }),
  )
  await tell(redis, feedEvent('closed', { id: '6', openedMs: at(23, 50), atMs: at(24, 5), card }))
  const minutes30 = {
    peak_at: '2026-11-20 10:05:00.000',
    open_cents: 4,
    peak_cents: 8,
    half_life_ms: 600_000,
  }
  await end(redis, episode('1', at(10), at(10, 30), minutes30))
  await end(
    redis,
    episode('1', at(14), at(14, 10), { peak_cents: 3, ever_executable: false, why_closed: 'unquoted' }),
  )
  await end(
    redis,
    episode('3', at(15), at(15, 1), {
      category: null,
      verdict: 'inverted',
      ever_executable: false,
      market_a: 'A2',
      market_b: 'KXB-2',
    }),
  )
}

async function tellSales(ledger: Redis): Promise<void> {
  const card = cardIdOf('1', at(10))
  await sell(ledger, at(10, 2), [card])
  await sell(ledger, at(10, 6), [card, 'a:A9|b:KXB-9@0', card])
  await sell(ledger, at(11, 5), [cardIdOf('2', at(11))])
  await sell(ledger, at(11, 6), null, { sku: 'SKU_PING' })
  await sell(ledger, at(11, 7), [])
  await sell(ledger, at(14, 5), [cardIdOf('1', at(14))])
}
