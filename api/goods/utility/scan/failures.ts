import { CAUSES } from './causes.ts'
import type { Failure } from './failure.ts'
import { SYMPTOMS } from './symptoms.ts'

/**
 * In order of precedence: the cause stands above what it causes (a full disk above the database error, a refused
 * connection above the 500 that follows), so the first one seen names the sample.
 */
export const FAILURES: readonly Failure[] = [...CAUSES, ...SYMPTOMS]
