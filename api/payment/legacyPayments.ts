import { assert } from '../../ops/errors.ts'
import { formatUsdc } from '../../ops/units.ts'
import { type IntentIds, randomTag } from './intentId.ts'
import { LEGACY_INTENT_MS } from './legacyTimes.ts'

/** Payments are made ahead by at most this: an intent may be dated that much earlier than it is given out. */
const AHEAD_MS = 20
const MOST_AHEAD = 64

/**
 * The `payment` objects of one path's 402s as JSON text, all of one width. Each is given to one caller. Under load they
 * are made many at a time, which costs little more than making one: the MACs of all are one call of the cipher.
 * @property width characters of each
 */
export function createLegacyPayments(
  priceMicroUsdc: bigint,
  intents: Pick<IntentIds, 'issueAll'>,
  { payTo, asset, network }: { payTo: string; asset: string; network: string },
): { width: number; next(nowMs: number): string } {
  const price = Number(priceMicroUsdc)
  const amounts = new Map<number, string>() //  as many as there are tags: at most 1,000
  const amountOf = (micro: number): string => {
    let text = amounts.get(micro)
    if (text === undefined) {
      text = `"amountUsdc":"${formatUsdc(BigInt(micro))}","amountAtomic":"${micro}"`
      amounts.set(micro, text)
    }
    return text
  }
  const around = [
    `","paymentRail":"usdc_base","payTo":"${payTo}",`,
    `,"asset":"${asset}","network":"${network}","expiresAtMs":`,
    ',"then":"send exactly this amount, then repeat the GET with X-PAYMENT: {intentId, txHash, paymentRail}, and with X-Service-Payer-Signature to be answered at once"}',
  ] as const
  const textOf = (id: string, micro: number, nowMs: number): string =>
    `{"intentId":"${id}${around[0]}${amountOf(micro)}${around[1]}${nowMs + LEGACY_INTENT_MS}${around[2]}`
  const widest = `{"intentId":"${' '.repeat(43)}${around[0]}"amountUsdc":"${Math.floor(price / 1e6)}.123456","amountAtomic":"${price}"${around[1]}${' '.repeat(13)}${around[2]}`
  const width = widest.length

  let ready: string[] = []
  let used = 0
  let madeMs = 0
  return {
    width,
    next(nowMs) {
      const isStale = nowMs < madeMs || nowMs > madeMs + AHEAD_MS
      if (isStale || used === ready.length) {
        const count = isStale ? Math.max(1, Math.min(used, MOST_AHEAD)) : Math.min(2 * used, MOST_AHEAD)
        const tagged = Array.from({ length: Math.max(1, count) }, () => price - randomTag(price))
        const ids = intents.issueAll(nowMs, tagged)
        ready = ids.map((id, at) => textOf(id, tagged[at]!, nowMs).padEnd(width))
        assert(ready[0]!.length === width, 'every legacy payment has room')
        madeMs = nowMs
        used = 0
      }
      return ready[used++]!
    },
  }
}
