import type { Redis } from 'ioredis'
import type { Hex } from 'viem'
import { UnavailableError } from '../../../ops/errors.ts'
import { type GoneOutcome, reverseGone } from '../../ledger/goneSales.ts'
import { KEYS } from '../../ledger/keys.ts'
import { formerTransferKey, type Sale, transferKey } from '../../ledger/ledger.ts'
import type { ChainHead, ChainView } from '../../settlement/port.ts'
import { everyBlockSince, headNow } from './blockSince.ts'
import { JournalEntry } from './journalEntry.ts'
import type { TokenPlace } from './tokenPlaces.ts'

export type GoneSale = { receipt: string; microUsdc: bigint; outcome: GoneOutcome }

type Chain = Pick<ChainView, 'head' | 'blockAt' | 'arrivals'>

const PAGE = 1_000
/** More than any chain has with one time. */
const BLOCKS_OF_A_TIME = 20n

/**
 * Reverses the sales of a transaction that is not on the chain any more and whose watch has ended: an operator has
 * looked at it, and nothing else would ever explain it. A reversal has the name of the entry it reverses, so that
 * ClickHouse counts it once.
 * @returns what became of each; none: no sale of the journal names the transaction.
 * @throws UnavailableError from a node that cannot tell that it is gone: it lags, or lacks the time of the sale (CHN-04).
 */
export async function bookGone(
  redis: Redis,
  tx: Hex,
  place: Pick<TokenPlace, 'chainId' | 'rail' | 'asset' | 'receivers'>,
  { chain, nowMs }: { chain: Chain; nowMs: number },
): Promise<GoneSale[]> {
  const found = await salesOf(redis, tx, place.rail)
  if (found.length === 0) return []
  const head = await headNow(chain, nowMs)
  const done: GoneSale[] = []
  for (const { id, sale } of found) {
    const { attestationId: receipt, logIndex } = sale
    const amount = BigInt(sale.amountMicroUsdc)
    if (sale.purchasePath === 'reversed') {
      done.push({ receipt, microUsdc: -amount, outcome: 'already' })
      continue
    }
    await refuseListed(tx, place, { chain, head, sinceMs: sale.atMs })
    //  older entries have the log's index within its block
    const names = [transferKey(place.chainId, tx, logIndex), formerTransferKey(place.chainId, tx, logIndex)]
    const [row, former] = await redis.mget(names.map(KEYS.spent))
    const { cards: _, ...told } = sale
    const reversal: Sale = {
      ...told,
      eventId: `${receipt}:reversed:seen ${id}`,
      purchasePath: 'reversed',
      amountMicroUsdc: String(-amount),
      creditMicroUsdc: String(-BigInt(sale.creditMicroUsdc ?? '0')),
      cardIds: [], //  how cards turn out is told once per sale
      responseHash: '',
    }
    done.push({
      receipt,
      microUsdc: amount,
      outcome: await reverseGone(redis, row ?? former ?? null, reversal),
    })
  }
  return done
}

/**
 * A node may have dropped the index of old transactions, and says of each that there is none; it still has their logs.
 * @throws UnavailableError if it lists the transfer, or lacks its block.
 */
async function refuseListed(
  tx: Hex,
  { asset, receivers }: Pick<TokenPlace, 'asset' | 'receivers'>,
  { chain, head, sinceMs }: { chain: Chain; head: ChainHead; sinceMs: number },
): Promise<void> {
  const from = await everyBlockSince(chain, head, sinceMs)
  const last = from + BLOCKS_OF_A_TIME
  const { inflows } = await chain.arrivals(asset, receivers, from, last < head.number ? last : head.number)
  if (inflows.some((inflow) => inflow.tx === tx))
    throw new UnavailableError(
      'chain_unavailable',
      `the node has a transfer of ${tx}, and no such transaction`,
    )
}

/** The last entry of each receipt whose money is said to be in this transaction. */
async function salesOf(redis: Redis, tx: Hex, rail: string): Promise<{ id: string; sale: Sale }[]> {
  const last = new Map<string, { id: string; sale: Sale }>()
  let start = '-'
  for (;;) {
    const entries = await redis.xrange(KEYS.sales, start, '+', 'COUNT', PAGE)
    for (const [id, [, text = '']] of entries) {
      const { data } = JournalEntry.safeParse(text)
      if (data === undefined || data.rail !== rail) continue
      if (data.tx === tx) last.set(data.attestationId, { id, sale: data as unknown as Sale })
      else last.delete(data.attestationId) //  its money moved to another transaction
    }
    if (entries.length < PAGE) return [...last.values()]
    start = `(${entries.at(-1)![0]}`
  }
}
