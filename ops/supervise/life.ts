import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { parseJsonOrNull } from '../jsonText.ts'
import { type Child, type Exit, startChild } from './child.ts'
import type { LogFile } from './logFile.ts'
import type { Part, Said } from './part.ts'
import { readLine } from './readable.ts'
import type { Repeats } from './repeats.ts'
import { judgeDeath, recentDeaths } from './restarts.ts'
import type { Screen } from './screen.ts'

const PROBE_EVERY_MS = 100
const LOOK_AFTER_EVERY_MS = 3_000

/** Why the tree stopped by itself: a part that cannot be started, or does not become ready. */
export type Failure = { label: string; reason: string; words: string }

/** What all parts of a tree have in common. */
export type Surroundings = {
  screen: Screen
  clock: Clock //                                steady: who sets the real one must not end the tree
  openLog(role: string): LogFile
  /** The watchdog of the children beside us: told of each start and end. */
  watch: { started(role: string, pid: number): void; ended(pid: number): void }
  readyWithinMs: number
  repeats: Repeats
  /** Aborted when the tree is to stop: nothing is started any more. */
  stopping: AbortSignal
  /** Resolves when `stopping` is aborted. */
  stopped: Promise<void>
  fail(failure: Failure): void
}

/** One part, from its first start through every death to the end of the tree. */
export class Life {
  readonly part: Part
  readonly #around: Surroundings
  readonly #ready = Promise.withResolvers<void>()
  #ended: Promise<void> = Promise.resolve()
  #wasReady = false
  #child: Child | null = null
  #said: Said | null = null
  #lastExit: Exit | null = null

  constructor(part: Part, around: Surroundings) {
    this.part = part
    this.#around = around
  }

  /** Resolves when it has been ready once. */
  get becameReady(): Promise<void> {
    return this.#ready.promise
  }

  /** Resolves when it runs no more and will not be started again. */
  get ended(): Promise<void> {
    return this.#ended
  }

  get wasReady(): boolean {
    return this.#wasReady
  }

  /** @param needs those that must have been ready once before. */
  start(needs: readonly Life[]): void {
    this.#ended = this.#keepRunning(needs)
  }

  /** SIGTERM once all dependents have ended, SIGKILL after its grace. The tree is stopping by then. */
  async stop(dependents: readonly Life[]): Promise<void> {
    await Promise.all(dependents.map(({ ended }) => ended))
    const child = this.#child
    const { label, graceMs } = this.part
    if (child !== null) {
      child.signal('SIGTERM')
      const timer = setTimeout(() => {
        this.#around.screen.warn(label, `did not stop within ${graceMs / 1_000} s and was ended`)
        child.signal('SIGKILL')
      }, graceMs)
      await child.exited
      clearTimeout(timer)
    }
    await this.#ended
  }

  kill(): void {
    this.#child?.signal('SIGKILL')
  }

