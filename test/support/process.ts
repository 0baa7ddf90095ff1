import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { processStart } from '../../ops/supervise/identity.ts'
import { ensureBuilt } from './build/built.ts'
import { builtFile } from './build/programs.ts'

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
export const NODE = `${REPOSITORY}/node_modules/.bin/node`

export { sleep }

/** Asks every 25 ms until the answer is not null, undefined or false. @throws when it never comes. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  timeoutMs = 45_000,
): Promise<NonNullable<T>> {
  const endMs = Date.now() + timeoutMs
  for (;;) {
    const answer = await ask()
    if (answer !== null && answer !== undefined && answer !== false) return answer
    if (Date.now() > endMs) throw new Error(`did not happen within ${timeoutMs} ms: ${what}`)
    await sleep(25)
  }
}

/**
 * A process that stands back from the others of its tree stands back from all other tests too, and they fill the cores
 * for minutes: it would wait until they are over.
 */
export const letForward = (pid: number | undefined): Promise<void> =>
  writeFile(`/proc/${pid}/autogroup`, '0').catch(() => {}) //  between two lives, or no such system

/** A zombie counts as gone: it only waits for its parent to collect it. */
export const isAlive = (pid: number): boolean => processStart(pid) !== null

/** Whether the process is stopped, as after SIGSTOP. */
export const isStopped = (pid: number): boolean => /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

export type Exit = { code: number | null; signal: NodeJS.Signals | null }

export type Running = {
  pid: number
  child: ChildProcess
  stdout(): string //  everything so far, newest megabyte
  stderr(): string
  exited: Promise<Exit>
  /** Waits until standard output matches. @throws with both outputs when the process ends or time is up first. */
  says(pattern: RegExp, timeoutMs?: number): Promise<RegExpMatchArray>
  /** SIGTERM, SIGKILL after `graceMs`. */
  stop(graceMs?: number): Promise<Exit>
  kill(): Promise<Exit>
}

const LAST_WORDS_MS = 300
const OUTPUT_BOUND = 1024 * 1024

/** Starts a real process and keeps its output. The caller ends it, by stop() or kill(), in afterAll at the latest. */
export function run(
  command: string,
  args: string[],
  {
    env = {},
    cwd = REPOSITORY,
    ipc = false,
  }: { env?: Record<string, string>; cwd?: string; ipc?: boolean } = {},
): Running {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  })
  let stdout = ''
  let stderr = ''
  let pieces = 0
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout = (stdout + text).slice(-OUTPUT_BOUND)
    pieces++
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-OUTPUT_BOUND)
    pieces++
  })
  let ended: Exit | null = null
  const exited = new Promise<Exit>((resolve) => {
    const end = (exit: Exit) => {
      ended = exit
      resolve(exit)
    }
    child.once('error', (error) => {
      stderr += error.message
      end({ code: -1, signal: null })
    })
    child.once('close', (code, signal) => end({ code, signal }))
    //  after disconnect() by us 'close' never comes: it has ended when a moment, and a look at what lies ready, bring no more
    const endWhenRead = (exit: Exit, known: number | null): void => {
      if (pieces === known) end(exit)
      else setTimeout(() => setImmediate(endWhenRead, exit, pieces), LAST_WORDS_MS)
    }
    child.once('exit', (code, signal) => endWhenRead({ code, signal }, null))
  })
  const signal = (name: NodeJS.Signals) => {
    if (ended === null && child.pid !== undefined) child.kill(name)
  }
  return {
    pid: child.pid ?? -1,
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    exited,
    async says(pattern, timeoutMs = 45_000) {
      return until(
        `output ${pattern}`,
        () => {
          const match = stdout.match(pattern)
          if (match === null && ended !== null)
            throw new Error(`ended with ${JSON.stringify(ended)} before ${pattern}\n${stdout}\n${stderr}`)
          return match
        },
        timeoutMs,
      ).catch((error: Error) => {
        throw new Error(`${error.message}\n${stdout}\n${stderr}`)
      })
    },
    async stop(graceMs = 15_000) {
      signal('SIGTERM')
      const timer = setTimeout(() => signal('SIGKILL'), graceMs)
      const exit = await exited
      clearTimeout(timer)
      return exit
    },
    kill() {
      signal('SIGKILL')
      return exited
    },
  }
}

/** The file to start for one of our own mains: from the build that `useBuild` or `./ops/test` made, else its source. */
export const mainFile = (main: string): string => builtFile(process.env.BUILT_PROGRAMS ?? '', main)

/** For commands: builds what has changed; every program then starts from that build. */
export async function useBuild(): Promise<void> {
  process.env.BUILT_PROGRAMS = await ensureBuilt()
}

/** Starts one of our own mains with the pinned Node; V8's compiled code of a built one is kept for the next start. */
export function runMain(
  main: string,
  { args = [], env, ...options }: Parameters<typeof run>[2] & { args?: string[] } = {},
): Running {
  const built = process.env.BUILT_PROGRAMS ?? ''
  const kept: Record<string, string> = built === '' ? {} : { NODE_COMPILE_CACHE: `${built}/compiled` }
  return run(NODE, [mainFile(main), ...args], { ...options, env: { ...kept, ...env } })
}

/** What `./ops/reconcile` starts. */
export const RECONCILE = 'api/worker/books/main.ts'
