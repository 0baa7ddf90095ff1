import type { Redis } from 'ioredis'
import type { Log } from '../../../ops/log.ts'
import type { Metrics } from '../../../ops/metrics.ts'
import { SECOND } from '../../../ops/units.ts'
import type { ChainView } from '../../settlement/port.ts'
import { blockOf, blockSince } from './blockSince.ts'
import { CLASSES, type MoneyClass } from './classes.ts'
import { type BooksPorts, joinBooks } from './joinBooks.ts'
import {
  MOST_OPEN,
  type OpenItems,
  readOpenItems,
  stillOpen,
  withItems,
  writeOpenItems,
} from './openItems.ts'
import { sumOf } from './render.ts'
import { type BookId, type TokenPlace, unitOf } from './tokenPlaces.ts'

type BooksGauges = ReturnType<typeof createBooksGauges>
export const createBooksGauges = (metrics: Metrics, rail: BookId[]) => ({
  usdc: metrics.gauge(
    'books_usdc',
    'Arrived in the newest hour of blocks and since the look before, by class; at a deposit address in its own coin',
    {
      rail,
      class: CLASSES,
    },
  ),
  unexplained: metrics.gauge(
    'books_unexplained_usdc',
    'Unattributed, for a void claim or a broken row, or sold without money on chain, until it is explained: ops/reconcile; at a deposit address in its own coin',
    { rail },
  ),
  unlisted: metrics.gauge(
    'books_unexplained_unlisted',
    `1: more than ${MOST_OPEN} are unexplained; the largest are followed and summed, the others only seen by ops/reconcile`,
    { rail },
  ),
  oldest: metrics.gauge('books_unexplained_oldest_seconds', 'Age of the oldest unattributed transfer', {
    rail,
  }),
})

/**
 * What `ops/reconcile` would report about everything since the first look, as metrics. A look resumes where the
 * previous one ended, however long ago, with an hour of overlap; what stays unexplained beyond that is checked one by
 * one.
 * @returns a function that does one look.
 */
export function createBooksWatch({
  redis,
  gauges,
  place,
  chain,
  ledger,
  log,
}: {
  redis: Redis
  gauges: BooksGauges
  place: TokenPlace
  chain: BooksPorts['chain'] & Pick<ChainView, 'head'>
  ledger: BooksPorts['ledger']
  log: Log
}): (nowMs: number) => Promise<void> {
  const { rail, hour } = place
  /** For a gauge, which is a float: not for books. */
  const whole = (amount: bigint): number => Number(amount) / 10 ** unitOf(rail).decimals

  return async (nowMs) => {
    const head = await chain.head('latest')
    const before = await readOpenItems(redis, rail)
    const reached = before === null || before.until > head.number ? head.number : before.until
    const overlap = reached > hour ? reached - hour : 0n
    //  once there is room again, unlisted items are looked for again
    const again = before !== null && before.items.length < MOST_OPEN ? before.unlistedSinceMs : null
    const unlisted = again === null ? overlap : await blockSince(chain, head, { sinceMs: again })
    const from = await blockSince(chain, head, { lowest: unlisted < overlap ? unlisted : overlap })
    const first = from === head.number ? head : await blockOf(chain, from)
    let open: OpenItems = {
      until: from,
      items: await stillOpen(before?.items ?? [], first.timeMs, place, { chain, ledger, nowMs }),
      unlistedSinceMs: again === null ? (before?.unlistedSinceMs ?? null) : null,
    }
    const arrived = new Map<MoneyClass, bigint>()
    for await (const part of joinBooks({ ...place, from, until: head.number }, { chain, ledger, nowMs })) {
      for (const name of CLASSES) arrived.set(name, (arrived.get(name) ?? 0n) + part.classes[name].microUsdc)
      open = withItems(open, part)
      await writeOpenItems(redis, rail, open)
    }
    for (const name of CLASSES) gauges.usdc.set({ rail, class: name }, whole(arrived.get(name) ?? 0n))
    gauges.unexplained.set({ rail }, whole(sumOf(open.items)))
    const ages = open.items.map(({ atMs }) => (atMs === null ? 0 : nowMs - atMs))
    gauges.oldest.set({ rail }, ages.reduce((oldest, age) => Math.max(oldest, age), 0) / SECOND)
    gauges.unlisted.set({ rail }, open.unlistedSinceMs === null ? 0 : 1)
    if (open.unlistedSinceMs !== null)
      log.error(
        { rail, since: new Date(open.unlistedSinceMs).toISOString() },
        `more than ${MOST_OPEN} transfers are unexplained, and the smaller ones are not followed: ops/reconcile`,
      )
  }
}
