import { type Address, encodeAbiParameters, encodeFunctionData, type Hex } from 'viem'
import type { Account } from '../../ops/sandbox/chain/accounts.ts'
import { startChain } from '../../ops/sandbox/chain/chain.ts'
import { NETWORKS, type SandboxNetwork } from '../../ops/sandbox/chain/networks.ts'
import { type ChainClients, mintCall, signerOf } from '../../ops/sandbox/chain/setup.ts'
import { TOKEN_ABI } from '../../ops/sandbox/chain/tokenAbi.ts'

/** How a test wallet answers EIP-1271, in the contract's own order. */
export const WALLET_MODES = ['owner', 'always', 'flips', 'burns', 'megabyte', 'reverts'] as const
export type WalletMode = (typeof WALLET_MODES)[number]

export type TestChain = {
  rpcUrl: string
  pid: number
  usdc: Address
  multicall3: Address
  receiver: Address
  accounts: { owner: Account; settler: Account; receiver: Account; buyers: Account[] }
  settlerKey: Hex
  buyers: Account[] // 1,000 USDC and a little gas each
  clients: ChainClients // viem: reads (public), node (anvil), wallet
  balance(address: Address): Promise<bigint> // micro-USDC
  mint(to: Address, amountMicroUsdc: bigint): Promise<void>
  /** Sends a transaction from one of the accounts and waits for its block. @throws when it reverts. */
  send(from: Account, to: Address, data: Hex): Promise<Hex>
  /** The token's owner: blacklist, unBlacklist, pause, unpause. */
  administer(functionName: 'blacklist' | 'unBlacklist', account: Address): Promise<void>
  administer(functionName: 'pause' | 'unpause'): Promise<void>
  /** A deployed smart wallet; `owner` signs for it in mode 'owner'. */
  deploy1271(owner: Address, mode?: WalletMode): Promise<Address>
  setWalletMode(wallet: Address, mode: WalletMode): Promise<void>
  deployFactory(): Promise<Address>
  /** Where the factory would put a wallet, and the ERC-6492 wrapper of a signature made for it. */
  counterfactual(
    factory: Address,
    owner: Address,
    salt: Hex,
  ): Promise<{ wallet: Address; factoryData: Hex; wrap(signature: Hex): Hex }>
  stop(): Promise<void>
}

/**
 * A real chain with the sandbox's contracts. A block per transaction unless `blockTimeS` is given.
 * @param startS Unix seconds of the first block, for a chain behind the clocks of this machine.
 * @param history keeps old states, for anvil_reorg, evm_revert and eth_call at an old block.
 */
export async function startTestChain({
  blockTimeS = 'auto',
  startS,
  buyers = 5,
  history = false,
  network = NETWORKS.base,
}: {
  blockTimeS?: number | 'auto'
  startS?: number
  buyers?: number
  history?: boolean
  network?: SandboxNetwork
} = {}): Promise<TestChain> {
  const chain = await startChain({ dataDir: null, blockTimeS, startS, buyers, history, network })
  const { accounts, contracts, clients, usdc } = chain
  const { reads, node, wallet } = clients

  const mined = async (hash: Hex) => {
    if (blockTimeS !== 'auto') await node.mine({ blocks: 1 })
    const transactionReceipt = await reads.waitForTransactionReceipt({ hash, timeout: 20_000 })
    if (transactionReceipt.status !== 'success') throw new Error(`transaction ${hash} reverted`)
    return transactionReceipt
  }
  const send = async (from: Account, to: Address, data: Hex) => {
    const hash = await wallet.sendTransaction({ account: signerOf(from), to, data })
    await mined(hash)
    return hash
  }
  const fundOwner = () => node.setBalance({ address: accounts.owner.address, value: 10n ** 18n })
  const byOwner = async (to: Address, data: Hex) => {
    await fundOwner()
    await send(accounts.owner, to, data)
  }
  const deploy = async (name: 'Wallet' | 'WalletFactory', args: Hex) => {
    await fundOwner()
    const data: Hex = `${contracts[name].creation}${args.slice(2)}`
    const hash = await wallet.sendTransaction({ account: signerOf(accounts.owner), data })
    const { contractAddress } = await mined(hash)
    if (!contractAddress) throw new Error(`${name} was not deployed`)
    return contractAddress
  }
  return {
    rpcUrl: chain.rpcUrl,
    pid: chain.pid,
    usdc,
    multicall3: chain.multicall3,
    accounts,
    clients,
    send,
    receiver: accounts.receiver.address,
    settlerKey: accounts.settler.privateKey,
    buyers: accounts.buyers,
    balance: (address) =>
      reads.readContract({ address: usdc, abi: TOKEN_ABI, functionName: 'balanceOf', args: [address] }),
    mint: (to, amountMicroUsdc) => byOwner(usdc, mintCall(to, amountMicroUsdc)),
    administer: (functionName: 'blacklist' | 'unBlacklist' | 'pause' | 'unpause', account?: Address) =>
      byOwner(
        usdc,
        account === undefined
          ? encodeFunctionData({ abi: TOKEN_ABI, functionName: functionName as 'pause' | 'unpause' })
          : encodeFunctionData({
              abi: TOKEN_ABI,
              functionName: functionName as 'blacklist' | 'unBlacklist',
              args: [account],
            }),
      ),
    deploy1271: (owner, mode = 'owner') =>
      deploy(
        'Wallet',
        encodeAbiParameters([{ type: 'address' }, { type: 'uint8' }], [owner, WALLET_MODES.indexOf(mode)]),
      ),
    setWalletMode: (address, mode) =>
      byOwner(
        address,
        encodeFunctionData({
          abi: contracts.Wallet.abi,
          functionName: 'setMode',
          args: [WALLET_MODES.indexOf(mode)],
        }),
      ),
    deployFactory: () => deploy('WalletFactory', '0x'),
    async counterfactual(factory, owner, salt) {
      const { abi } = contracts.WalletFactory
      const args = [owner, salt]
      const address = await reads.readContract({ address: factory, abi, functionName: 'addressOf', args })
      const factoryData = encodeFunctionData({ abi, functionName: 'deploy', args })
      return {
        wallet: address as Address,
        factoryData,
        wrap: (signature) => wrap6492(factory, factoryData, signature),
      }
    },
    stop: chain.stop,
  }
}

/** ERC-6492: (factory, call that deploys the wallet, signature for it) and the 32 magic bytes at the end. */
function wrap6492(factory: Address, factoryData: Hex, signature: Hex): Hex {
  const words = encodeAbiParameters(
    [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
    [factory, factoryData, signature],
  )
  return `${words}${'6492'.repeat(16)}`
}
