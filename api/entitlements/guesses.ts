import { type Clock, steadyClock } from '../../ops/clock.ts'
import { SECOND } from '../../ops/units.ts'
import { neighbourhood } from '../http/rateLimit.ts'

/** Wrong secrets that an address may send at once; then one every ten seconds. Our tokens cannot be guessed, secrets of buyers may be. */
export const WRONG_AT_ONCE = 30
const FORGIVEN_MS = 10 * SECOND
/** Addresses remembered; the one that guessed longest ago is forgotten first. */
const MAX_ADDRESSES = 10_000

export type Guesses = {
  /** Nobody has to wait: who asks need not be looked up. */
  isQuiet(): boolean
  /** Seconds until this address may try a secret again; 0: now. Also a right one has to wait: else it could be told. */
  waitS(address: string): number
  wrong(address: string): void
}

/** Who guesses secrets is slowed down, whosever account he tries (CRD-03, ENT-09). In the memory of one process. */
function createGuesses({ nowMs }: Clock): Guesses {
  const freeAtMs = new Map<string, number>() //  when all wrong ones of an address are forgiven
  let quietAtMs = 0 //  when all of them all are
  const owedMs = (address: string) => Math.max(0, (freeAtMs.get(address) ?? 0) - nowMs())
  return {
    isQuiet: () => nowMs() >= quietAtMs,
    waitS(address) {
      const overMs = owedMs(neighbourhood(address)) - (WRONG_AT_ONCE - 1) * FORGIVEN_MS
      return overMs <= 0 ? 0 : Math.ceil(overMs / SECOND)
    },
    wrong(address) {
      const caller = neighbourhood(address)
      const atMs = nowMs() + owedMs(caller) + FORGIVEN_MS
      freeAtMs.delete(caller)
      freeAtMs.set(caller, atMs)
      quietAtMs = Math.max(quietAtMs, atMs)
      if (freeAtMs.size > MAX_ADDRESSES) freeAtMs.delete(freeAtMs.keys().next().value!)
    },
  }
}

const made = new WeakMap<object, Guesses>()

/** One for all routes of a process, which share its clock; not by that clock, which may be set back (FAC-17). */
export function guessesOf(shared: object, steady: Clock = steadyClock): Guesses {
  const known = made.get(shared) ?? createGuesses(steady)
  made.set(shared, known)
  return known
}