  async #keepRunning(needs: readonly Life[]): Promise<void> {
    const { clock, openLog, stopping, stopped } = this.#around
    await Promise.race([Promise.all(needs.map(({ becameReady }) => becameReady)), stopped])
    if (stopping.aborted) return
    const log = openLog(this.part.role)
    let deathsMs: number[] = []
    this.#waitReady().catch((error: Error) => this.#fail(error.message))
    while (!stopping.aborted) {
      const exit = await this.#runOnce(log)
      if (stopping.aborted) break
      deathsMs = recentDeaths(deathsMs, clock.nowMs())
      const waitMs = this.#afterDeath(exit, deathsMs.length)
      if (waitMs === null) break
      await this.#pause(waitMs)
    }
    log.close()
  }

  /** One process from start to end. */
  async #runOnce(log: LogFile): Promise<Exit> {
    const { watch, screen } = this.#around
    this.#said = null
    const spawn = this.part.spawn()
    if (spawn.found !== undefined) {
      log.write(spawn.found)
      screen.warn(this.part.label, spawn.found)
    }
    const child = startChild(spawn, (line) => {
      log.write(line)
      this.#hear(line)
    })
    this.#child = child
    if (child.pid > 0) watch.started(this.part.role, child.pid)
    const exit = await child.exited
    this.#child = null
    this.#lastExit = exit
    if (child.pid > 0) watch.ended(child.pid)
    return exit
  }

  /** Keeps its ready line, and shows a person what it warns of. */
  #hear(line: string): void {
    const { screen, repeats } = this.#around
    this.#said = readSaid(line) ?? this.#said
    const read = readLine(line)
    if (read === null || read.level === 'debug' || read.level === 'info') return
    const shown = repeats(this.part.label, read.text)
    if (shown !== null) screen[read.level === 'warn' ? 'warn' : 'error'](this.part.label, shown)
  }

  /** @returns how long to wait before it is started again, ms; null: it is given up, and the tree with it. */
  #afterDeath(exit: Exit, recent: number): number | null {
    const { screen, repeats } = this.#around
    const { waitMs, isTooOften, isGivenUp } = judgeDeath(recent, this.part, this.#wasReady)
    const how = describeExit(exit)
    if (isGivenUp) {
      this.#fail(`${how}, more than five times within a minute`, exit.words)
      return null
    }
    const told = `${how}; starting it again in ${waitMs} ms`
    const shown = isTooOften ? repeats(this.part.label, `${told}; its log says why`) : told
    if (shown !== null) screen.warn(this.part.label, shown)
    return waitMs
  }

  /**
   * Asks until the part is ready for the first time. Beyond the limit the tree fails with what the part said last, if
   * the rest needs it. The limit begins anew when a problem that a person had to solve is solved.
   */
  async #waitReady(): Promise<void> {
    const { screen, clock, readyWithinMs, stopping } = this.#around
    const { part } = this
    const startMs = clock.nowMs()
    let sinceMs = startMs
    while (!stopping.aborted) {
      const problem = this.#child === null ? 'does not run' : await part.notReady(this.#said)
      if (problem === null) break
      if (part.waitsFor?.(problem)) sinceMs = clock.nowMs()
      if (part.withoutIt === undefined && clock.nowMs() - sinceMs > readyWithinMs)
        return this.#failUnready(problem)
      await sleep(PROBE_EVERY_MS)
    }
    if (stopping.aborted) return
    part.learn?.(this.#said)
    screen.ready(part.label, clock.nowMs() - startMs)
    this.#wasReady = true
    this.#ready.resolve()
    await this.#lookAfter()
  }

  /** Says when a running part stops being ready, and when it is ready again: once each. */
  async #lookAfter(): Promise<void> {
    const { screen, stopping } = this.#around
    const { label } = this.part
    let known: string | null = null
    while (!stopping.aborted) {
      await this.#pause(LOOK_AFTER_EVERY_MS)
      if (stopping.aborted || this.#child === null) continue //  its death is reported elsewhere
      const problem = await this.part.notReady(this.#said)
      if (stopping.aborted || (problem === null) === (known === null)) continue
      if (problem === null) screen.note(label, 'ready again')
      else screen.warn(label, `not ready: ${problem}`)
      known = problem
    }
  }

  #failUnready(problem: string): void {
    const exit = this.#lastExit
    const why = exit === null ? problem : `${describeExit(exit)}, then: ${problem}`
    this.#fail(`not ready after ${this.#around.readyWithinMs / 1_000} s: ${why}`, exit?.words)
  }

  #fail(reason: string, words = ''): void {
    this.#around.fail({ label: this.part.label, reason, words })
  }

  /** A pause that ends early when the tree stops. */
  async #pause(ms: number): Promise<void> {
    await Promise.race([sleep(ms), this.#around.stopped])
  }
}

const describeExit = ({ signal, code, words }: Exit): string =>
  `ended by itself (${signal ?? (code === null ? words : `exit code ${code}`)})`

function readSaid(line: string): Said | null {
  if (!line.startsWith('{') || !line.includes('"ready"')) return null
  const value = parseJsonOrNull(line)
  return typeof value === 'object' && value !== null && 'ready' in value && value.ready === true
    ? (value as Said)
    : null
}
