import type { Clock } from '../clock.ts'
import { type Child, type Exit, startChild } from './child.ts'
import type { LogFile } from './logFile.ts'
import type { Part, Said } from './part.ts'
import { readLine } from './readable.ts'
import { createRepeats } from './repeats.ts'
import { judgeDeath, recentDeaths } from './restarts.ts'
import type { Screen } from './screen.ts'

const PROBE_EVERY_MS = 100
const LOOK_AFTER_EVERY_MS = 3_000

export type TreePorts = {
  screen: Screen
  clock: Clock //                                the real one
  openLog(role: string): LogFile
  /** Who watches over the children beside us: told of each start and end. */
  watch: { started(role: string, pid: number): void; ended(pid: number): void }
}

/** Why the tree stopped by itself: a part that cannot be started, or does not become ready. */
export type Failure = { label: string; reason: string; words: string }

export type Tree = {
  /** Resolves when every part that the rest needs has been ready once; never when the tree fails or is stopped before. */
  ready: Promise<void>
  /** The same of these. */
  readyOf(parts: Part[]): Promise<void>
  /** Parts that the rest works without and that have not been ready yet. */
  missing(): Part[]
  /** Resolves when a part is beyond help. The caller then stops the tree. */
  failed: Promise<Failure>
  /** SIGTERM to each part when all that need it have ended, SIGKILL after its grace. Repeated calls share one stop. */
  stop(): Promise<void>
  /** SIGKILL to everything, at once. */
  kill(): void
}

type Life = {
  part: Part
  child: Child | null
  said: Said | null
  lastExit: Exit | null
  wasReady: boolean
  becameReady: Promise<void>
  setReady(): void
  ended: Promise<void> // the part runs no more and will not be started again
}

