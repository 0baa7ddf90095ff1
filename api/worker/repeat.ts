import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'

/** One duty of the worker, done again and again; one that fails waits and is tried anew. */
export type Duty = {
  /** Why the newest pass failed, or null. */
  problem(): string | null
  /** Resolves when the pass under way has ended. */
  stop(): Promise<void>
}

/** @param restMs between the end of a pass and the start of the next. */
export function repeat(
  name: string,
  pass: () => Promise<void>,
  { restMs, log }: { restMs: number; log: Log },
): Duty {
  const stopping = new AbortController()
  let lastProblem: string | null = null
  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        await pass()
        lastProblem = null
      } catch (error) {
        lastProblem = describeError(error)
        log.warn({ reason: lastProblem }, `${name} waits`)
      }
      await rest(restMs, stopping.signal)
    }
  }
  const done = run()
  return {
    problem: () => lastProblem,
    async stop() {
      stopping.abort()
      await done
    },
  }
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
    function end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
  })
}
