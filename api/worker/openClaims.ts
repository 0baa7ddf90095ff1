import type { Metrics } from '../../ops/metrics.ts'
import { SECOND } from '../../ops/units.ts'
import type { CardLedger } from '../ledger/cards.ts'
import type { Ledger, ListedClaim } from '../ledger/ledger.ts'

/** Claims looked at: as many as the ledger lists. */
const MAX_LISTED = 20_000

/**
 * How long the oldest claim has waited for its outcome, whoever was to settle it (alarm above its window), and, once
 * paid, for its answer: including card payments for which nothing could be claimed because their data was too old. Such
 * a sale, if it can be neither answered nor refunded here, waits for an operator (I4).
 */
export function createOpenClaimsWatch({
  ledger,
  cards,
  metrics,
}: {
  ledger: Pick<Ledger, 'list'>
  cards: Pick<CardLedger, 'undrawnSinceMs' | 'strays'>
  metrics: Metrics
}) {
  const undecided = metrics.gauge(
    'settling_oldest_seconds',
    'Age of the oldest claim whose outcome is not known',
  )
  const unanswered = metrics.gauge(
    'unanswered_oldest_seconds',
    'How long the oldest sale is paid that has no answer',
  )
  const strays = metrics.gauge(
    'card_strays',
    'Card payments that bought nothing here and that nobody has seen to yet',
  )
  return async (nowMs: number): Promise<void> => {
    strays.set((await cards.strays()).filter(({ done }) => done === null).length)
    const open = await ledger.list('settling', MAX_LISTED)
    undecided.set(oldest(open, ({ createdMs }) => createdMs))
    const paid = await ledger.list('undelivered', MAX_LISTED)
    const undrawnMs = await cards.undrawnSinceMs()
    unanswered.set(
      Math.max(
        oldest(paid, ({ settledMs }) => settledMs ?? nowMs),
        undrawnMs === null ? 0 : (nowMs - undrawnMs) / SECOND,
      ),
    )

    function oldest(claims: readonly ListedClaim[], sinceMs: (claim: ListedClaim) => number): number {
      return claims.reduce((age, claim) => Math.max(age, nowMs - sinceMs(claim)), 0) / SECOND
    }
  }
}