/** Starts the parts in the order of their needs, keeps them running, stops them in the opposite order. */
export function runTree(parts: Part[], readyWithinMs: number, ports: TreePorts): Tree {
  const { screen, clock, openLog, watch } = ports
  const stopping = new AbortController()
  const aborted = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()))
  let fail: (failure: Failure) => void = () => {}
  const failed = new Promise<Failure>((resolve) => {
    fail = resolve
  })
  const repeats = createRepeats(clock)
  const lives = new Map<string, Life>()
  for (const part of parts) {
    let setReady = () => {}
    const becameReady = new Promise<void>((resolve) => {
      setReady = resolve
    })
    const now = { child: null, said: null, lastExit: null, wasReady: false }
    lives.set(part.role, { part, ...now, becameReady, setReady, ended: Promise.resolve() })
  }
  const lifeOf = (role: string): Life => {
    const life = lives.get(role)
    if (life === undefined) throw new Error(`a part needs ${role}, which is not in the tree`)
    return life
  }

  /** One process from start to end. */
  async function once(life: Life, log: LogFile): Promise<Exit> {
    const { part } = life
    life.said = null
    const child = startChild(part.spawn(), (line) => {
      log.write(line)
      const said = readSaid(line)
      if (said !== null) life.said = said
      const read = readLine(line)
      if (read === null || read.level === 'debug' || read.level === 'info') return
      const shown = repeats(part.label, read.text)
      if (shown !== null) screen[read.level === 'warn' ? 'warn' : 'error'](part.label, shown)
    })
    life.child = child
    if (child.pid > 0) watch.started(part.role, child.pid)
    const exit = await child.exited
    life.child = null
    life.lastExit = exit
    if (child.pid > 0) watch.ended(child.pid)
    return exit
  }

  async function keepRunning(life: Life): Promise<void> {
    const { part } = life
    await Promise.race([Promise.all(part.needs.map((role) => lifeOf(role).becameReady)), aborted])
    if (stopping.signal.aborted) return
    const log = openLog(part.role)
    let deathsMs: number[] = []
    waitReady(life).catch((error: Error) => fail({ label: part.label, reason: error.message, words: '' }))
    while (!stopping.signal.aborted) {
      const exit = await once(life, log)
      if (stopping.signal.aborted) break
      deathsMs = recentDeaths(deathsMs, clock.nowMs())
      const { waitMs, isTooOften, isGivenUp } = judgeDeath(deathsMs.length, part, life.wasReady)
      const how = describeExit(exit)
      if (isGivenUp) {
        fail({ label: part.label, reason: `${how}, more than five times within a minute`, words: exit.words })
        break
      }
      const told = `${how}; starting it again in ${waitMs} ms`
      const shown = isTooOften ? repeats(part.label, `${told}; its log says why`) : told
      if (shown !== null) screen.warn(part.label, shown)
      await Promise.race([sleep(waitMs), aborted])
    }
    log.close()
  }

  /**
   * Asks until the part is ready for the first time; beyond the limit the tree fails with what it said last, when the rest
   * needs it. The limit begins anew when what a person had to end has ended.
   */
  async function waitReady(life: Life): Promise<void> {
    const { part } = life
    const startMs = clock.nowMs()
    let sinceMs = startMs
    while (!stopping.signal.aborted) {
      const problem = life.child === null ? 'does not run' : await part.notReady(life.said)
      if (problem === null) break
      if (part.waitsFor?.(problem)) sinceMs = clock.nowMs()
      if (part.withoutIt === undefined && clock.nowMs() - sinceMs > readyWithinMs) {
        const { lastExit } = life
        const why = lastExit === null ? problem : `${describeExit(lastExit)}, then: ${problem}`
        const reason = `not ready after ${readyWithinMs / 1_000} s: ${why}`
        return fail({ label: part.label, reason, words: lastExit?.words ?? '' })
      }
      await sleep(PROBE_EVERY_MS)
    }
    if (stopping.signal.aborted) return
    part.learn?.(life.said)
    screen.ready(part.label, clock.nowMs() - startMs)
    life.wasReady = true
    life.setReady()
    await lookAfter(life)
  }

  /** Says when a running part stops being ready, and when it is ready again: once each. */
  async function lookAfter(life: Life): Promise<void> {
    const { part } = life
    let known: string | null = null
    while (!stopping.signal.aborted) {
      await Promise.race([sleep(LOOK_AFTER_EVERY_MS), aborted])
      if (stopping.signal.aborted || life.child === null) continue //  its death is reported elsewhere
      const problem = await part.notReady(life.said)
      if (stopping.signal.aborted || (problem === null) === (known === null)) continue
      if (problem === null) screen.note(part.label, 'ready again')
      else screen.warn(part.label, `not ready: ${problem}`)
      known = problem
    }
  }

  async function stopOne(life: Life): Promise<void> {
    const dependents = [...lives.values()].filter(({ part: { needs, uses = [] } }) =>
      [...needs, ...uses].includes(life.part.role),
    )
    await Promise.all(dependents.map(({ ended }) => ended))
    const { child, part } = life
    if (child !== null) {
      child.signal('SIGTERM')
      const timer = setTimeout(() => {
        screen.warn(part.label, `did not stop within ${part.graceMs / 1_000} s and was ended`)
        child.signal('SIGKILL')
      }, part.graceMs)
      await child.exited
      clearTimeout(timer)
    }
    await life.ended
  }

  for (const life of lives.values()) life.ended = keepRunning(life)
  let stopped: Promise<void> | null = null
  const readyOf = (some: Part[]) =>
    Promise.all(some.map(({ role }) => lifeOf(role).becameReady)).then(() => {})
  return {
    ready: readyOf(parts.filter(({ withoutIt }) => withoutIt === undefined)),
    readyOf,
    missing: () =>
      [...lives.values()]
        .filter(({ part, wasReady }) => part.withoutIt !== undefined && !wasReady)
        .map(({ part }) => part),
    failed,
    stop() {
      stopping.abort()
      stopped ??= Promise.all([...lives.values()].map(stopOne)).then(() => {})
      return stopped
    },
    kill() {
      stopping.abort()
      for (const { child } of lives.values()) child?.signal('SIGKILL')
    },
  }
}

const describeExit = ({ signal, code, words }: Exit): string =>
  `ended by itself (${signal ?? (code === null ? words : `exit code ${code}`)})`

function readSaid(line: string): Said | null {
  if (!line.startsWith('{') || !line.includes('"ready"')) return null
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && 'ready' in value && value.ready === true
      ? (value as Said)
      : null
  } catch {
    return null
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
