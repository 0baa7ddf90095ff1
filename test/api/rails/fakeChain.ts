import type { Address, Hex } from 'viem'
import type { EvmNetwork } from '../../../api/rails/evm/network.ts'
import { AUTHORIZATION_USED, TRANSFER } from '../../../api/settlement/tokenCalls.ts'

const hex = (value: number | bigint, bytes = 32): Hex => `0x${value.toString(16).padStart(bytes * 2, '0')}`
export const addressOf = (number: number): Address => hex(number, 20)

/** The token's contract and other contracts of the chain. */
export const TOKEN = addressOf(0x83)
export const US = addressOf(0x42)

/** What one transaction writes, in order. `other`: a log of a contract that is not the token. */
export type Written =
  | { kind: 'transfer'; from: number; to: Address; value: bigint }
  | { kind: 'used'; from: number }
  | { kind: 'other' }

type Tx = { block: number; hash: Hex; written: readonly Written[] }

/** A chain that answers as nodes do, records what it is asked, and can be moved on and rewritten. */
export function createFakeChain({ secondsPerBlock = 2 } = {}) {
  const startS = Math.floor(Date.now() / 1_000) - 400_000
  let head = 100_000
  let txs: Tx[] = []
  const forks: { from: number; salt: bigint }[] = [] //  blocks from there on have other hashes
  const calls: { method: string; params: readonly unknown[] }[] = []
  let next: { method: string; act(): void } | null = null
  let filters = true
  let backwards = false
  let oldest = 0
  const timeS = (number: number) => startS + secondsPerBlock * number
  const hashOf = (number: number): Hex => {
    const salt = forks.findLast(({ from }) => number >= from)?.salt ?? 0n
    return hex(BigInt(number) + salt)
  }

  const blockOf = (number: number) =>
    number > head || number < oldest
      ? null
      : { number: hex(number), hash: hashOf(number), timestamp: hex(BigInt(timeS(number))) }

  /** The logs of a block, numbered across its transactions. */
  function logsOf(block: number) {
    const all = txs
      .filter((tx) => tx.block === block)
      .flatMap(({ hash, written }) => written.map((one) => ({ hash, one })))
    return all.map(({ hash, one }, index) => ({
      address: one.kind === 'other' ? addressOf(0x99) : TOKEN,
      topics:
        one.kind === 'transfer'
          ? [TRANSFER, hex(one.from), hex(BigInt(one.to))]
          : [AUTHORIZATION_USED, hex(one.kind === 'used' ? one.from : 1), hex(index)],
      data: one.kind === 'transfer' ? hex(one.value) : '0x',
      logIndex: hex(index),
      transactionHash: hash,
      removed: false,
      blockNumber: hex(block),
      blockHash: hashOf(block),
    }))
  }

  type Filter = { fromBlock: Hex; toBlock: Hex; topics: (Hex | Hex[] | null)[] }
  const answers: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_getBlockByNumber: ([number]) => blockOf(number === 'latest' ? head : Number(number)),
    eth_getTransactionReceipt([hash]) {
      const tx = txs.find((one) => one.hash === hash && one.block <= head)
      if (tx === undefined) return null
      const logs = logsOf(tx.block).filter(({ transactionHash }) => transactionHash === hash)
      const [at, status, gasUsed] = [hex(tx.block), '0x1', '0x1']
      return { transactionHash: hash, blockNumber: at, blockHash: hashOf(tx.block), status, gasUsed, logs }
    },
    eth_getLogs([filter]) {
      const { fromBlock, toBlock, topics } = filter as Filter
      const isWanted = (found: readonly string[]) =>
        !filters || topics.every((want, at) => want === null || [want].flat().includes(found[at] as Hex))
      const logs = [...new Set(txs.map(({ block }) => block))]
        .filter((block) => block >= Number(fromBlock) && block <= Number(toBlock) && block <= head)
        .flatMap(logsOf)
        .filter((log) => log.address === TOKEN && isWanted(log.topics))
      return backwards ? logs.toReversed() : logs
    },
  }
  const network: EvmNetwork = {
    chainId: 8453,
    read: (_, ask) =>
      ask({
        async call(method: string, params: readonly unknown[]) {
          calls.push({ method, params })
          const answer = answers[method]!(params)
          if (next?.method === method) {
            const { act } = next
            next = null
            act()
          }
          return answer
        },
      } as never),
    close: async () => {},
  }

  return {
    network,
    clock: { nowMs: () => timeS(head) * 1_000 },
    head: () => head,
    timeMs: (block: number) => timeS(block) * 1_000,
    move(to: number) {
      head = to
    },
    /** @returns its hash. */
    mine(block: number, written: readonly Written[]): Hex {
      const hash = hex(0xabc_000n + BigInt(txs.length + 1))
      txs.push({ block, hash, written })
      return hash
    },
    /** Replaces all blocks from there on; the transactions in them are gone. */
    rewrite(from: number) {
      txs = txs.filter(({ block }) => block < from)
      forks.push({ from, salt: BigInt(forks.length + 1) << 128n })
    },
    /** From now on the filter by topics is ignored: all logs of the token are listed. */
    listEverything() {
      filters = false
    },
    /** From now on the blocks before that one are missing. */
    forget(before: number) {
      oldest = before
    },
    /** From now on logs are listed newest first. */
    listBackwards() {
      backwards = true
    },
    /** Acts once, right after the next answer to this method. */
    after(method: string, act: () => void) {
      next = { method, act }
    },
    /** How many receipts were asked for in all. */
    receipts: () => calls.filter(({ method }) => method === 'eth_getTransactionReceipt').length,
    /** Since the last call: how many blocks were asked for, and the lowest block whose logs were. */
    asked() {
      const some = calls.splice(0)
      const of = (name: string) => some.filter(({ method }) => method === name)
      const logs = of('eth_getLogs').map(({ params }) => Number((params[0] as Filter).fromBlock))
      return { blocks: of('eth_getBlockByNumber').length, from: Math.min(...logs) }
    },
  }
}
