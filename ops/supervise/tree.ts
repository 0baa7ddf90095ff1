import { steadyClock } from '../clock.ts'
import { type Failure, Life, type Surroundings } from './life.ts'
import type { Part } from './part.ts'
import { createRepeats } from './repeats.ts'

export type TreePorts = Pick<Surroundings, 'screen' | 'openLog' | 'watch'>

export type Tree = {
  /** Resolves when every part that the rest needs has been ready once; never when the tree fails or is stopped before. */
  ready: Promise<void>
  /** The same for these parts only. */
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

/** Starts the parts in the order of their needs, keeps them running, stops them in the opposite order. */
export function runTree(parts: Part[], readyWithinMs: number, ports: TreePorts): Tree {
  const stopping = new AbortController()
  const failed = Promise.withResolvers<Failure>()
  const around: Surroundings = {
    ...ports,
    clock: steadyClock,
    readyWithinMs,
    repeats: createRepeats(steadyClock),
    stopping: stopping.signal,
    stopped: new Promise((resolve) => stopping.signal.addEventListener('abort', () => resolve())),
    fail: failed.resolve,
  }
  const lives = parts.map((part) => new Life(part, around))
  const lifeOf = (role: string): Life => {
    const life = lives.find(({ part }) => part.role === role)
    if (life === undefined) throw new Error(`a part needs ${role}, which is not in the tree`)
    return life
  }
  const dependentsOf = (role: string): Life[] =>
    lives.filter(({ part: { needs, uses = [] } }) => needs.includes(role) || uses.includes(role))
  const readyOf = async (some: Part[]): Promise<void> => {
    await Promise.all(some.map(({ role }) => lifeOf(role).becameReady))
  }

  for (const life of lives) life.start(life.part.needs.map(lifeOf))
  let stopped: Promise<void> | null = null
  return {
    ready: readyOf(parts.filter(({ withoutIt }) => withoutIt === undefined)),
    readyOf,
    missing: () =>
      lives.filter(({ part, wasReady }) => part.withoutIt !== undefined && !wasReady).map(({ part }) => part),
    failed: failed.promise,
    stop() {
      stopping.abort()
      stopped ??= Promise.all(lives.map((life) => life.stop(dependentsOf(life.part.role)))).then(() => {})
      return stopped
    },
    kill() {
      stopping.abort()
      for (const life of lives) life.kill()
    },
  }
}
