import { UnavailableError } from '../../ops/errors.ts'
import { type MinedLog, receiptOf } from './nodeReads.ts'
import type { Rpc } from './rpc.ts'

/** Transactions remembered; beyond them the one read first is forgotten. */
const MAX_KNOWN = 20_000
const READS_AT_ONCE = 8

type Mined = Pick<MinedLog, 'transactionHash' | 'blockHash' | 'blockIndex'>

/**
 * Positions of logs within their transactions. A listing gives the position within the block, which changes when the
 * block is replaced, so nothing kept permanently may be named by it. One receipt per transaction, read once.
 */
export function createLogPlaces() {
  const firsts = new Map<string, number>()
  const nameOf = ({ blockHash, transactionHash }: Mined) => `${blockHash} ${transactionHash}`

  async function read(rpc: Rpc, log: Mined): Promise<number> {
    const receipt = await receiptOf(rpc, log.transactionHash)
    const [any] = receipt?.logs ?? []
    if (receipt === null || any === undefined || receipt.blockHash !== log.blockHash)
      throw new UnavailableError('chain_unavailable', 'a transaction is in another block by now')
    if (firsts.size >= MAX_KNOWN) firsts.delete(firsts.keys().next().value!)
    firsts.set(nameOf(log), any.blockIndex - any.logIndex)
    return any.blockIndex - any.logIndex
  }

  /** Each log with its `logIndex`. @throws UnavailableError when one is not where it was listed. */
  return async <Log extends Mined>(
    rpc: Rpc,
    logs: readonly Log[],
  ): Promise<(Log & { logIndex: number })[]> => {
    const wanted = [...new Map(logs.map((log) => [nameOf(log), log])).entries()]
    const found = new Map<string, number>()
    for (let at = 0; at < wanted.length; at += READS_AT_ONCE)
      await Promise.all(
        wanted.slice(at, at + READS_AT_ONCE).map(async ([name, log]) => {
          found.set(name, firsts.get(name) ?? (await read(rpc, log)))
        }),
      )
    return logs.map((log) => ({ ...log, logIndex: log.blockIndex - found.get(nameOf(log))! }))
  }
}

export type LogPlaces = ReturnType<typeof createLogPlaces>
