import { DAY } from '../units.ts'
import type { KeptSale } from './kept/sales.ts'
import type { Service } from './listing.ts'
import { type BadOutcome, OUTCOMES, type Outcome } from './outcomes.ts'

/**
 * What becomes of one listed read. `not_due`: bought lately; `too_dear`: above the limit of a purchase; `left`: not
 * tried, since an earlier purchase showed that nothing can be bought now.
 */
export type Look = {
  path: string
  sku: string
  priceUsdc: number
  lastAt: string | null //      ISO 8601, of the newest kept purchase with money
  outcome: Outcome | 'due' | 'not_due' | 'too_dear' | 'left'
  message: string | null
  attestationId: string | null
}

/** What a canary will do with each read, the cheapest first, before anything is bought. */
export function looksAt(
  services: readonly Service[],
  sales: readonly KeptSale[],
  { base, nowMs, days, callMicro }: { base: string; nowMs: number; days: number; callMicro: bigint },
): Look[] {
  const lastAt = lastPurchases(sales, base)
  return services
    .map(({ path, sku, priceUsdc }): Look => {
      const last = lastAt.get(path) ?? null
      const isDue = last === null || nowMs - Date.parse(last) >= days * DAY
      const isDear = Math.round(priceUsdc * 1e6) > Number(callMicro)
      const outcome = !isDue ? 'not_due' : isDear ? 'too_dear' : 'due'
      return { path, sku, priceUsdc, lastAt: last, outcome, message: null, attestationId: null }
    })
    .sort((x, y) => x.priceUsdc - y.priceUsdc)
}

/** The newest purchase of each path. Money only: credit that is spent settles nothing on chain. */
function lastPurchases(sales: readonly KeptSale[], base: string): Map<string, string> {
  const newest = new Map<string, string>()
  for (const { at, url, paidWith } of sales) {
    const { origin, pathname } = new URL(url)
    if (origin !== base || paidWith !== 'payment') continue
    if (at > (newest.get(pathname) ?? '')) newest.set(pathname, at)
  }
  return newest
}

/** After one of these nothing else can be bought either. */
const ENDS: ReadonlySet<Outcome> = new Set(['unreachable', 'failed', 'interrupted'])
export const endsAll = (outcome: Outcome): boolean => ENDS.has(outcome)

/** Gravest first: outcomes where money may be lost, then where none moved, then where none was asked for. */
const GRAVEST: readonly BadOutcome[] = [
  'failed',
  'unknown',
  'unverified',
  'payment_refused',
  'interrupted',
  'unreachable',
  'used_up',
  'usage',
  'refused',
]

const isOutcome = (outcome: Look['outcome']): outcome is Outcome => outcome in OUTCOMES

/** How the run ended as a whole: as its gravest purchase ended. */
export function endOf(looks: readonly Look[]): { outcome: Outcome; message: string | null } {
  const ended = looks.filter((look) => isOutcome(look.outcome))
  const bad = ended.filter(({ outcome }) => outcome !== 'bought')
  if (bad.length === 0) return { outcome: ended.length === 0 ? 'done' : 'bought', message: null }
  const gravest = bad.sort((x, y) => rank(x) - rank(y))[0]!
  return {
    outcome: gravest.outcome as BadOutcome,
    message: `${bad.length} of ${ended.length} went wrong, among them ${gravest.path}: ${gravest.message ?? gravest.outcome}`,
  }
}

const rank = ({ outcome }: Look): number => GRAVEST.indexOf(outcome as BadOutcome)
