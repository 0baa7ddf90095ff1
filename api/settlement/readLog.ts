import type { Hex } from 'viem'

const HEX = /^0x[0-9a-fA-F]*$/
const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/

/** Lower-case throughout. */
export type ReadLog = {
  address: Hex
  topics: Hex[]
  data: Hex
  blockIndex: number
  transactionHash: Hex
  isRemoved: boolean
}
export type ReadFoundLog = ReadLog & { blockNumber: bigint; blockHash: Hex }

/**
 * One log of a node's answer; null: it has another shape. Parsed by hand, as an exception: anybody can send a
 * transaction with thousands of logs for cents, and a schema takes ten times as long for each, during which nobody else
 * is answered.
 */
export function readLog(json: unknown): ReadLog | null {
  if (typeof json !== 'object' || json === null) return null
  const { address, topics, data, logIndex, transactionHash, removed } = json as Record<string, unknown>
  if (!isHex(address) || !isHex(data) || !isHex(transactionHash)) return null
  if (!isQuantity(logIndex) || !Array.isArray(topics) || !topics.every(isHex)) return null
  if (removed !== undefined && removed !== null && typeof removed !== 'boolean') return null
  return {
    address: lower(address),
    topics: topics.map(lower),
    data: lower(data),
    blockIndex: Number(logIndex),
    transactionHash: lower(transactionHash),
    isRemoved: removed === true,
  }
}

/** `readLog` for a log that says which block it is in. */
export function readFoundLog(json: unknown): ReadFoundLog | null {
  const log = readLog(json)
  if (log === null) return null
  const { blockNumber, blockHash } = json as Record<string, unknown>
  if (!isQuantity(blockNumber) || !isHex(blockHash)) return null
  return { ...log, blockNumber: BigInt(blockNumber), blockHash: lower(blockHash) }
}

const isHex = (value: unknown): value is Hex => typeof value === 'string' && HEX.test(value)
const isQuantity = (value: unknown): value is Hex => typeof value === 'string' && QUANTITY.test(value)
const lower = (hex: Hex): Hex => hex.toLowerCase() as Hex
