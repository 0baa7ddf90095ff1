import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publishSnapshot, someGap, someSnapshot } from '../../support/boards.ts'
import { freePort } from '../../support/ports.ts'
import { until } from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { type Contender, startProcess } from './contender.ts'

export const RECEIVER = '0x00000000000000000000000000000000000000EE'
const BOARD_ROWS = 200

/**
 * One api process of the service as it is shipped: real Redis servers, the ledger with fsync always, a
 * published board. Only facilitator and chain node are passed in. `later` receives what has to be ended.
 */
export async function startOurs(
  world: { facilitatorUrl: string; rpcUrl: string },
  later: (end: () => unknown) => void,
): Promise<Contender & { ledgerUrl: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'microdata-bench-'))
  later(() => rm(dir, { recursive: true, force: true }))
  const redis = await startRedis()
  later(() => redis.stop())
  const ledger = await startRedis({ appendfsync: 'always' })
  later(() => ledger.stop())
  const rows = Array.from({ length: BOARD_ROWS }, (_, at) => someGap({ pairId: `a:M${at}|b:K${at}` }))
  await publishSnapshot(redis.url, someSnapshot(rows))

  const file = async (name: string, content: string | Buffer) => {
    await writeFile(join(dir, name), content, { mode: 0o600 })
    return join(dir, name)
  }
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const port = await freePort()
  const running = startProcess('api/main.ts', {
    measured: true,
    env: {
      PORT: String(port),
      OPERATOR_PORT: '0',
      LOG_LEVEL: 'warn',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      REDIS_URL: redis.url,
      LEDGER_REDIS_URL: ledger.url,
      BASE_RPC_URL: world.rpcUrl,
      SETTLEMENT: 'facilitator',
      FACILITATOR_URL: world.facilitatorUrl,
      RECEIVER_ADDRESS: RECEIVER,
      RECEIPT_KEY_FILE: await file('receipt.pem', pem),
      SERVICE_SECRET_FILE: await file('secret', randomBytes(32)),
      MARKET_MAX_AGE_MS: '3600000',
      FREE_RATE_PER_S: '1000000000',
    },
  })
  later(() => running.stop())
  let ended = false
  running.exited.then(() => {
    ended = true
  })
  await until('the api answers', async () => {
    if (ended) throw new Error(`the api ended:\n${running.stdout()}\n${running.stderr()}`)
    const answer = await fetch(`http://127.0.0.1:${port}/x402/v1/spread`).catch(() => null)
    return answer?.status === 402
  })
  return {
    name: 'this service, one api process',
    port,
    pid: running.pid,
    stop: () => running.stop(),
    ledgerUrl: ledger.url,
  }
}
