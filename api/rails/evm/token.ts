import { type Address, type Hex, toFunctionSelector } from 'viem'
import type { Clock } from '../../../ops/clock.ts'
import type { Log } from '../../../ops/log.ts'
import { formerTransferKey, transferKey } from '../../ledger/ledger.ts'
import { ethCall, latestBlock } from '../../settlement/nodeReads.ts'
import { isExecutionFailure, type Rpc, RpcError } from '../../settlement/rpc.ts'
import { transferLogs } from '../../settlement/tokenLogs.ts'
import { confirmationsFor, depthOf } from '../confirmations.ts'
import { stableQuote } from '../quote.ts'
import type { Rail, RailRecord, RailTransfer } from '../rail.ts'
import type { EvmChain } from '../records.ts'
import { authorizedTransfers } from './authorized.ts'
import { coversTime } from './covers.ts'
import { readNamed } from './named.ts'
import type { EvmNetwork } from './network.ts'
import { createScan, type Discovered } from './scan.ts'

const DECIMALS = toFunctionSelector('decimals()')

/**
 * A token of an EVM chain. What counts is the token's own log in a successful transaction of a sealed block, and
 * the amount is what the log says arrived: USDT may take a fee and returns no bool (RAIL-02).
 */
export function tokenRail({
  record,
  chain,
  decimals,
  token,
  network,
  clock,
  log,
}: {
  record: RailRecord
  chain: EvmChain
  decimals: number
  token: Address
  network: EvmNetwork
  clock: Clock
  log: Log
}): Rail {
  const asset = token.toLowerCase() as Address
  const receivers = new Set([record.receiverAddress, ...record.alternateReceivers].map(lower))
  const scan = createScan({ network, chain, asset, receivers: [...receivers], clock })
  let fits = false //  until the token has confirmed its decimals: a node that answered wrongly may be corrected

  const transferOf = (found: Found): RailTransfer => ({
    key: transferKey(network.chainId, found.tx, found.logIndex),
    formerKey: formerTransferKey(network.chainId, found.tx, found.blockIndex),
    rail: record.id,
    tx: found.tx,
    index: found.logIndex,
    from: found.from,
    to: found.to,
    atomic: found.value,
    confirmations: found.confirmations,
    atMs: found.atMs,
    byAuthorization: found.byAuthorization,
  })
  const plain = (found: Discovered) => transferOf({ ...found, byAuthorization: false })

  return {
    ...record,
    decimals,
    discovers: true,
    async quote(amountMicroUsdc) {
      fits ||= await network.read('decimals', (rpc) => hasDecimals(rpc, asset, decimals))
      if (fits) return stableQuote(amountMicroUsdc, decimals, clock.nowMs())
      log.error({ rail: record.id, token: asset, decimals }, 'the token has other decimals: its rail is off')
      return { problem: 'rail_unavailable', detail: `${record.id}: the token is not the expected one.` }
    },
    byHash: (tx, told = []) =>
      readNamed(network, tx, async (rpc, { hash, receipt, block }) => {
        const paid = new Set([...receivers, ...told.map(lower)])
        const confirmations = depthOf((await latestBlock(rpc)).number, block.number)
        const authorized = new Set(authorizedTransfers(receipt, asset).map(({ logIndex }) => logIndex))
        return transferLogs(receipt.logs, asset)
          .filter(({ to, value }) => paid.has(to) && value > 0n)
          .map((log) => {
            const byAuthorization = authorized.has(log.logIndex)
            return transferOf({ ...log, tx: hash, confirmations, atMs: block.timeMs, byAuthorization })
          })
      }),
    since: async (fromMs) => (await scan.since(fromMs)).map(plain),
    async lookThrough(fromMs) {
      const { found, untilMs } = await scan.through(fromMs)
      return { transfers: found.map(plain), untilMs }
    },
    covers: (atMs) => coversTime(network, atMs),
    confirmationsFor: (amountMicroUsdc) => confirmationsFor(chain, amountMicroUsdc),
  }
}

type Found = {
  tx: Hex
  logIndex: number
  blockIndex: number
  from: Address
  to: Address
  value: bigint
  confirmations: number
  atMs: number
  byAuthorization: boolean
}

const lower = (address: string): Address => address.toLowerCase() as Address

/** RAIL-13: a token with other decimals than ours, or none, is another token. */
async function hasDecimals(rpc: Rpc, asset: Address, decimals: number): Promise<boolean> {
  try {
    const answer = await ethCall(rpc, { to: asset, data: DECIMALS })
    return /^0x[0-9a-f]{64}$/.test(answer) && BigInt(answer) === BigInt(decimals)
  } catch (error) {
    if (error instanceof RpcError && isExecutionFailure(error)) return false
    throw error
  }
}
