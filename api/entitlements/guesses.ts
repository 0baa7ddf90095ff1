import { penaltiesOf } from '../http/penalties.ts'

/** Wrong secrets an address may send at once; then one per ten seconds. Buyers' secrets may be guessed, tokens not. */
export const WRONG_AT_ONCE = 30

/**
 * Slows down an address that guesses secrets, whatever account it tries (CRD-03, ENT-09). It then waits with the right
 * secret too; else the wait would tell right from wrong.
 */
export const guessesOf = penaltiesOf({ burst: WRONG_AT_ONCE, perS: 0.1 })
