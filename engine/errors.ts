import { ServiceError } from '../ops/errors.ts'

/** We lost the lead while working: somebody else publishes. The same call may succeed when we lead again. */
export class StaleFenceError extends ServiceError {
  readonly code = 'stale_fence'
  override readonly retryable = true
}

/** The store does not hold what this engine wrote or read last. Nothing was written; after reading it anew the call may succeed. */
export class StoreMovedError extends ServiceError {
  readonly code = 'store_moved'
  override readonly retryable = true
}
