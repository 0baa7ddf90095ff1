import { ServiceError } from '../ops/errors.ts'

/** We lost the lead while working: somebody else publishes. The same call may succeed when we lead again. */
export class StaleFenceError extends ServiceError {
  readonly code = 'stale_fence'
  override readonly retryable = true
}
