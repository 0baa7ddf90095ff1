/**
 * A failure of the world, typed where it was met. `code` is counted in metrics and safe to show;
 * the message is for our own log and never leaves the process.
 */
export abstract class ServiceError extends Error {
  abstract readonly code: string //  stable snake_case
  readonly retryable: boolean = false //  may the same call succeed later?
}

/** A store, venue, chain or facilitator did not answer usefully. The same call may succeed later. */
export class UnavailableError extends ServiceError {
  readonly code: string
  override readonly retryable = true
  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** A broken assumption: the process should crash with these words rather than go on. */
export function assert(condition: unknown, assumption: string): asserts condition {
  if (!condition) throw new Error(`assumption broken: ${assumption}`)
}

/** What an error says, without its name and causes; of anything else that was thrown, its text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** One line for a log: name, code and message of an error and of its causes, never a stack. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? `[${error.code}] ` : ''
  const cause = error.cause === undefined ? '' : ` <- ${describeError(error.cause)}`
  return `${error.name}: ${code}${error.message}${cause}`
}
