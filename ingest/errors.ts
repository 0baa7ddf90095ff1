import { ServiceError } from '../ops/errors.ts'

/** A venue's answer is JSON but not what the venue documents: nothing of it was used. */
export class PageShapeError extends ServiceError {
  readonly code = 'page_shape'
  override readonly retryable = true
}

/** Another worker has begun a newer sweep of the venue: ours may publish nothing more. */
export class SupersededError extends ServiceError {
  readonly code = 'superseded'
}
