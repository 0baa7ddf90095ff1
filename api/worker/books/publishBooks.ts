import type { Redis } from 'ioredis'
import { assert } from '../../../ops/errors.ts'
import type { Metrics } from '../../../ops/metrics.ts'
import { MICRO_PER_USDC, SECOND } from '../../../ops/units.ts'
import type { RailId } from '../../rails/rail.ts'
import type { ChainView } from '../../settlement/port.ts'
import { blockSince } from './blockSince.ts'
import { CLASSES, type MoneyClass } from './classes.ts'
import { type BooksPorts, isUnexplained, joinBooks, type Unexplained } from './joinBooks.ts'
import { type OpenItems, readOpenItems, writeOpenItems } from './openItems.ts'
import { sumOf } from './render.ts'
import type { TokenPlace } from './tokenPlaces.ts'

/** Blocks joined before it is written down how far. */
const AT_ONCE = 43_200n
/** Kept one by one; of more only the sum is told, and the next look begins where this one did. */
const MOST_OPEN = 2_000

type BooksGauges = ReturnType<typeof createBooksGauges>
export const createBooksGauges = (metrics: Metrics, rail: RailId[]) => ({
  usdc: metrics.gauge(
    'books_usdc',
    'Arrived in the newest hour of blocks and since the look before, by class',
    {
      ...{ rail, class: CLASSES },
    },
  ),
  unexplained: metrics.gauge(
    'books_unexplained_usdc',
    'Unattributed, for a void claim, or sold without money on chain, until it is explained: ops/reconcile',
    { rail },
  ),
  oldest: metrics.gauge('books_unexplained_oldest_seconds', 'Age of the oldest unattributed transfer', {
    rail,
  }),
})

/**
 * What `ops/reconcile` would say of everything since the first look, as metrics. A look goes on where the one before
 * ended, however long ago, with an hour of overlap; what stays unexplained beyond that is asked about one by one.
 * @returns one look.
 */
export function createBooksWatch({
  redis,
  gauges,
  place,
  chain,
  ledger,
}: {
  redis: Redis
  gauges: BooksGauges
  place: TokenPlace
  chain: BooksPorts['chain'] & Pick<ChainView, 'head'>
  ledger: BooksPorts['ledger']
}): (nowMs: number) => Promise<void> {
  const { rail, hour } = place

  /** What was open before the blocks that are joined now, and still is. */
  async function stillOpen(
    items: readonly Unexplained[],
    fromMs: number,
    nowMs: number,
  ): Promise<Unexplained[]> {
    const open: Unexplained[] = []
    for (const item of items)
      if ((item.atMs ?? 0) <= fromMs && (await isUnexplained(item, place, { chain, ledger, nowMs })))
        open.push(item)
    return open
  }

  return async (nowMs) => {
    const head = await chain.head('latest')
    const before = await readOpenItems(redis, rail)
    const reached = before === null || before.until > head.number ? head.number : before.until
    let from = await blockSince(chain, head, { lowest: reached > hour ? reached - hour : 0n })
    const first = from === head.number ? head : await chain.blockAt(from)
    assert(first !== null, 'a block of the range is there')
    let open: OpenItems = {
      until: from,
      items: await stillOpen(before?.items ?? [], first.timeMs, nowMs),
    }
    const arrived = new Map<MoneyClass, bigint>()
    while (from <= head.number) {
      const until = from + AT_ONCE - 1n < head.number ? from + AT_ONCE - 1n : head.number
      const books = await joinBooks({ ...place, from, until }, { chain, ledger, nowMs })
      for (const name of CLASSES) arrived.set(name, (arrived.get(name) ?? 0n) + books.classes[name].microUsdc)
      open = { until, items: merged(open.items, books.unexplained) }
      if (open.items.length <= MOST_OPEN) await writeOpenItems(redis, rail, open)
      from = until + 1n
    }
    for (const name of CLASSES) gauges.usdc.set({ rail, class: name }, inUsdc(arrived.get(name) ?? 0n))
    gauges.unexplained.set({ rail }, inUsdc(sumOf(open.items)))
    const ages = open.items.map(({ atMs }) => (atMs === null ? 0 : nowMs - atMs))
    gauges.oldest.set({ rail }, ages.reduce((oldest, age) => Math.max(oldest, age), 0) / SECOND)
    if (open.items.length > MOST_OPEN)
      throw new Error(`${rail}: more than ${MOST_OPEN} transfers are unexplained: ops/reconcile`)
  }
}

const nameOf = ({ tx, logIndex }: Unexplained): string => `${tx} ${logIndex}`
const merged = (old: readonly Unexplained[], more: readonly Unexplained[]): Unexplained[] => [
  ...new Map([...old, ...more].map((item) => [nameOf(item), item])).values(),
]

/** For a gauge, which is a float: not for books. */
const inUsdc = (micro: bigint): number => Number(micro) / Number(MICRO_PER_USDC)
