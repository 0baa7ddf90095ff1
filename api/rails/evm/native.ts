import type { Hex } from 'viem'
import { z } from 'zod'
import type { Clock } from '../../../ops/clock.ts'
import { assert, UnavailableError } from '../../../ops/errors.ts'
import { latestBlock } from '../../settlement/nodeReads.ts'
import type { Rpc } from '../../settlement/rpc.ts'
import { confirmationsFor, depthOf } from '../confirmations.ts'
import type { Prices } from '../prices/prices.ts'
import { pricedQuote } from '../quote.ts'
import type { Rail, RailRecord } from '../rail.ts'
import type { EvmChain } from '../records.ts'
import { coversTime } from './covers.ts'
import { readNamed } from './named.ts'
import type { EvmNetwork } from './network.ts'

const HexText = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text.toLowerCase() as Hex)
const Transaction = z.object({
  from: HexText,
  to: HexText.nullable(), //  null: it created a contract
  value: z
    .string()
    .regex(/^0x[0-9a-fA-F]{1,64}$/)
    .transform(BigInt),
})

/**
 * ETH of an EVM chain: the value of a transaction sent to us. Ether that a contract passes on inside a call leaves no
 * trace that a plain node shows, so contract wallets cannot pay on this rail: their transaction is found, but without a
 * transfer. We have to give that money back (README, refunds) (RAIL-03).
 */
export function nativeRail({
  record,
  chain,
  decimals,
  network,
  prices,
  clock,
}: {
  record: RailRecord
  chain: EvmChain
  decimals: number
  network: EvmNetwork
  prices: Prices
  clock: Clock
}): Rail {
  const receivers = [record.receiverAddress, ...record.alternateReceivers]
  return {
    ...record,
    decimals,
    discovers: false,
    quote: (amountMicroUsdc) =>
      pricedQuote(amountMicroUsdc, { asset: 'ETH', decimals, smallest: 1n }, { prices, clock }),
    byHash: (tx, told = []) =>
      readNamed(network, tx, async (rpc, { hash, block }) => {
        const sent = await transactionOf(rpc, hash)
        if (sent === null) return 'unknown'
        const paid = [...receivers, ...told].some((text) => text.toLowerCase() === sent.to)
        if (sent.to === null || !paid || sent.value === 0n) return []
        const confirmations = depthOf((await latestBlock(rpc)).number, block.number)
        return [
          {
            //  not a log: the key must not look like a log index
            key: `tx:${network.chainId}:${hash}:value`,
            rail: record.id,
            tx: hash,
            index: 0,
            from: sent.from,
            to: sent.to,
            atomic: sent.value,
            confirmations,
            atMs: block.timeMs,
            byAuthorization: false,
          },
        ]
      }),
    covers: (atMs) => coversTime(network, atMs),
    since: async () => assert(false, `${record.id} does not discover`) as never,
    lookThrough: async () => assert(false, `${record.id} does not discover`) as never,
    confirmationsFor: (amountMicroUsdc) => confirmationsFor(chain, amountMicroUsdc),
  }
}

async function transactionOf(rpc: Rpc, hash: Hex): Promise<z.infer<typeof Transaction> | null> {
  const answer = await rpc.call('eth_getTransactionByHash', [hash])
  if (answer === null) return null
  const read = Transaction.safeParse(answer)
  if (!read.success)
    throw new UnavailableError('chain_unavailable', 'eth_getTransactionByHash: the answer has another shape')
  return read.data
}
