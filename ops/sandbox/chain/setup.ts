import {
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseEther,
  type Account as Signer,
  type Transport,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { MICRO_PER_USDC, SECOND } from '../../units.ts'
import type { Account, Accounts } from './accounts.ts'
import { MULTICALL3 } from './addresses.ts'
import type { Contracts } from './compile.ts'
import { NETWORKS, type SandboxNetwork } from './networks.ts'
import { TOKEN_ABI } from './tokenAbi.ts'

const BUYER_MICRO_USDC = 1_000n * MICRO_PER_USDC
const SETTLER_GAS = parseEther('10')
const LITTLE_GAS = parseEther('0.05') //  for a buyer that wants to send a transaction of its own

/**
 * Asked about its newest block just as another one comes, anvil may answer that there is no such block any more: once
 * in some thousand reads. Such a request was neither answered nor carried out, so it is sent again.
 */
export function whileBlocksCome(transport: Transport): Transport {
  return (options) => {
    const one = transport(options)
    const request: typeof one.request = (ask) =>
      one.request(ask).catch((error: Error) => {
        if (error.message.includes('BlockOutOfRangeError')) return one.request(ask)
        throw error
      }) as never
    return { ...one, request }
  }
}

export function connectChain(rpcUrl: string, chain = NETWORKS.base.chain) {
  const transport = whileBlocksCome(http(rpcUrl, { timeout: 10 * SECOND, retryCount: 0 }))
  const options = { chain, transport, pollingInterval: 50, cacheTime: 0 }
  return {
    reads: createPublicClient(options),
    node: createTestClient({ ...options, mode: 'anvil' }),
    wallet: createWalletClient(options),
  }
}
export type ChainClients = ReturnType<typeof connectChain>

/**
 * Brings a chain, new or resumed, to the state the sandbox promises: contracts at their addresses with the
 * code of this version, a token owner, a settler with gas, buyers with money. Safe to run again.
 * @returns true when the chain was new.
 */
export async function setUpChain(
  { reads, node, wallet }: ChainClients,
  contracts: Contracts,
  accounts: Accounts,
  { tokens }: SandboxNetwork = NETWORKS.base,
): Promise<boolean> {
  for (const { address, contract } of [...tokens, { address: MULTICALL3, contract: 'Multicall3' } as const]) {
    const bytecode = contracts[contract].runtime
    if ((await reads.getCode({ address })) !== bytecode) await node.setCode({ address, bytecode })
  }
  if ((await reads.getBalance({ address: accounts.settler.address })) < SETTLER_GAS / 10n)
    await node.setBalance({ address: accounts.settler.address, value: SETTLER_GAS })

  const [{ address: first }] = tokens as [SandboxNetwork['tokens'][number]]
  const owner = await reads.readContract({ address: first, abi: TOKEN_ABI, functionName: 'owner' })
  if (BigInt(owner) !== 0n) {
    if (owner.toLowerCase() !== accounts.owner.address.toLowerCase())
      throw new Error(
        'the saved chain belongs to other accounts than the saved keys: remove both, or neither',
      )
    return false
  }
  for (const { address } of [accounts.owner, ...accounts.buyers])
    await node.setBalance({ address, value: LITTLE_GAS })
  const signer = privateKeyToAccount(accounts.owner.privateKey)
  const calls: Hex[] = [
    encodeFunctionData({ abi: TOKEN_ABI, functionName: 'initialize', args: [signer.address] }),
    ...accounts.buyers.map(({ address }) => mintCall(address, BUYER_MICRO_USDC)),
  ]
  const hashes: Hex[] = []
  const sends = tokens.flatMap(({ address }) => calls.map((data) => ({ to: address, data })))
  for (const [nonce, send] of sends.entries())
    hashes.push(await wallet.sendTransaction({ account: signer, ...send, nonce, gas: 200_000n }))
  await node.mine({ blocks: 1 })
  for (const hash of hashes) {
    const { status } = await reads.waitForTransactionReceipt({ hash, timeout: 10 * SECOND })
    if (status !== 'success') throw new Error('setting up the sandbox token failed: a call reverted')
  }
  return true
}

export const mintCall = (to: Address, amountMicroUsdc: bigint): Hex =>
  encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [to, amountMicroUsdc] })

export const signerOf = ({ privateKey }: Account): Signer => privateKeyToAccount(privateKey)
