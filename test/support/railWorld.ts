import { type Address, encodeFunctionData, type Hex } from 'viem'
import { createRails, type Rails } from '../../api/rails/index.ts'
import type { RailId } from '../../api/rails/rail.ts'
import { realClock } from '../../ops/clock.ts'
import { loadConfig } from '../../ops/config.ts'
import { createLog } from '../../ops/log.ts'
import { type Network, openNetwork } from '../../ops/sandbox/bitcoin/network.ts'
import { serveBitcoin } from '../../ops/sandbox/bitcoin/server.ts'
import { type Chain, startChain } from '../../ops/sandbox/chain/chain.ts'
import { NETWORKS } from '../../ops/sandbox/chain/networks.ts'
import { signerOf } from '../../ops/sandbox/chain/setup.ts'
import { TOKEN_ABI } from '../../ops/sandbox/chain/tokenAbi.ts'
import type { JsonServer } from '../../ops/sandbox/jsonServer.ts'
import { servePrices } from '../../ops/sandbox/prices/server.ts'
import { loadReceivers, type Receivers } from '../../ops/sandbox/rails/accounts.ts'
import { type Cluster, openCluster } from '../../ops/sandbox/solana/cluster.ts'
import { serveSolana } from '../../ops/sandbox/solana/server.ts'

export type EvmName = keyof typeof NETWORKS

/** An unused port of this machine, which refuses connections at once, as in an outage. */
export const NOWHERE = 'http://127.0.0.1:1'

export type RailWorld = {
  env: Record<string, string>
  chains: { [name in EvmName]?: Chain }
  cluster: Cluster
  network: Network
  receivers: Receivers
  prices: { change(change: object): Promise<void> }
  /** Rails of this world's configuration, changed by `env`. Closed with the world. */
  rails(env?: Record<string, string>): Rails
  stop(): Promise<void>
}

const ENV_NAMES = { ethereum: 'ETHEREUM', polygon: 'POLYGON', arbitrum: 'ARBITRUM' } as const

/** Real chains for the EVM networks that are asked for, the sandbox's servers for all else. */
export async function startRailWorld(
  names: readonly EvmName[] = [],
  { history = false } = {}, // old states, for anvil_reorg
): Promise<RailWorld> {
  const closers: (() => Promise<unknown>)[] = []
  const chains: RailWorld['chains'] = {}
  const env: Record<string, string> = { RECEIVER_ADDRESS: `0x${'42'.repeat(20)}`, BASE_RPC_URL: NOWHERE }
  for (const name of names) {
    const chain = await startChain({
      dataDir: null,
      blockTimeS: 'auto',
      network: NETWORKS[name],
      buyers: 3,
      history,
    })
    closers.push(chain.stop)
    chains[name] = chain
    const receiver = chain.accounts.receiver.address
    if (name === 'base') Object.assign(env, { BASE_RPC_URL: chain.rpcUrl, RECEIVER_ADDRESS: receiver })
    else {
      env[`${ENV_NAMES[name]}_RPC_URL`] = chain.rpcUrl
      env[`${ENV_NAMES[name]}_RECEIVER`] = receiver
    }
  }
  const clock = realClock
  const cluster = await openCluster({ path: null, clock, finalMs: 0 })
  const network = await openNetwork({ path: null, clock })
  const [solana, bitcoin, prices] = await Promise.all([
    serveSolana({ cluster }),
    serveBitcoin({ network }),
    servePrices({ clock }),
  ])
  const receivers = await loadReceivers(null)
  Object.assign(env, {
    SOLANA_RPC_URL: solana.url,
    BITCOIN_API_URL: bitcoin.url,
    PRICE_A_URL: `${prices.url}/a`,
    PRICE_B_URL: `${prices.url}/b`,
    SOLANA_RECEIVER: receivers.solana.address,
    SOLANA_ALTERNATE_RECEIVER: receivers.solanaAlternate.address,
    BITCOIN_RECEIVER: receivers.bitcoin.address,
  })
  return {
    env,
    chains,
    cluster,
    network,
    receivers,
    prices: { change: (change) => post(prices, '/__sandbox/price', change) },
    rails(changed = {}) {
      const config = loadConfig({ ...env, ...changed }, 'script')
      const rails = createRails({ config, clock, log: createLog('test', 'silent') })
      closers.unshift(rails.close)
      return rails
    },
    async stop() {
      for (const close of closers) await close()
      await Promise.all([solana, bitcoin, prices].map((server) => server.close()))
    },
  }
}

async function post(server: JsonServer, path: string, body: object): Promise<void> {
  const response = await fetch(server.url + path, { method: 'POST', body: JSON.stringify(body) })
  if (!response.ok) throw new Error(await response.text())
}

/** Sends a transaction, from the first buyer by default, and waits until it is mined, whatever its outcome. */
export async function send(
  chain: Chain,
  to: Address,
  { value = 0n, data = '0x' as Hex, by = chain.accounts.buyers[0]! } = {},
): Promise<Hex> {
  const { wallet, reads } = chain.clients
  const account = signerOf(by)
  const hash = await wallet.sendTransaction({ account, to, value, data, gas: 300_000n })
  await reads.waitForTransactionReceipt({ hash, timeout: 20_000 })
  return hash
}

export const transferData = (to: string, value: bigint): Hex =>
  encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args: [to as Address, value] })

/** How somebody pays by each rail. */
export type Payer = { pay(to: string, atomic: bigint): Promise<string> }

const EVM_RAILS: { [id in RailId]?: { chain: EvmName; token: number | null } } = {
  usdc_base: { chain: 'base', token: 0 },
  eth_base: { chain: 'base', token: null },
  eth_mainnet: { chain: 'ethereum', token: null },
  usdc_eth: { chain: 'ethereum', token: 0 },
  usdt_eth: { chain: 'ethereum', token: 1 },
  usdc_polygon: { chain: 'polygon', token: 0 },
  usdc_arbitrum: { chain: 'arbitrum', token: 0 },
}

export function payerOf(world: RailWorld, id: RailId): Payer {
  const evm = EVM_RAILS[id]
  if (id === 'sol') return { pay: (to, atomic) => world.cluster.pay(to, Number(atomic)) }
  if (evm === undefined)
    return {
      async pay(address, atomic) {
        const tx = await world.network.pay([{ address, sats: Number(atomic) }])
        await world.network.mine(1)
        return tx
      },
    }
  const chain = world.chains[evm.chain]!
  const token = evm.token === null ? null : NETWORKS[evm.chain].tokens[evm.token]!.address
  return {
    pay: (to, atomic) =>
      token === null
        ? send(chain, to as Address, { value: atomic })
        : send(chain, token, { data: transferData(to, atomic) }),
  }
}
