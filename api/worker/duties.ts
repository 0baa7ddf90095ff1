import { setTimeout as sleep } from 'node:timers/promises'
import { describeError } from '../../ops/errors.ts'
import type { Check } from '../../ops/health.ts'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { SECOND } from '../../ops/units.ts'

export type Duties = {
  /** @param restMs between the end of a pass and the start of the next. */
  add(name: string, restMs: number, pass: () => Promise<void>): void
  /** One check per duty: why its newest pass failed. */
  checks(): Check[]
  /** Resolves when the passes under way have ended. */
  stop(): Promise<void>
}

/** Rest after a failed pass: closed money may have opened, and a long rest would keep reporting that the duty waits. */
const AGAIN_MS = 30 * SECOND

/** The worker's periodic duties, each independent: one that fails is tried again after its rest, or sooner. */
export function createDuties({
  log,
  metrics,
  againMs = AGAIN_MS,
}: {
  log: Log
  metrics: Metrics
  againMs?: number
}): Duties {
  //  a pass that hangs reports no problem: it only shows in that no pass ends any more
  const doneAt = metrics.gauge(
    'duty_done_timestamp_seconds',
    'End of the newest pass that went well; at first the start of the process',
    ['duty'],
  )
  const stopping = new AbortController()
  const problems = new Map<string, string | null>()
  const running: Promise<void>[] = []

  async function run(name: string, restMs: number, pass: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      let waitMs = restMs
      try {
        await pass()
        problems.set(name, null)
        doneAt.set({ duty: name }, Date.now() / SECOND)
      } catch (error) {
        const reason = describeError(error)
        problems.set(name, reason)
        log.warn({ duty: name, reason }, 'a duty waits')
        waitMs = Math.min(restMs, againMs)
      }
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  return {
    add(name, restMs, pass) {
      problems.set(name, null)
      doneAt.set({ duty: name }, Date.now() / SECOND)
      running.push(run(name, restMs, pass))
    },
    checks: () => [...problems.keys()].map((name) => ({ name, problem: () => problems.get(name) ?? null })),
    stop: async () => {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
