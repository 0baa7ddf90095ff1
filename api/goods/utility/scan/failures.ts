import { CAUSES } from './causes.ts'
import type { Failure } from './failure.ts'
import { SYMPTOMS } from './symptoms.ts'

/**
 * In order of precedence: a cause comes before what it causes (a full disk before the database error, a refused
 * connection before the 500 that follows), so the first one seen names the sample.
 */
export const FAILURES: readonly Failure[] = [...CAUSES, ...SYMPTOMS]
