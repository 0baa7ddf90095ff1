import { domainSeparator, encodeAbiParameters, type Hex, toEventSelector, toFunctionSelector } from 'viem'
import { MULTICALL3, USDC } from '../../../ops/sandbox/chain/addresses.ts'
import { SECOND } from '../../../ops/units.ts'

/**
 * A chain node without a chain: it knows only the transfers it was given, has each in the block that was newest
 * then, and answers the reads that confirm one. A transaction's hash is the nonce of its authorization.
 */
export type InstantChain = {
  settle(transfer: { from: string; to: string; value: string; nonce: string; asset: string }): string
  answer(call: { id: unknown; method: string; params: unknown[] }): unknown
}

type Settled = { from: string; to: string; value: string; nonce: string; block: number }

const CHAIN_ID = 8453
const BLOCK_MS = 2 * SECOND
const HEAD_AT_START = 40_000_000
/** Older ones are forgotten: nobody asks about a sale that was confirmed. */
const MAX_SETTLED = 200_000

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const AUTHORIZATION_USED = toEventSelector('AuthorizationUsed(address,bytes32)')
const AUTHORIZATION_STATE = toFunctionSelector('authorizationState(address,bytes32)')
/** What the token says about itself, by selector. */
const TOKEN_WORDS: Record<string, Hex> = {
  [toFunctionSelector('name()')]: encodeAbiParameters([{ type: 'string' }], ['USD Coin']),
  [toFunctionSelector('version()')]: encodeAbiParameters([{ type: 'string' }], ['2']),
  [toFunctionSelector('DOMAIN_SEPARATOR()')]: domainSeparator({
    domain: { name: 'USD Coin', version: '2', chainId: CHAIN_ID, verifyingContract: USDC },
  }),
}

const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`
const word = (digits: string): string => digits.replace(/^0x/, '').toLowerCase().padStart(64, '0')
const ONE: Hex = `0x${word('1')}`
const ZERO: Hex = `0x${word('0')}`

export function createInstantChain(nowMs: () => number = Date.now): InstantChain {
  const startMs = nowMs()
  const settled = new Map<string, Settled>()
  const headNumber = () => HEAD_AT_START + Math.floor((nowMs() - startMs) / BLOCK_MS)
  const blockHash = (number: number): Hex => `0x${word(number.toString(16))}`
  const block = (number: number) => ({
    number: hex(number),
    hash: blockHash(number),
    timestamp: hex(Math.floor((startMs + (number - HEAD_AT_START) * BLOCK_MS) / SECOND)),
    baseFeePerGas: hex(1_000_000),
  })
  const logsOf = ({ from, to, value, nonce, block: number }: Settled) => {
    const common = {
      address: USDC.toLowerCase(),
      blockNumber: hex(number),
      blockHash: blockHash(number),
      transactionHash: nonce,
      transactionIndex: '0x0',
      removed: false,
    }
    const topics = [AUTHORIZATION_USED, `0x${word(from)}`, nonce]
    const moved = [TRANSFER, `0x${word(from)}`, `0x${word(to)}`]
    return [
      { ...common, topics, data: '0x', logIndex: '0x0' },
      { ...common, topics: moved, data: `0x${word(BigInt(value).toString(16))}`, logIndex: '0x1' },
    ]
  }

  const call = ({ to, data }: { to?: string; data: string }): Hex => {
    if (to === undefined) return codeSizes(data)
    const selector = data.slice(0, 10)
    if (selector === AUTHORIZATION_STATE) return settled.has(`0x${data.slice(74, 138)}`) ? ONE : ZERO
    const words = TOKEN_WORDS[selector]
    if (words === undefined) throw new Error(`eth_call of ${selector} is not known here`)
    return words
  }

  const methods: Record<string, (params: unknown[]) => unknown> = {
    eth_chainId: () => hex(CHAIN_ID),
    eth_blockNumber: () => hex(headNumber()),
    eth_getBlockByNumber: ([tag]) => {
      const number = tag === 'latest' ? headNumber() : Number(tag)
      return number > headNumber() ? null : block(number)
    },
    eth_call: ([request]) => call(request as { to?: string; data: string }),
    eth_getLogs: ([filter]) => {
      const found = settled.get(String((filter as { topics: unknown[] }).topics[2]))
      return found === undefined ? [] : logsOf(found).slice(0, 1)
    },
    eth_getTransactionReceipt: ([tx]) => {
      const found = settled.get(String(tx))
      if (found === undefined) return null
      const { block: number } = found
      return {
        transactionHash: tx,
        blockNumber: hex(number),
        blockHash: blockHash(number),
        status: '0x1',
        gasUsed: hex(68_000),
        logs: logsOf(found),
      }
    },
  }

  return {
    settle: ({ from, to, value, nonce }) => {
      const [oldest] = settled.size >= MAX_SETTLED ? settled.keys() : []
      if (oldest !== undefined) settled.delete(oldest)
      settled.set(nonce.toLowerCase(), { from, to, value, nonce: nonce.toLowerCase(), block: headNumber() })
      return nonce.toLowerCase()
    },
    answer: ({ id, method, params }) => {
      const answer = methods[method]
      if (answer === undefined)
        return { jsonrpc: '2.0', id, error: { code: -32601, message: `${method} is not known here` } }
      try {
        return { jsonrpc: '2.0', id, result: answer(params) }
      } catch (error) {
        return { jsonrpc: '2.0', id, error: { code: -32000, message: String(error) } }
      }
    },
  }
}

/** Answers the service's own creation code, which asks for the code size of each address that follows it. */
const CODE_SIZES_HEAD = 2 + 36 * 2
function codeSizes(data: string): Hex {
  const withCode = new Set([word(USDC), word(MULTICALL3)])
  const addresses = data.slice(CODE_SIZES_HEAD).match(/.{64}/g) ?? []
  return `0x${addresses.map((address) => word(withCode.has(address) ? '1000' : '0')).join('')}`
}
