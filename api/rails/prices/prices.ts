import type { Clock } from '../../../ops/clock.ts'
import { describeError } from '../../../ops/errors.ts'
import { createHttpClient } from '../../../ops/http.ts'
import type { Log } from '../../../ops/log.ts'
import { SECOND } from '../../../ops/units.ts'
import type { Problem } from '../../errors.ts'
import type { PricedAsset } from '../records.ts'
import { agree } from './agree.ts'
import { bitstamp, coinbase, type Price, type PriceSource } from './source.ts'

export type Prices = {
  sources: string //  as a quote names them
  /** US dollars per whole coin, times 10^8. */
  priceOf(asset: PricedAsset): Promise<bigint | Problem>
  close(): Promise<void>
}

const TIMEOUT_MS = 3 * SECOND
const MAX_BYTES = 64 * 1024
/** Many quotes in a row ask once; a refusal is kept as long, so that a broken exchange is not hammered. */
const KEEP_MS = 10 * SECOND

/** Dollar prices on which two exchanges agree. Never throws: without agreement there is a Problem. */
export function createPrices({
  urlA,
  urlB,
  clock,
  log,
}: {
  urlA: string
  urlB: string
  clock: Clock
  log: Log
}): Prices {
  const http = createHttpClient({ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })
  const asked = new Map<PricedAsset, { atMs: number; answer: Promise<bigint | Problem> }>()
  const accepted = new Map<PricedAsset, Price>()

  async function ask(source: PriceSource, url: string, asset: PricedAsset): Promise<Price | null> {
    try {
      return source.read((await http.readJson({ url: url.replace(/\/+$/, '') + source.path(asset) })).json)
    } catch (error) {
      log.warn({ source: source.name, asset, reason: describeError(error) }, 'no price')
      return null
    }
  }

  async function fresh(asset: PricedAsset): Promise<bigint | Problem> {
    const pair = await Promise.all([ask(coinbase, urlA, asset), ask(bitstamp, urlB, asset)])
    const nowMs = clock.nowMs()
    const price = agree(pair, nowMs, accepted.get(asset) ?? null)
    if (typeof price === 'bigint') {
      accepted.set(asset, { usdE8: price, atMs: nowMs })
      return price
    }
    log.warn({ asset, reason: price }, 'not quoting')
    return { problem: 'price_unavailable', detail: `${asset}: prices are ${price}.`, retryAfterS: 30 }
  }

  return {
    sources: `${coinbase.name}, ${bitstamp.name}`,
    priceOf(asset) {
      const kept = asked.get(asset)
      const nowMs = clock.nowMs()
      if (kept !== undefined && Math.abs(nowMs - kept.atMs) < KEEP_MS) return kept.answer
      const answer = fresh(asset)
      asked.set(asset, { atMs: nowMs, answer })
      return answer
    },
    close: () => http.close(),
  }
}
