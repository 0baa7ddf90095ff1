import type { Address, Hex } from 'viem'
import { UnavailableError } from '../../../ops/errors.ts'
import type { LogPlaces } from '../../settlement/logPlaces.ts'
import type { Range } from '../../settlement/logRanges.ts'
import { blockAt, logsBetween } from '../../settlement/nodeReads.ts'
import type { Rpc } from '../../settlement/rpc.ts'
import { AUTHORIZATION_USED, addressTopic, TRANSFER } from '../../settlement/tokenCalls.ts'
import { type TransferLog, transferLogs } from '../../settlement/tokenLogs.ts'
import { type AuthorizedPlaces, type Placed, withoutAuthorized } from './authorized.ts'
import type { EvmNetwork } from './network.ts'

export type ScannedTransfer = TransferLog & { tx: Hex; blockNumber: bigint; atMs: number }

/** Topics of at most this many payers in one question. */
const PAYERS_AT_ONCE = 200

/** Transfers of the token to our receivers in these blocks, in order, without x402 settlements and zeros. */
export async function transfersBetween(
  rpc: Rpc,
  {
    asset,
    receivers,
    from,
    to,
    times,
    places,
    authorized,
  }: Range & {
    asset: Address
    receivers: readonly Address[]
    times: BlockTimes
    places: LogPlaces
    authorized: AuthorizedPlaces
  },
): Promise<ScannedTransfer[]> {
  const logs = await logsBetween(rpc, {
    address: asset,
    topics: [TRANSFER, null, receivers.map(addressTopic)],
    from,
    to,
  })
  const moved = logs
    .flatMap((log) =>
      transferLogs([{ ...log, logIndex: log.blockIndex }], asset).map((transfer) => ({
        ...transfer,
        transactionHash: log.transactionHash,
        blockNumber: log.blockNumber,
        blockHash: log.blockHash,
      })),
    )
    .filter(({ value }) => value > 0n)
    .sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.blockIndex - b.blockIndex)
  const uses = await usesBy(rpc, asset, [...new Set(moved.map((one) => one.from))], { from, to })
  const paying = await places(rpc, await withoutAuthorized(rpc, asset, { moved, uses, places: authorized }))
  const atMs = await times(paying.map(({ blockNumber }) => blockNumber))
  return paying.map(({ transactionHash, blockHash: _, ...one }) => ({
    ...one,
    tx: transactionHash,
    atMs: atMs.get(one.blockNumber)!,
  }))
}

/** Every authorization that these payers used. */
async function usesBy(rpc: Rpc, asset: Address, payers: readonly Address[], range: Range): Promise<Placed[]> {
  const uses: Placed[] = []
  for (let at = 0; at < payers.length; at += PAYERS_AT_ONCE) {
    const some = payers.slice(at, at + PAYERS_AT_ONCE).map(addressTopic)
    const logs = await logsBetween(rpc, { address: asset, topics: [AUTHORIZATION_USED, some], ...range })
    for (const { topics, transactionHash, blockHash, blockIndex } of logs)
      uses.push({ transactionHash, blockHash, blockIndex, from: `0x${topics[1]!.slice(26)}` })
  }
  return uses
}

/** Unix ms of blocks by number. */
export type BlockTimes = (numbers: readonly bigint[]) => Promise<Map<bigint, number>>

const READS_AT_ONCE = 8

export function createBlockTimes(network: EvmNetwork): BlockTimes {
  return async (numbers) => {
    const wanted = [...new Set(numbers)]
    const times = new Map<bigint, number>()
    for (let at = 0; at < wanted.length; at += READS_AT_ONCE)
      await Promise.all(
        wanted.slice(at, at + READS_AT_ONCE).map(async (number) => {
          const block = await network.read('block', (rpc) => blockAt(rpc, number))
          if (block === null) throw new UnavailableError('chain_unavailable', 'a block of a log is not there')
          times.set(number, block.timeMs)
        }),
      )
    return times
  }
}
