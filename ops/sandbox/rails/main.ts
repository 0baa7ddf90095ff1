import { join } from 'node:path'
import { realClock } from '../../clock.ts'
import { loadConfig } from '../../config.ts'
import { createLog } from '../../log.ts'
import { onShutdown } from '../../shutdown.ts'
import { SECOND } from '../../units.ts'
import { openNetwork } from '../bitcoin/network.ts'
import { serveBitcoin } from '../bitcoin/server.ts'
import { loadAccounts } from '../chain/accounts.ts'
import { keepChain } from '../chain/keepChain.ts'
import { NETWORKS } from '../chain/networks.ts'
import { servePrices } from '../prices/server.ts'
import { openCluster } from '../solana/cluster.ts'
import { serveSolana } from '../solana/server.ts'
import { loadReceivers } from './accounts.ts'

/**
 * Every chain of the sandbox but Base, in one process: Ethereum, Polygon and Arbitrum on anvil, with the accounts of
 * Base; stand-ins for Solana, Bitcoin and two exchanges. State in DATA_DIR/rails.
 */
const BUYERS = 5
const SOLANA_FINAL_MS = 2 * SECOND
const BITCOIN_BLOCK_MS = 15 * SECOND

const config = loadConfig(process.env, 'script')
const log = createLog('rails', config.LOG_LEVEL)
const host = config.HOST
const folder = config.DATA_DIR === '' ? null : join(config.DATA_DIR, 'rails')
const closers: (() => Promise<unknown>)[] = []

async function start() {
  const accounts =
    config.DATA_DIR === '' ? undefined : await loadAccounts(join(config.DATA_DIR, 'chain'), BUYERS)
  const chain = async (name: 'ethereum' | 'polygon' | 'arbitrum', port: number) => {
    const dataDir = folder === null ? null : join(folder, name)
    const kept = await keepChain(
      {
        host,
        port,
        dataDir,
        network: NETWORKS[name],
        blockTimeS: config.CHAIN_BLOCK_TIME_S,
        ...(accounts === undefined ? {} : { accounts }),
      },
      log.child({ chain: name }),
    )
    closers.push(kept.stop)
    return kept
  }
  const [ethereum, polygon, arbitrum] = await Promise.all([
    chain('ethereum', config.ETHEREUM_PORT),
    chain('polygon', config.POLYGON_PORT),
    chain('arbitrum', config.ARBITRUM_PORT),
  ])

  const path = (name: string) => (folder === null ? null : join(folder, name))
  const cluster = await openCluster({ path: path('solana.json'), clock: realClock, finalMs: SOLANA_FINAL_MS })
  const network = await openNetwork({ path: path('bitcoin.json'), clock: realClock })
  const solana = await serveSolana({ cluster, host, port: config.SOLANA_PORT })
  const bitcoin = await serveBitcoin({ network, host, port: config.BITCOIN_PORT })
  const prices = await servePrices({ clock: realClock, host, port: config.PRICES_PORT })
  //  no block without need: the chain would only grow
  const miner = setInterval(() => {
    if (network.isWaiting()) void network.mine(1)
  }, BITCOIN_BLOCK_MS)
  closers.push(solana.close, bitcoin.close, prices.close, async () => clearInterval(miner))

  const receivers = await loadReceivers(folder)
  const ready = {
    ethereum: ethereum.first.rpcUrl,
    polygon: polygon.first.rpcUrl,
    arbitrum: arbitrum.first.rpcUrl,
    solana: solana.url,
    bitcoin: bitcoin.url,
    prices: prices.url,
    evmReceiver: ethereum.first.accounts.receiver.address,
    solanaReceiver: receivers.solana.address,
    solanaAlternate: receivers.solanaAlternate.address,
    bitcoinReceiver: receivers.bitcoin.address,
    pids: [ethereum, polygon, arbitrum].map(({ first }) => first.pid),
  }
  process.stdout.write(`${JSON.stringify({ ready: true, ...ready })}\n`)
  return Promise.all([ethereum.ended, polygon.ended, arbitrum.ended])
}

const starting = start()
onShutdown(log, async () => {
  await Promise.all(closers.splice(0).map((close) => close()))
})
await starting
