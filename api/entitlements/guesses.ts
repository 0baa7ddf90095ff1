import { penaltiesOf } from '../http/penalties.ts'

/** Wrong secrets that an address may send at once; then one every ten seconds. Our tokens cannot be guessed, secrets of buyers may be. */
export const WRONG_AT_ONCE = 30

/**
 * Who guesses secrets is slowed down, whosever account he tries (CRD-03, ENT-09). Whoever has to wait does so with a right
 * secret too: else it could be told.
 */
export const guessesOf = penaltiesOf({ burst: WRONG_AT_ONCE, perS: 0.1 })
