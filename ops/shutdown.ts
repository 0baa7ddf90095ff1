import { describeError } from './errors.ts'
import type { Log } from './log.ts'
import { SECOND } from './units.ts'

/** From the signal to the end. */
export const GRACE_MS = 20 * SECOND

/**
 * Runs the given steps in order on SIGTERM or SIGINT, then exits 0; exits 1 when a step hangs past the
 * grace. A second signal exits at once. An uncaught error exits 1 with its words: the supervisor restarts us.
 * When the parent that started us is gone (its pipe on file descriptor 3 or IPC closes) we stop as well.
 */
export function onShutdown(log: Log, steps: () => Promise<void>, graceMs = GRACE_MS): void {
  let stopping = false
  const stop = (signal: string) => {
    if (stopping) process.exit(1)
    stopping = true
    log.info({ signal }, 'draining')
    const timer = setTimeout(() => {
      log.error({ graceMs }, 'drain did not end in time')
      process.exit(1)
    }, graceMs)
    timer.unref()
    steps().then(
      () => process.exit(0),
      (error) => {
        log.error({ reason: describeError(error) }, 'drain failed')
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.removeAllListeners(signal).on(signal, stop)
  process.removeAllListeners('disconnect').on('disconnect', () => stop('parent gone'))
  const die = (error: unknown) => {
    log.fatal(
      { reason: describeError(error), stack: error instanceof Error ? error.stack : undefined },
      'uncaught',
    )
    process.exit(1)
  }
  process.on('uncaughtException', die)
  process.on('unhandledRejection', die)
}
