import { keccak256 } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRpc, type Rpc } from '../../../api/settlement/rpc.ts'
import { openNodes } from '../../../api/settlement/twoNodes.ts'
import { createWallet, type Wallet } from '../../../api/settlement/wallet.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { rpcError, startRpcProxy, type Treatment } from './rpcProxy.ts'
import { lower } from './vectors.ts'

const GWEI = 10n ** 9n
let anvil: TestChain
let rpc: Rpc
let wallet: Wallet
const key = generatePrivateKey()

beforeAll(async () => {
  anvil = await startTestChain({ buyers: 1 })
  rpc = createRpc(anvil.rpcUrl)
  wallet = createWallet({ rpc, key, chainId: 8453 })
  await anvil.clients.node.setBalance({ address: wallet.address, value: 10n ** 18n })
})
afterAll(async () => {
  await rpc?.close()
  await anvil?.stop()
})

const call = () => ({ to: lower(anvil.receiver), data: '0x' as const, gas: 21_000n })
const fees = (gwei: bigint) => ({ maxFee: gwei * GWEI, tip: GWEI / 10n })

describe('the words of a real node', () => {
  test('accepted, known, spent, underpriced; the hash is known before', async () => {
    await anvil.clients.node.setAutomine(false)
    const first = await wallet.sign(call(), 0, fees(3n))
    expect([await wallet.knows(first.tx), await wallet.send(first), await wallet.knows(first.tx)]).toEqual([
      false,
      'accepted',
      true,
    ])
    expect(await wallet.send(first)).toBe('known')
    expect(await wallet.send(await wallet.sign(call(), 0, fees(2n)))).toBe('underpriced')
    expect([await wallet.minedCount(), await wallet.waitingCount()]).toEqual([0, 1])
    await anvil.clients.node.mine({ blocks: 1 })
    expect([await wallet.minedCount(), await wallet.waitingCount()]).toEqual([1, 1])
    expect(await wallet.send(await wallet.sign(call(), 0, fees(9n)))).toBe('spent')
    expect((await anvil.clients.reads.getTransactionReceipt({ hash: first.tx })).status).toBe('success')
  })

  test('below the base fee: underpriced; more than the account has: no_gas; another chain: rejected', async () => {
    expect(await wallet.send(await wallet.sign(call(), 1, { maxFee: 1n, tip: 1n }))).toBe('underpriced')
    const poor = createWallet({ rpc, key: generatePrivateKey(), chainId: 8453 })
    expect(await poor.send(await poor.sign(call(), 0, fees(3n)))).toBe('no_gas')
    const stray = createWallet({ rpc, key, chainId: 1 })
    expect(await stray.send(await stray.sign(call(), 1, fees(3n)))).toBe('rejected')
  })

  test('of two nodes the one that it sends to knows what waits there', async () => {
    const empty = await startRpcProxy(anvil.rpcUrl)
    const nothing = { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: null }) }
    empty.treat(({ method }) => (method === 'eth_getTransactionByHash' ? nothing : 'pass'))
    const nodes = openNodes(`${anvil.rpcUrl},${empty.url}`)
    const sending = createWallet({ rpc: nodes, sender: nodes.sender, key, chainId: 8453 })
    const nonce = await sending.minedCount()
    await anvil.clients.node.setAutomine(false)
    const waiting = await sending.sign(call(), nonce, fees(3n))
    expect([await sending.send(waiting), await sending.knows(waiting.tx)]).toEqual(['accepted', true])
    expect([await sending.minedCount(), await sending.waitingCount()]).toEqual([nonce, nonce + 1])
    await anvil.clients.node.mine({ blocks: 1 })
    await nodes.close()
    await empty.close()
  })

  test.each<[string, Treatment]>([
    ['no answer', 'cut'],
    ['an internal error', rpcError(-32603, 'internal error')],
    ['a limit', rpcError(-32005, 'limit exceeded')],
    ['too many requests', { status: 429, body: '{"error":{"code":1,"message":"slow down"}}' }],
  ])('%s: unsure', async (_, treatment) => {
    const proxy = await startRpcProxy(anvil.rpcUrl)
    const shaky = createRpc(proxy.url)
    proxy.treat(() => treatment)
    const far = createWallet({ rpc: shaky, key, chainId: 8453 })
    expect(await far.send(await far.sign(call(), 1, fees(3n)))).toBe('unsure')
    await shaky.close()
    await proxy.close()
  })

  test('its address is that of the key', () => expect(wallet.address).toBe(lower(privateKeyToAddress(key))))

  test('what it signs is byte for byte what viem signs, leading zeros of r and s included', async () => {
    const account = privateKeyToAccount(key)
    const { maxFee: maxFeePerGas, tip: maxPriorityFeePerGas } = fees(3n)
    for (let nonce = 0; nonce < 600; nonce++) {
      const { tx, raw } = await wallet.sign(call(), nonce, fees(3n))
      const sent = { ...call(), chainId: 8453, nonce, value: 0n, maxFeePerGas, maxPriorityFeePerGas } as const
      expect(raw).toBe(await account.signTransaction({ type: 'eip1559', ...sent }))
      expect(tx).toBe(keccak256(raw))
    }
  })
})
