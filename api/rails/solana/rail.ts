import type { Clock } from '../../../ops/clock.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { DAY, SECOND } from '../../../ops/units.ts'
import { confirmationsFor } from '../confirmations.ts'
import type { Prices } from '../prices/prices.ts'
import { pricedQuote } from '../quote.ts'
import type { Rail, RailRecord, RailTransfer } from '../rail.ts'
import { gainsOf } from './deltas.ts'
import { createFollower } from './follow.ts'
import { canonicalSignature, type SolanaNode } from './node.ts'
import type { SolanaTransaction } from './wire.ts'

/** Votes on top of a rooted block: what every finalised transfer has, and we see no others. */
const ROOTED = 32

/** Native SOL to our account, by the change of its balance in a finalised transaction without error. */
export function solanaRail({
  record,
  decimals,
  node,
  prices,
  clock,
}: {
  record: RailRecord
  decimals: number
  node: SolanaNode
  prices: Prices
  clock: Clock
}): Rail {
  const receivers = new Set([record.receiverAddress, ...record.alternateReceivers])

  /** @throws UnavailableError where it failed and yet paid us: one of the two is not so (CHN-04). */
  function transfersOf(found: SolanaTransaction, told: readonly string[] = []): RailTransfer[] {
    const signature = found.transaction.signatures[0]!
    const gains = gainsOf(found, new Set([...receivers, ...told]))
    if (found.meta.err !== null && gains.length > 0)
      throw new UnavailableError('chain_unavailable', 'getTransaction: failed, and moved something')
    return gains.map(({ to, index, lamports, from }) => ({
      key: `solana:${signature}:${index}`,
      rail: record.id,
      tx: signature,
      index,
      from,
      to,
      atomic: lamports,
      confirmations: ROOTED,
      byAuthorization: false,
      atMs: found.blockTime ? found.blockTime * SECOND : clock.nowMs(),
    }))
  }
  const follower = createFollower({ node, receivers: [...receivers], clock, transfersOf })

  return {
    ...record,
    decimals,
    discovers: true,
    quote: (amountMicroUsdc) =>
      pricedQuote(amountMicroUsdc, { asset: 'SOL', decimals, smallest: 1n }, { prices, clock }),
    async byHash(tx, told) {
      const signature = canonicalSignature(tx)
      if (signature === null) return 'failed'
      const found = await node.transaction(signature)
      if (found === null || found.transaction.signatures[0] !== signature) return 'unknown'
      const transfers = transfersOf(found, told)
      return found.meta.err === null ? transfers : 'failed'
    },
    covers: async () => false, //  what was finalised stays: a node that does not know it has forgotten it
    since: async (fromMs) => (await follower.since(Math.max(fromMs, clock.nowMs() - DAY))).transfers,
    async lookThrough(fromMs) {
      if (fromMs < clock.nowMs() - DAY && fromMs < (await node.oldestMs()))
        throw new UnavailableError(
          'chain_unavailable',
          'the node no longer has the transactions of that time',
        )
      return await follower.since(fromMs)
    },
    confirmationsFor: (amountMicroUsdc) => confirmationsFor('solana', amountMicroUsdc),
  }
}
