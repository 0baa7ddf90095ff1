import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeError } from './errors.ts'
import type { Log } from './log.ts'
import { SECOND } from './units.ts'

/** From the signal until everything promised is done. */
export const GRACE_MS = 20 * SECOND
/** For what nobody waits for any more: telling connections that we leave. */
const TIDY_MS = 2.5 * SECOND
/** A process that was frozen finds its time over and its work done at the same moment: the work is checked first. */
const LAST_LOOK_MS = 250

/**
 * Runs `finish` on SIGTERM or SIGINT, then `tidyUp`, then exits 0. Once `finish` is through, all promises are kept: the
 * process exits 1 when that fails or hangs past the grace; a `tidyUp` that fails or hangs, or an uncaught error during
 * it, is only logged. A second signal exits at once. An uncaught error before that exits 1 with its words: the
 * supervisor restarts us. When the parent that started us is gone (its pipe on file descriptor 3 or IPC closes) we stop
 * as well.
 */
export function onShutdown(
  log: Log,
  finish: () => Promise<unknown>,
  { tidyUp = async () => {}, graceMs = GRACE_MS }: { tidyUp?(): Promise<unknown>; graceMs?: number } = {},
): void {
  let stopping = false
  let finished = false
  const giveUp = () => {
    if (finished) return
    log.error({ graceMs }, 'drain did not end in time')
    process.exit(1)
  }
  const leave = async () => {
    finished = true
    const late = sleep(TIDY_MS, 'not tidied up in time')
    const problem = await Promise.race([late, tidyUp().then(() => null)]).catch(describeError)
    if (problem !== null) log.warn({ reason: problem }, 'not tidied up')
    process.exit(0)
  }
  const stop = (signal: string) => {
    if (stopping) process.exit(1)
    stopping = true
    log.info({ signal }, 'draining')
    setTimeout(() => setTimeout(giveUp, LAST_LOOK_MS), graceMs).unref()
    finish().then(leave, (error) => {
      log.error({ reason: describeError(error) }, 'drain failed')
      process.exit(1)
    })
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) takeOver(signal, stop)
  takeOver('disconnect', () => stop('parent gone'))
  const uncaught = (error: unknown) => {
    const reason = describeError(error)
    if (finished) return log.warn({ reason }, 'not tidied up')
    log.fatal({ reason, stack: error instanceof Error ? error.stack : undefined }, 'uncaught')
    process.exit(1)
  }
  process.on('uncaughtException', uncaught)
  process.on('unhandledRejection', uncaught)
}

/**
 * For commands: one ended by a signal has not done its work, and must not exit with the 0 of ops/atBoot.ts. As the
 * first process of a container it would not even end without a listener.
 */
export function endBySignal(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    takeOver(signal, () => process.exit(128 + constants.signals[signal]))
}

/**
 * Replaces all other listeners, such as that of ops/atBoot.ts. There is a listener at every moment: a signal that came
 * while modules were evaluated is delivered afterwards, and Node would drop it if there were none.
 */
export function takeOver(
  event: NodeJS.Signals | 'disconnect',
  listener: (signal: NodeJS.Signals) => void,
): void {
  const told: NodeJS.EventEmitter = process
  told.on(event, listener)
  for (const other of told.listeners(event)) if (other !== listener) told.off(event, other as typeof listener)
}
