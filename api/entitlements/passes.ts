import type { Ledger } from '../ledger/ledger.ts'
import { createMeter, type Meter } from './meter.ts'

/** Passes this process has met: nobody makes us work with tokens he made up, and a known one costs no second look. */
const MAX_MET = 50_000

/** Hour passes over the ledger: taking calls, and telling ours from made-up ones. */
export function createPasses(
  ledger: Pick<Ledger, 'grant' | 'spendCalls'>,
): Meter & { isKnown(digest: string): boolean | Promise<boolean> } {
  const met = new Set<string>()
  const meter = createMeter((operation, wanted) => ledger.spendCalls('pass', operation, wanted))
  const meet = async (digest: string): Promise<boolean> => {
    if ((await ledger.grant('pass', digest)) === null) return false
    if (met.size >= MAX_MET) met.delete(met.values().next().value!)
    met.add(digest)
    return true
  }
  return { ...meter, isKnown: (digest) => met.has(digest) || meet(digest) }
}
