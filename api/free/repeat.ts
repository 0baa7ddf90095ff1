import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'

/**
 * Runs `work` now and every `everyMs` of real time, never twice at once. Of consecutive failures only the first is
 * logged.
 */
export function repeat(
  name: string,
  everyMs: number,
  log: Log,
  work: () => Promise<void>,
): { stop(): Promise<void> } {
  let running: Promise<void> | null = null
  let failing = false
  const once = async () => {
    try {
      await work()
      failing = false
    } catch (error) {
      if (!failing) log.warn({ work: name, reason: describeError(error) }, 'not refreshed; will try again')
      failing = true
    }
    running = null
  }
  const turn = () => {
    running ??= once()
  }
  const timer = setInterval(turn, everyMs)
  turn()
  return {
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}
