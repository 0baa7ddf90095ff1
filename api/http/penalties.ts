import { type Clock, steadyClock } from '../../ops/clock.ts'
import { remember } from '../../ops/remember.ts'
import { SECOND } from '../../ops/units.ts'
import type { Limit } from './limits.ts'
import { neighbourhood } from './rateLimit.ts'

/** Addresses remembered; the one that failed longest ago is forgotten first. */
const MAX_ADDRESSES = 10_000

/** A limit that only failures use up: a caller that never fails never waits. */
export type Penalties = {
  /** True when no address has to wait: callers need not be looked up. */
  isQuiet(): boolean
  /** Seconds until this address may try again; 0: now. */
  waitS(address: string): number
  /** One more failure of this address. */
  count(address: string): void
}

type Allowance = Pick<Limit, 'burst' | 'perS'>

function createPenalties({ burst, perS }: Allowance, { nowMs }: Clock): Penalties {
  const forgivenMs = SECOND / perS
  const freeAtMs = new Map<string, number>() //  when all failures of an address are forgiven
  let quietAtMs = 0 //  when those of all addresses are forgiven
  const owedMs = (address: string) => Math.max(0, (freeAtMs.get(address) ?? 0) - nowMs())
  return {
    isQuiet: () => nowMs() >= quietAtMs,
    waitS(address) {
      const overMs = owedMs(neighbourhood(address)) - (burst - 1) * forgivenMs
      return overMs <= 0 ? 0 : Math.ceil(overMs / SECOND)
    },
    count(address) {
      const caller = neighbourhood(address)
      const atMs = nowMs() + owedMs(caller) + forgivenMs
      remember(freeAtMs, caller, atMs, MAX_ADDRESSES)
      quietAtMs = Math.max(quietAtMs, atMs)
    },
  }
}

/**
 * @returns a function that gives the penalties of this process for a clock that all its routes share, so that they
 * share them too. The clock only identifies them; time is measured by the steady clock, since the shared one may be set
 * back (FAC-17). Kept in memory.
 */
export function penaltiesOf(allowance: Allowance): (shared: object, steady?: Clock) => Penalties {
  const made = new WeakMap<object, Penalties>()
  return (shared, steady = steadyClock) => {
    const known = made.get(shared) ?? createPenalties(allowance, steady)
    made.set(shared, known)
    return known
  }
}
