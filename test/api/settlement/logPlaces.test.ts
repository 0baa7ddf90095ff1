import { type Hex, pad, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { transferKey } from '../../../api/ledger/ledger.ts'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import { signerOf } from '../../../ops/sandbox/chain/setup.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { quietLog } from '../../support/ledger.ts'
import { transferData } from '../../support/railWorld.ts'
import { lower, USDC } from './vectors.ts'

/** CHN-02: the permanent name of a transfer must not change with the block that it is in. */
let anvil: TestChain
let chain: ClosableChain
beforeAll(async () => {
  anvil = await startTestChain({ buyers: 3, history: true })
  chain = createPaymentChain({ rpcUrl: anvil.rpcUrl, log: quietLog })
})
afterAll(async () => {
  await chain?.close()
  await anvil?.stop()
})

const node = (method: string, params: unknown[]) =>
  anvil.clients.node.request({ method: method as never, params: params as never })
/** Sends one transaction per amount, in this order, all in one block. */
async function inOneBlock(amounts: readonly bigint[]): Promise<Hex[]> {
  await node('evm_setAutomine', [false])
  const txs: Hex[] = []
  for (const [at, value] of amounts.entries())
    txs.push(
      await anvil.clients.wallet.sendTransaction({
        account: signerOf(anvil.buyers[at]!),
        to: anvil.usdc,
        gas: 200_000n,
        data: transferData(anvil.receiver, value),
        maxPriorityFeePerGas: 10n ** 9n * BigInt(9 - at),
        maxFeePerGas: 10n ** 11n,
      }),
    )
  await node('evm_mine', [])
  await node('evm_setAutomine', [true])
  return txs
}
const inflowsOf = async (block: bigint) => chain.inflows(USDC, lower(anvil.receiver), block, block)

describe('the index of a transfer counts within its transaction', () => {
  test('receipt and list of logs agree, wherever in the block it stands', async () => {
    const txs = await inOneBlock([1n, 2n, 3n])
    const block = await anvil.clients.reads.getBlockNumber()
    const listed = await inflowsOf(block)
    expect(listed.map(({ tx, logIndex, blockIndex }) => [tx, logIndex, blockIndex])).toEqual(
      txs.map((tx, at) => [tx, 0, at]),
    )
    for (const [at, tx] of txs.entries())
      expect(await chain.transfers(USDC, tx)).toMatchObject([{ logIndex: 0, blockIndex: at }])
    expect(await inflowsOf(block)).toEqual(listed) //  remembered, and the same
  })

  test('mined again at another place of another block: the same name', async () => {
    const chainWas = await node('evm_snapshot', [])
    const [, second] = await inOneBlock([4n, 5n])
    const find = async () => {
      const transfers = await chain.transfers(USDC, second!)
      if (!Array.isArray(transfers)) throw new Error(`${transfers}`)
      const [{ logIndex, blockIndex, blockNumber }] = transfers as [(typeof transfers)[number]]
      const listed = (await inflowsOf(blockNumber)).find(({ tx }) => tx === second)
      expect(listed).toMatchObject({ logIndex, blockIndex })
      return { name: transferKey(8453, second!, logIndex), blockIndex }
    }
    const before = await find()
    const signed = (await node('eth_getRawTransactionByHash', [second])) as Hex
    await node('evm_revert', [chainWas])
    await node('eth_sendRawTransaction', [signed])
    await anvil.clients.reads.waitForTransactionReceipt({ hash: second! }) //  anvil answers before it mines
    const after = await find()
    expect([before.blockIndex, after.blockIndex]).toEqual([1, 0])
    expect(after.name).toBe(before.name)
  })

  test('twenty thousand transactions are remembered, and the one that was read first is forgotten first', async () => {
    const { createLogPlaces } = await import('../../../api/settlement/logPlaces.ts')
    const blockHash = toHex(7, { size: 32 })
    let reads = 0
    const call = async (_: string, [transactionHash]: readonly unknown[]) => {
      reads++
      const log = { address: USDC, topics: [], data: '0x', logIndex: '0x3', transactionHash }
      return { transactionHash, blockNumber: '0x1', blockHash, status: '0x1', gasUsed: '0x1', logs: [log] }
    }
    const places = createLogPlaces()
    const look = async (count: number, from = 0) => {
      const before = reads
      const numbers = Array.from({ length: count }, (_, nth) => from + nth)
      const listed = numbers.map((number) => ({
        transactionHash: toHex(number, { size: 32 }),
        blockHash,
        blockIndex: 3,
      }))
      await places({ call, close: async () => {} }, listed)
      return reads - before
    }
    expect([await look(20_000), await look(20_000)]).toEqual([20_000, 0])
    expect([await look(1, 20_000), await look(1, 1), await look(1, 0)]).toEqual([1, 0, 1])
  })

  test('a transaction that has left the listed block meanwhile is an outage, not a wrong place', async () => {
    const { createLogPlaces } = await import('../../../api/settlement/logPlaces.ts')
    const [tx] = await inOneBlock([6n])
    const { createRpc } = await import('../../../api/settlement/rpc.ts')
    const rpc = createRpc(anvil.rpcUrl)
    const listed = { transactionHash: tx!, blockHash: pad(toHex(7), { size: 32 }), blockIndex: 3 }
    await expect(createLogPlaces()(rpc, [listed])).rejects.toMatchObject({ code: 'chain_unavailable' })
    await rpc.close()
  })
})
