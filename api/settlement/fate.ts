import type { Address, Hex } from 'viem'
import { UnavailableError } from '../../ops/errors.ts'
import { HOUR, SECOND } from '../../ops/units.ts'
import { type Range, readRanges, type Span } from './logRanges.ts'
import {
  type BlockHead,
  blockAt,
  ethCall,
  latestBlock,
  logsBetween,
  logsOfBlock,
  receiptOf,
  sealedBlock,
} from './nodeReads.ts'
import type { AuthorizationFate, UsedAuthorization } from './port.ts'
import { type Rpc, RpcError } from './rpc.ts'
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED, addressTopic, authorizationState } from './tokenCalls.ts'
import { authorizationUses } from './tokenLogs.ts'

/** A week of two-second blocks: older uses than this are not looked for. */
const MAX_LOOKBACK = 302_400n
/** Two minutes of blocks: logs lag behind states by less, and every full node still has the state of that block. */
const LOGS_BEHIND = 60n
/**
 * How far before the claim's own time the search begins: clocks differ, and somebody else may have submitted the
 * payment before its buyer came to us (RPL-13), at most one payment window earlier.
 */
const SLACK_MS = 2 * HOUR

/**
 * What became of (from, nonce) at the newest block. The state says used or not; the log says by whom and how.
 * @throws UnavailableError also when the state says used but no log shows it, unless it is proven that none could: the
 *   node's logs lag behind its state.
 */
export async function readFate(
  rpc: Rpc,
  span: Span,
  asset: Address,
  from: Address,
  nonce: Hex,
  sinceMs: number,
  maxBytes?: number,
): Promise<AuthorizationFate> {
  const { head, used } = await readState(rpc, asset, from, nonce)
  const at = { blockNumber: head.number, blockMs: head.timeMs }
  if (!used) return { kind: 'unused', ...at }
  const earliest = await blockBefore(rpc, head, sinceMs - SLACK_MS)
  const found = await findUse(rpc, span, { asset, from, nonce }, { from: earliest.number, to: head.number })
  if (found === null && earliest.reaches && (await isOld(rpc, asset, from, nonce, head.number)))
    return { kind: 'earlier', ...at }
  if (found === null) throw new UnavailableError('chain_unavailable', 'used, but no log shows it')
  if (found.cancelled) return { kind: 'cancelled', tx: found.tx }
  const use = await readUseIn(rpc, asset, from, nonce, found.tx, maxBytes)
  if (use === null)
    throw new UnavailableError('chain_unavailable', 'the transaction of a used authorization is not there')
  return use
}

/**
 * The use of (from, nonce) that one sealed transaction shows: its receipt and its block, nothing else is asked.
 * @returns null when it is not in a sealed block or shows no such use; that says nothing about other transactions.
 */
export async function readUseIn(
  rpc: Rpc,
  asset: Address,
  from: Address,
  nonce: Hex,
  tx: Hex,
  maxBytes?: number,
): Promise<UsedAuthorization | null> {
  const receipt = await receiptOf(rpc, tx, maxBytes)
  if (receipt === null || !receipt.succeeded) return null
  const use = authorizationUses(receipt.logs, asset).find((one) => one.from === from && one.nonce === nonce)
  if (use === undefined || use.transfer === null) return null
  const block = await sealedBlock(rpc, receipt)
  if (block === null) return null
  const { to, value, logIndex, blockIndex } = use.transfer
  const place = { tx, logIndex, blockIndex, blockNumber: block.number, blockMs: block.timeMs }
  return { kind: 'used', to, value, ...place }
}

/**
 * State and block of one instant. Asked by number, because 'latest' may come from a node that is behind; a node
 * that has not got, or no longer keeps, the state of that block gets two more chances with a newer one.
 */
export async function readState(
  rpc: Rpc,
  asset: Address,
  from: Address,
  nonce: Hex,
): Promise<{ head: BlockHead; used: boolean }> {
  for (let chance = 1; ; chance++) {
    const head = await latestBlock(rpc)
    try {
      return { head, used: await isUsedAt(rpc, asset, from, nonce, head.number) }
    } catch (error) {
      if (!(error instanceof RpcError) || chance === 3) throw error
    }
  }
}

async function isUsedAt(
  rpc: Rpc,
  asset: Address,
  from: Address,
  nonce: Hex,
  block: bigint,
): Promise<boolean> {
  const state = await ethCall(rpc, { to: asset, data: authorizationState(from, nonce) }, block)
  if (/^0x0{63}[01]$/.test(state)) return state.endsWith('1')
  throw new UnavailableError('chain_unavailable', 'no authorization state')
}

/**
 * Whether the nonce was used so long ago that its log should be there: the state of a block two minutes ago already
 * says used, and the node has that very block, since it answers for its logs by hash.
 */
async function isOld(rpc: Rpc, asset: Address, from: Address, nonce: Hex, head: bigint): Promise<boolean> {
  if (head < LOGS_BEHIND) return false
  const block = await blockAt(rpc, head - LOGS_BEHIND)
  if (block === null || !(await isUsedAt(rpc, asset, from, nonce, block.number))) return false
  const topics = [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], addressTopic(from), nonce]
  return (await logsOfBlock(rpc, { address: asset, topics, hash: block.hash })).length === 0
}

/** A block at or before the given time, found from the newest by doubling steps. `reaches`: there is one in range. */
async function blockBefore(
  rpc: Rpc,
  head: BlockHead,
  timeMs: number,
): Promise<{ number: bigint; reaches: boolean }> {
  let back = BigInt(Math.max(1, Math.ceil((head.timeMs - timeMs) / (2 * SECOND))))
  while (back < MAX_LOOKBACK && back < head.number) {
    const block = await blockAt(rpc, head.number - back)
    if (block !== null && block.timeMs <= timeMs) return { number: block.number, reaches: true }
    back *= 2n
  }
  if (head.number <= MAX_LOOKBACK) return { number: 0n, reaches: true }
  return { number: head.number - MAX_LOOKBACK, reaches: false }
}

async function findUse(
  rpc: Rpc,
  span: Span,
  { asset, from, nonce }: { asset: Address; from: Address; nonce: Hex },
  blocks: Range,
): Promise<{ tx: Hex; cancelled: boolean } | null> {
  const topics = [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], addressTopic(from), nonce]
  const list = (range: Range) => logsBetween(rpc, { address: asset, topics, ...range })
  for await (const [, [log]] of readRanges(span, { ...blocks, newestFirst: true }, list))
    if (log !== undefined)
      return { tx: log.transactionHash, cancelled: log.topics[0] === AUTHORIZATION_CANCELED }
  return null
}
