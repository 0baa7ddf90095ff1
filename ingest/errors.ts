import { ServiceError } from '../ops/errors.ts'

/** A venue's answer is JSON but not what the venue documents: nothing of it was used. */
export class PageShapeError extends ServiceError {
  readonly code = 'page_shape'
  override readonly retryable = true
}

/** A newer term of the feed has begun, or Redis has lost part of ours: it may publish nothing more. */
export class SupersededError extends ServiceError {
  readonly code = 'superseded'
}
