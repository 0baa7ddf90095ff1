import type { Metrics } from '../../../ops/metrics.ts'
import { MICRO_PER_USDC, SECOND } from '../../../ops/units.ts'
import type { ChainView, PaymentChain } from '../../settlement/port.ts'
import { CLASSES } from './classes.ts'
import { type BooksAsked, joinBooks } from './joinBooks.ts'
import type { LedgerView } from './ledgerView.ts'

/** Blocks joined at each look: an hour of them. */
const BLOCKS = 1_800n

/** What `ops/reconcile` would say of the last hour, as metrics. An alarm belongs on `books_unexplained_usdc` above 0. */
export function createBooksWatch({
  metrics,
  chain,
  ledger,
  ...asked
}: {
  metrics: Metrics
  chain: ChainView & PaymentChain
  ledger: LedgerView
} & Pick<BooksAsked, 'chainId' | 'asset' | 'receivers'>) {
  const usdc = metrics.gauge('books_usdc', 'Arrived in the last hour of blocks, by what became of it', [
    'class',
  ])
  const unexplained = metrics.gauge('books_unexplained_usdc', 'Unattributed, or sold without money on chain')
  const oldest = metrics.gauge('books_unexplained_oldest_seconds', 'Age of the oldest unattributed transfer')

  return async (nowMs: number): Promise<void> => {
    const until = (await chain.head('latest')).number
    const from = until > BLOCKS ? until - BLOCKS : 0n
    const books = await joinBooks({ ...asked, from, until }, { chain, ledger, nowMs })
    for (const name of CLASSES) usdc.set({ class: name }, inUsdc(books.classes[name].microUsdc))
    unexplained.set(inUsdc(books.unexplained.reduce((sum, { microUsdc }) => sum + microUsdc, 0n)))
    oldest.set(Math.max(0, ...books.unexplained.map(({ ageMs }) => ageMs ?? 0)) / SECOND)
  }
}

/** For a gauge, which is a float: not for books. */
const inUsdc = (micro: bigint): number => Number(micro) / Number(MICRO_PER_USDC)
