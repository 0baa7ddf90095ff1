import { join } from 'node:path'
import { loadConfig } from '../../config.ts'
import { createLog } from '../../log.ts'
import { onShutdown } from '../../shutdown.ts'
import { keepChain } from './keepChain.ts'

/**
 * The sandbox's chain as a process: keeps its state in DATA_DIR/chain, says where it is in one line of JSON,
 * ends when anvil ends.
 */
const config = loadConfig(process.env, 'script')
const log = createLog('chain', config.LOG_LEVEL)

const starting = keepChain(
  {
    host: config.HOST,
    port: config.CHAIN_PORT,
    dataDir: config.DATA_DIR === '' ? null : join(config.DATA_DIR, 'chain'),
    blockTimeS: config.CHAIN_BLOCK_TIME_S,
  },
  log,
)
onShutdown(log, async () => {
  const kept = await starting.catch(() => null)
  await kept?.stop()
})

const { first, ended } = await starting
const { accounts, usdc, multicall3, pid, resumed, rpcUrl } = first
const { receiver, settler } = accounts
const ready = {
  url: rpcUrl,
  usdc,
  multicall3,
  receiver: receiver.address,
  settler: settler.address,
  pid,
  resumed,
}
process.stdout.write(`${JSON.stringify({ ready: true, ...ready })}\n`)
await ended
