import type { Address, Hex } from 'viem'
import type { ChainLog } from './nodeReads.ts'
import { AUTHORIZATION_USED, TRANSFER } from './tokenCalls.ts'

/** One Transfer log of the pinned token. */
export type TransferLog = { from: Address; to: Address; value: bigint } & Pick<
  ChainLog,
  'logIndex' | 'blockIndex'
>

/** One use of an authorization and the transfer it made; null when the logs show none. */
export type AuthorizationUse = { from: Address; nonce: Hex; transfer: TransferLog | null }

/**
 * The token's own Transfer logs of one transaction, in order. A log of another contract is no money, whatever
 * it says (CLS-12).
 * @param asset lower-case.
 */
export function transferLogs(logs: readonly ChainLog[], asset: Address): TransferLog[] {
  return ofToken(logs, asset).flatMap((log) => asTransfer(log) ?? [])
}

/**
 * Which Transfer belongs to which AuthorizationUsed (RPL-17: many in one transaction). The token writes
 * AuthorizationUsed and then its Transfer with nothing in between, so a use takes the first transfer after
 * it that leaves the same wallet and that no earlier use has taken.
 */
export function authorizationUses(logs: readonly ChainLog[], asset: Address): AuthorizationUse[] {
  const uses: AuthorizationUse[] = []
  const waiting = new Map<Address, AuthorizationUse[]>()
  for (const log of ofToken(logs, asset)) {
    if (log.topics[0] === AUTHORIZATION_USED && log.topics.length === 3) {
      const use: AuthorizationUse = {
        from: topicAddress(log.topics[1]!),
        nonce: log.topics[2]!,
        transfer: null,
      }
      uses.push(use)
      waiting.set(use.from, [...(waiting.get(use.from) ?? []), use])
      continue
    }
    const transfer = asTransfer(log)
    const use = transfer === null ? undefined : waiting.get(transfer.from)?.shift()
    if (use !== undefined) use.transfer = transfer
  }
  return uses
}

function ofToken(logs: readonly ChainLog[], asset: Address): ChainLog[] {
  return logs.filter(({ address }) => address === asset).sort((a, b) => a.logIndex - b.logIndex)
}

function asTransfer({ topics, data, logIndex, blockIndex }: ChainLog): TransferLog | null {
  if (topics[0] !== TRANSFER || topics.length !== 3 || data.length !== 66) return null
  const [from, to] = [topicAddress(topics[1]!), topicAddress(topics[2]!)]
  return { from, to, value: BigInt(data), logIndex, blockIndex }
}

const topicAddress = (topic: Hex): Address => `0x${topic.slice(26)}`
