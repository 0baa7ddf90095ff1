import { mkdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { realClock } from '../../clock.ts'
import { loadConfig } from '../../config.ts'
import { describeError } from '../../errors.ts'
import { inUrl, listen } from '../../listen.ts'
import { createLog } from '../../log.ts'
import { onShutdown } from '../../shutdown.ts'
import { SECOND } from '../../units.ts'
import { createAdmission } from './admission.ts'
import { type Engine, openEngine } from './engine.ts'
import { createExecutor } from './execute.ts'
import { createClickhouseServer } from './server.ts'
import { openOrSetAside } from './setAside.ts'
import { ALLOWANCES } from './users.ts'

/**
 * The sandbox's ClickHouse: the embedded engine on DATA_DIR behind ClickHouse's HTTP interface.
 * Says `{"ready":true,"url":…}` once on standard output; ends with 75 when the directory is in use.
 */

// A running query holds one thread of libuv's pool. Read when the pool is first used, which is not yet.
process.env.UV_THREADPOOL_SIZE = '24'

const EXIT_IN_USE = 75

const { values: options } = parseArgs({
  options: {
    'max-body-bytes': { type: 'string', default: String(1024 ** 3) },
    'max-answer-bytes': { type: 'string', default: String(2 * 1024 ** 3) },
    'max-spool-bytes': { type: 'string', default: String(4 * 1024 ** 3) },
  },
})
const config = loadConfig(process.env, 'script')
const log = createLog('clickhouse', config.LOG_LEVEL)
if (config.DATA_DIR === '') throw new Error('DATA_DIR: is missing (where the tables are)')
if (config.CLICKHOUSE_PASSWORD === '' && !/^(127\.|::1$|localhost$)/.test(config.HOST))
  throw new Error('CLICKHOUSE_PASSWORD: is missing (HOST is reachable from other machines)')

const engine = await openOrExit(config.DATA_DIR)
const executor = createExecutor(engine, createAdmission(ALLOWANCES, realClock), {
  maxAnswerBytes: Number(options['max-answer-bytes']),
  maxSpoolBytes: Number(options['max-spool-bytes']),
})
const server = createClickhouseServer({
  engine,
  executor,
  passwords: { default: config.CLICKHOUSE_PASSWORD, analyst: config.CLICKHOUSE_ANALYST_PASSWORD },
  maxBodyBytes: Number(options['max-body-bytes']),
  log,
})
onShutdown(log, async () => {
  executor.close()
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  await Promise.race([closed, sleep(10 * SECOND)])
  server.closeAllConnections()
  await executor.stop()
  await engine.close()
})
const port = await listen(server, config.HOST, config.CLICKHOUSE_PORT)
const host = inUrl(config.HOST)
process.stdout.write(`${JSON.stringify({ ready: true, url: `http://${host}:${port}` })}\n`)

async function openOrExit(directory: string): Promise<Engine> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const open = async (folder: string) => {
    try {
      return await openEngine(folder, config.CLICKHOUSE_DATABASE)
    } catch (error) {
      const owner = await livingOwner(folder)
      if (owner === null) throw error
      log.fatal(
        { owner, reason: describeError(error) },
        `DATA_DIR is in use by process ${owner}: one process owns a directory`,
      )
      process.exit(EXIT_IN_USE)
    }
  }
  return openOrSetAside(directory, realClock.nowMs(), open, log)
}

/** The process named in the engine's lock file, when it is another one and lives. */
async function livingOwner(directory: string): Promise<number | null> {
  const text = await readFile(`${directory}/status`, 'utf8').catch(() => '')
  const pid = Number(/^PID: (\d+)$/m.exec(text)?.[1] ?? 0)
  if (pid === 0 || pid === process.pid) return null
  try {
    process.kill(pid, 0)
    return pid
  } catch {
    return null
  }
}
