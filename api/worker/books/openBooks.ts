import type { Redis } from 'ioredis'
import type { Config } from '../../../ops/config.ts'
import { assert } from '../../../ops/errors.ts'
import type { Log } from '../../../ops/log.ts'
import type { Metrics } from '../../../ops/metrics.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { MINUTE } from '../../../ops/units.ts'
import type { Join } from '../../ledger/fence.ts'
import { createIntentLedger } from '../../ledger/intents.ts'
import { createRedisLedger } from '../../ledger/redis.ts'
import { createPaymentChain } from '../../settlement/chain.ts'
import { tellContradictions } from '../../settlement/contradictions.ts'
import { createJoin } from './joinAtStart.ts'
import { createLedgerView } from './ledgerView.ts'
import { createProgress } from './progress.ts'
import { createBooksGauges, createBooksWatch } from './publishBooks.ts'
import { type BookId, type TokenPlace, tokenPlaces } from './tokenPlaces.ts'

/** Nobody waits for these reads, so a node may be slow with ranges of logs. */
const PATIENCE_MS = 1 * MINUTE

export type OpenBooks = {
  join: Join
  watches: { rail: BookId; look(nowMs: number): Promise<void> }[]
  /** From now on no node is asked, and a look under way fails: shutdown does not wait for it. */
  stop(): void
  close(): Promise<void>
}

/** The worker's books of every token rail. @param redis fenced: while money is closed nothing is watched. */
export function openBooks({
  config,
  redis,
  news,
  log,
  metrics,
}: {
  config: Config
  redis: Redis
  news: Redis
  log: Log
  metrics: Metrics
}): OpenBooks {
  const unfenced = connectRedis(config.LEDGER_REDIS_URL, { log, name: 'worker-join' }) //  needed before money opens
  const viewsOn = (from: Redis) => {
    const ledger = createRedisLedger(from, news, { answerTtlMs: config.ANSWER_TTL_MS })
    const shared = { redis: from, ledger, intents: createIntentLedger(from) }
    return ({ chainId, rail }: TokenPlace) => createLedgerView({ ...shared, chainId, rail })
  }
  const viewOf = viewsOn(redis)
  const places = tokenPlaces(config)
  const gauges = createBooksGauges(
    metrics,
    places.map(({ rail }) => rail),
  )
  const stopping = new AbortController()
  const { signal } = stopping
  const open = places.map((place) => ({
    place,
    chain: createPaymentChain({
      rpcUrl: place.rpcUrl,
      log,
      timeoutMs: PATIENCE_MS,
      patience: { signal },
      onContradiction: tellContradictions(metrics, log, place.chainId),
    }),
  }))
  const base = open.find(({ place }) => place.rail === 'usdc_base')
  assert(base !== undefined, 'the worker has a receiver of USDC on Base')
  return {
    join: createJoin({
      chain: base.chain,
      ledger: viewsOn(unfenced)(base.place),
      asked: base.place,
      progressOf: (mark) => createProgress(unfenced, base.place.rail, 'joined', mark),
    }),
    watches: open.map(({ place, chain }) => ({
      rail: place.rail,
      look: createBooksWatch({ redis, gauges, place, chain, ledger: viewOf(place), log }),
    })),
    stop: () => stopping.abort(),
    async close() {
      unfenced.disconnect()
      await Promise.all(open.map(({ chain }) => chain.close()))
    },
  }
}
