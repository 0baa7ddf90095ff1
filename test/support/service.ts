import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publishSnapshot, someGap, someSnapshot } from './boards.ts'
import type { TestChain } from './chain.ts'
import { openLedger } from './ledger.ts'
import { freePort } from './ports.ts'
import { isAlive, type Running, runMain, sleep, until } from './process.ts'
import { startRedis } from './redis.ts'

export type Service = {
  bases: string[] //  one origin per api process, so that a test can choose which one it talks to
  apis: Running[]
  worker: Running | null
  ledgerRedis: Awaited<ReturnType<typeof startRedis>>
  redis: Awaited<ReturnType<typeof startRedis>>
  ledger: ReturnType<typeof openLedger>
  dir: string
  /** Ends api process `index` with kill -9 (when it still runs) and starts it again on the same port. */
  restartApi(index: number, env?: Record<string, string>): Promise<void>
  startWorker(env?: Record<string, string>): Promise<void>
  publish: typeof publishSnapshot extends (url: string, ...rest: infer Rest) => infer R
    ? (...rest: Rest) => R
    : never
  stop(): Promise<void>
}

/**
 * Real api processes (and the worker) on real Redis servers, against a real chain. Boards hold one gap
 * unless `empty`. Each process has its own port.
 */
export async function startService({
  chain,
  facilitatorUrl,
  processes = 2,
  worker = facilitatorUrl === undefined,
  empty = false,
  env = {},
  namesItself = false,
  ledgerThrough,
}: {
  chain: TestChain
  facilitatorUrl?: string
  processes?: number
  worker?: boolean
  empty?: boolean
  env?: Record<string, string>
  /** PUBLIC_URL is where each process listens: for links that are followed, and for receipts. */
  namesItself?: boolean
  /** Puts something between the processes and the ledger. @returns the URL they get for that socket. */
  ledgerThrough?(socketPath: string): Promise<string>
}): Promise<Service> {
  const dir = await mkdtemp(join(tmpdir(), 'microdata-service-'))
  const [redis, ledgerRedis] = await Promise.all([startRedis(), startRedis({ appendfsync: 'always' })])
  const file = async (name: string, content: string | Buffer) => {
    await writeFile(join(dir, name), content, { mode: 0o600 })
    return join(dir, name)
  }
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const common: Record<string, string> = {
    REDIS_URL: redis.url,
    LEDGER_REDIS_URL: (await ledgerThrough?.(ledgerRedis.url.slice('unix:'.length))) ?? ledgerRedis.url,
    BASE_RPC_URL: chain.rpcUrl,
    RECEIVER_ADDRESS: chain.receiver,
    RECEIPT_KEY_FILE: await file('receipt.pem', pem),
    SERVICE_SECRET_FILE: await file('secret', randomBytes(32)),
    MARKET_MAX_AGE_MS: '3600000',
    PUBLIC_URL: 'http://127.0.0.1:8402',
    OPERATOR_PORT: '0',
    SETTLE_WAIT_MS: '15000',
    FINALITY: '', // most test chains make a block only when there is a transaction
    LOG_LEVEL: 'warn',
    UTILITY_THREADS: '0', //  a quarter of the CPU of a start, for long texts that few tests ask about
    ...(facilitatorUrl === undefined ? {} : { SETTLEMENT: 'facilitator', FACILITATOR_URL: facilitatorUrl }),
    ...env,
  }
  const ports = await Promise.all(Array.from({ length: processes }, () => freePort()))
  const apis: Running[] = []
  const startApi = async (index: number, more: Record<string, string> = {}) => {
    const own: Record<string, string> = namesItself ? { PUBLIC_URL: `http://127.0.0.1:${ports[index]}` } : {}
    const running = runMain('api/main.ts', {
      env: { ...common, ...own, PORT: String(ports[index]), ...more },
    })
    apis[index] = running
    await until(
      `api ${index} answers`,
      async () => {
        if (!isAlive(running.pid)) {
          //  one that is to die at a fault point may do so for another caller before this request
          if (more.FAULT_POINT !== undefined) return true
          throw new Error(`api ${index} ended before it answered`)
        }
        const answer = await fetch(`http://127.0.0.1:${ports[index]}/.well-known/receipt-oracle.json`).catch(
          () => null,
        )
        if (answer === null) await sleep(75) // a start takes a second or two, each attempt over a millisecond
        return answer?.status === 200
      },
      90_000,
    ).catch((error: Error) => {
      throw new Error(`${error.message}\n${running.stdout()}\n${running.stderr()}`)
    })
  }
  const service: Service = {
    bases: ports.map((port) => `http://127.0.0.1:${port}`),
    apis,
    worker: null,
    redis,
    ledgerRedis,
    ledger: openLedger(ledgerRedis.url),
    dir,
    async restartApi(index, more) {
      await apis[index]!.kill()
      await startApi(index, more)
    },
    async startWorker(more = {}) {
      await service.worker?.kill()
      const settler: Record<string, string> =
        facilitatorUrl === undefined ? { SETTLER_KEY_FILE: await file('settler.key', chain.settlerKey) } : {}
      service.worker = runMain('api/worker/main.ts', {
        env: { ...common, ...settler, LOG_LEVEL: 'info', ...more },
      })
      const { worker } = service
      //  one that dies at a fault point may come there before it says anything
      await worker.says(/working/).catch((error: Error) => {
        if (more.FAULT_POINT === undefined) throw error
        return worker.exited
      })
    },
    publish: (snapshot) => publishSnapshot(redis.url, snapshot),
    async stop() {
      await Promise.all([...apis, service.worker].map((running) => running?.kill()))
      service.ledger.close()
      await Promise.all([redis.stop(), ledgerRedis.stop()])
      await rm(dir, { recursive: true, force: true })
    },
  }
  try {
    if (!empty) await service.publish(someSnapshot([someGap()]))
    await Promise.all(ports.map((_, index) => startApi(index)))
    if (worker) await service.startWorker()
    return service
  } catch (error) {
    await service.stop()
    throw error
  }
}
