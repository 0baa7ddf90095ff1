import { join } from 'node:path'
import { loadConfig } from '../../config.ts'
import { describeError } from '../../errors.ts'
import { createLog } from '../../log.ts'
import { onShutdown } from '../../shutdown.ts'
import { type Chain, startChain } from './chain.ts'
import { watchChain } from './watch.ts'

/**
 * The sandbox's chain as a process: keeps its state in DATA_DIR/chain, says where it is in one line of JSON,
 * saves what happened at most half a second after the block, ends when anvil ends.
 */
const LOOK_EVERY_MS = 500

const config = loadConfig(process.env, 'script')
const log = createLog('chain', config.LOG_LEVEL)
let stopping = false
let turn: Promise<unknown> = Promise.resolve() //  what is being done now; a stop waits for it
let chain: Chain | null = null

onShutdown(log, async () => {
  stopping = true
  await turn.catch(() => {})
  await chain?.stop()
})

async function start(port: number): Promise<Chain> {
  const started = await startChain({
    host: config.HOST,
    port,
    dataDir: config.DATA_DIR === '' ? null : join(config.DATA_DIR, 'chain'),
    blockTimeS: config.CHAIN_BLOCK_TIME_S,
  })
  chain = started
  return started
}

/** Looks at the chain until we stop. @throws anvil's last words when it ends by itself. */
async function follow(first: Chain): Promise<void> {
  let current = first
  let watch = await watchChain(current)
  const look = async () => {
    try {
      if ((await watch.look()) === 'goOn') return
    } catch (error) {
      return log.warn({ reason: describeError(error) }, 'chain state not saved this time')
    }
    log.info({}, 'the chain is long: starting again on its newest blocks')
    await current.stop()
    current = await start(Number(new URL(current.rpcUrl).port))
    watch = await watchChain(current)
  }
  while (!stopping) {
    const lastWords = await Promise.race([current.exited, sleep(LOOK_EVERY_MS)])
    if (stopping) return
    if (lastWords !== null) throw new Error(lastWords)
    turn = look()
    await turn
  }
}

function sleep(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), ms))
}

const starting = start(config.CHAIN_PORT)
turn = starting
const first = await starting
const { accounts, usdc, multicall3, pid, resumed, rpcUrl } = first
const ready = { url: rpcUrl, usdc, multicall3, receiver: accounts.receiver.address, pid, resumed }
process.stdout.write(`${JSON.stringify({ ready: true, ...ready })}\n`)
await follow(first)
