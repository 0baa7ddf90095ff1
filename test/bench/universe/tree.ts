import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { MINUTE, SECOND } from '../../../ops/units.ts'
import { runMain, sleep, until } from '../../support/process.ts'
import { cpuMsOf } from '../support/machine.ts'
import { readFigures } from './cycles.ts'

const Sandbox = z.looseObject({
  operator: z.record(z.string(), z.url()),
  redis: z.looseObject({ pipeline: z.string() }),
})

/** What one role of the tree has used; memory is that of its largest process. */
export type Usage = { role: string; cpuMs: number; rssMiB: number; peakMiB: number }

const READY_MS = 15 * MINUTE
const LOOK_MS = 1 * SECOND
/** If boards lag their input by less than this on average, at CALM_LOOKS looks in a row, there is no backlog. */
const CAUGHT_UP_MS = 2 * SECOND
const CALM_LOOKS = 5

/** The service as `./ops/start` runs it, one api process, on a folder of its own. */
export async function startTree({
  size,
  everyMs,
  stepMs,
}: {
  size: number
  everyMs: number
  stepMs: number
}) {
  const dir = await mkdtemp(join(tmpdir(), 'microdata-universe-'))
  const supervisor = runMain('ops/supervise/main.ts', {
    env: {
      DATA_DIR: dir,
      VENUES_SIZE: String(size),
      POLL_EVERY_MS: String(everyMs),
      API_PROCESSES: '1',
      VENUES_STEP_MS: String(stepMs),
      PORT: '0',
      OPERATOR_PORT: '0',
      START_TIMEOUT_MS: String(READY_MS),
      MARKET_MAX_AGE_MS: String(10 * MINUTE),
      VENUE_TIMEOUT_MS: String(MINUTE),
      LOG_LEVEL: 'warn',
    },
  })
  const stop = async () => {
    await supervisor.stop(60 * SECOND)
    await rm(dir, { recursive: true, force: true })
  }
  try {
    await supervisor.says(/ready http/, READY_MS)
    const file = Sandbox.parse(JSON.parse(await readFile(join(dir, 'sandbox.json'), 'utf8')))
    const usage = () => usageOf(supervisor.pid)
    const later = async (isEnough: () => Promise<boolean>): Promise<Usage[]> => {
      const endMs = Date.now() + READY_MS
      for (;;) {
        if (await isEnough()) return usage()
        if (Date.now() > endMs) throw new Error(`not done within ${READY_MS} ms`)
        await sleep(LOOK_MS)
      }
    }
    return {
      operator: file.operator,
      redisUrl: file.redis.pipeline,
      usage,
      later,
      stop,
      /** Waits until the engine knows every market that ingest read, all of it is archived, and boards are as new as what they are made of. */
      complete: async () => {
        await until(
          'every market is paired and archived',
          async () => {
            const [ingest, engine] = await Promise.all([
              readFigures(file.operator.ingest!),
              readFigures(file.operator.engine!),
            ])
            const read = ingest.sum('ingest_markets')
            return (
              read > 0 &&
              engine.sum('engine_markets') >= 0.99 * read &&
              ingest.sum('ingest_archive_backlog_batches') < 50
            )
          },
          READY_MS,
        )
        let [calm, before] = [0, { lagMs: 0, boards: 0 }]
        await later(async () => {
          const engine = await readFigures(file.operator.engine!)
          const of = (part: string) => engine.sum(`engine_publish_lag_ms_${part}`, /board="gaps"/)
          const now = { lagMs: of('sum'), boards: of('count') }
          const boards = now.boards - before.boards
          //  nothing is published between two sweeps, which proves neither
          if (boards > 0) calm = now.lagMs - before.lagMs < CAUGHT_UP_MS * boards ? calm + 1 : 0
          before = now
          return calm === CALM_LOOKS
        })
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Usage of every role under `root`. A store that rewrites its file is two processes for some seconds: the fork's CPU is
 * added to its role, and counts as its parent's once it has ended.
 */
function usageOf(root: number): Usage[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? parentOf(Number(name)) : null
    if (parent !== null) parents.set(Number(name), parent)
  }
  const roles = new Map<string, Usage>()
  for (const pid of parents.keys()) {
    if (pid === root || !isUnder(pid, root, parents)) continue
    const role = roleOf(pid)
    const { rssMiB, peakMiB } = memoryOf(pid)
    const others = roles.get(role) ?? { role, cpuMs: 0, rssMiB: 0, peakMiB: 0 }
    roles.set(role, {
      role,
      cpuMs: others.cpuMs + (cpuMsOf(pid) ?? 0),
      rssMiB: Math.max(others.rssMiB, rssMiB),
      peakMiB: Math.max(others.peakMiB, peakMiB),
    })
  }
  return [...roles.values()].sort((x, y) => (x.role < y.role ? -1 : 1))
}

function parentOf(pid: number): number | null {
  const stat = read(`/proc/${pid}/stat`)
  return stat === '' ? null : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

function isUnder(pid: number, root: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at = parents.get(pid); at !== undefined && at > 1; at = parents.get(at))
    if (at === root) return true
  return false
}

/** `ingest`, `engine`, `api`, `venues`, `clickhouse`, `redis`, `ledger`: from the command line. */
function roleOf(pid: number): string {
  const words = read(`/proc/${pid}/cmdline`).split('\0')
  const main = words.find((word) => /[/][^/]*[mM]ain\.[jt]s$/.test(word))
  if (main !== undefined) return main.replace(/^.*\/(api\/worker|[^/]+)\/([^/]+)\.[jt]s$/, '$1')
  const command = words.join(' ')
  if (/^redis-/.test(command)) return /ledger/.test(command) ? 'ledger' : 'redis'
  return words[0]?.replace(/^.*\//, '').split(' ')[0] ?? 'unknown'
}

function memoryOf(pid: number): { rssMiB: number; peakMiB: number } {
  const status = read(`/proc/${pid}/status`)
  const mib = (field: string) =>
    Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1_024)
  return { rssMiB: mib('VmRSS'), peakMiB: mib('VmHWM') }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' //  it has ended
  }
}
