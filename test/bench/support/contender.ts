import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { mainFile, NODE, REPOSITORY, type Running, run } from '../../support/process.ts'
import type { LoadJob, LoadMessage, LoadResult } from './load.ts'
import { CORES, cpuMsOf, pinned } from './machine.ts'
import type { Round } from './statistics.ts'

/** A server under measurement, running. */
export type Contender = {
  name: string
  port: number
  pid: number
  stop(): Promise<unknown>
}

/** Starts one of our mains or stand-ins; on the server's core when it is the one to be measured. */
export function startProcess(
  main: string,
  { env = {}, measured }: { env?: Record<string, string>; measured: boolean },
): Running {
  const core = measured ? CORES?.server : CORES?.others
  const [command, args] = pinned(core, NODE, [mainFile(main)])
  return run(command, args, { cwd: REPOSITORY, env })
}

export type Generator = {
  /** @throws with the generator's words when a request went wrong. */
  load(contender: Contender, job: Omit<LoadJob, 'port'>): Promise<Round>
  stop(): void
}

/** Allowed beyond a round's length, for signing payments beforehand and for answers still under way. */
const ROUND_GRACE_MS = 60_000

/** The load generator on its own core. One round at a time. */
export function startGenerator(): Generator {
  const file = fileURLToPath(new URL('../generator.ts', import.meta.url))
  const [command, args] = pinned(CORES?.others, NODE, [file])
  const child = fork(args.at(-1)!, [], {
    execPath: command,
    execArgv: command === NODE ? [] : args.slice(0, -1),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let deliver: (message: LoadMessage) => void = () => {}
  child.on('message', (message) => deliver(message as LoadMessage))
  child.on('exit', () => deliver({ kind: 'failed', why: 'the load generator has ended' }))
  const nextMessage = (timeoutMs: number) =>
    new Promise<LoadMessage>((resolve) => {
      const timer = setTimeout(() => resolve({ kind: 'failed', why: 'a round did not end' }), timeoutMs)
      deliver = (message) => {
        clearTimeout(timer)
        resolve(message)
      }
    })
  return {
    load: async (contender, job) => {
      const timeoutMs = (job.seconds + job.warmUpSeconds) * 1_000 + ROUND_GRACE_MS
      const first = nextMessage(timeoutMs)
      child.send({ ...job, port: contender.port } satisfies LoadJob)
      const started = await first
      const cpuBefore = cpuMsOf(contender.pid)
      const message = started.kind === 'started' ? await nextMessage(timeoutMs) : started
      const cpuAfter = cpuMsOf(contender.pid)
      if (message.kind !== 'done')
        throw new Error(`${contender.name}: ${message.kind === 'failed' ? message.why : 'no result'}`)
      return roundOf(message.result, cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore)
    },
    stop: () => child.disconnect(),
  }
}

const roundOf = (result: LoadResult, cpuMs: number | null): Round => ({
  requests: result.requests,
  p50Ms: result.p50Ms,
  p99Ms: result.p99Ms,
  bytes: result.bytes,
  perSecond: (result.requests / result.elapsedMs) * 1_000,
  generatorShare: result.generatorShare,
  cpuMicros: cpuMs === null ? null : (cpuMs / result.requests) * 1_000,
  coreShare: cpuMs === null ? null : cpuMs / result.elapsedMs,
})
