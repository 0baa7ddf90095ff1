import type { IndexedEvent } from './eventIndex.ts'
import type { Fingerprint } from './fingerprint.ts'
import { inStep } from './wholes.ts'

//  Two events with at most this many combinations of outcomes are compared all against all.
const SMALL = 48
//  Partners looked at per outcome, best first.
const MOST_PARTNERS = 12

/**
 * Finds outcomes of an event, and of those proposed for it, that may be the same: those that share what distinguishes
 * an outcome from its siblings (a name, a threshold, a deadline). Calls `meet` once for each such couple.
 */
export function matchOutcomes(
  own: readonly Fingerprint[],
  others: readonly IndexedEvent[],
  meet: (own: Fingerprint, other: Fingerprint) => void,
): void {
  let keys: (string | number)[][] | null = null
  for (const other of others) {
    if (own.length * other.markets.length <= SMALL) {
      for (const x of own) for (const y of other.markets) meet(x, y)
      continue
    }
    keys ??= own.map(outcomeKeys)
    other.telling ??= telling(other)
    for (let at = 0; at < own.length; at++) {
      const votes = new Map<Fingerprint, number>()
      for (const key of keys[at]!)
        for (const y of other.telling.get(key) ?? []) votes.set(y, (votes.get(y) ?? 0) + 1)
      const best =
        votes.size <= MOST_PARTNERS
          ? [...votes.keys()]
          : [...votes]
              .sort(([, x], [, y]) => y - x)
              .slice(0, MOST_PARTNERS)
              .map(([y]) => y)
      for (const y of best) meet(own[at]!, y)
    }
  }
}

//  Longest threshold that is converted to steps: lines, scores, seats and shares are short; prices do not come in
//  steps.
const LONGEST_STEP = 6

/** Keys that few of an event's outcomes have, each with those outcomes. */
function telling(event: IndexedEvent): Map<string | number, Fingerprint[]> {
  const places = new Map<string | number, Fingerprint[]>()
  for (const market of event.markets)
    for (const key of outcomeKeys(market)) {
      const known = places.get(key)
      if (known === undefined) places.set(key, [market])
      else known.push(market)
    }
  const many = Math.max(3, event.markets.length / 4)
  for (const [key, markets] of places) if (markets.length > many) places.delete(key)
  return places
}

function outcomeKeys(market: Fingerprint): (string | number)[] {
  const keys: (string | number)[] = [...market.core, ...market.facts]
  //  "above 89" here may be "90 or more" there, "over 27.5" "28+"
  for (const fact of market.facts)
    if ((fact.startsWith('>') || fact.startsWith('<')) && fact.length <= LONGEST_STEP)
      keys.push(inStep(fact, fact.endsWith('%') ? 'tenths' : 'ones'))
  if (market.timing.limit !== null) keys.push(`d${market.timing.limit.day}`)
  if (market.unnamed && market.ticker?.suffix != null) keys.push(`s${market.ticker.suffix[0]}`)
  if (market.venue === 'a')
    for (const word of market.market.title.split(' ').slice(1, 4))
      if (word !== '') keys.push(`s${word[0]!.toUpperCase()}`)
  return keys
}
