import type { Market } from '../../../ingest/contract/market.ts'

/** Clauses that pay something else than yes or no when the world does not go as planned. */
const CLAUSES = [
  /\b(?:postpon|reschedul|suspend)/i,
  /\b(?:cancel|abandon|forfeit|walkover|no contest)/i,
  /\b50\s?[-–/]\s?50\b|\bfifty[- ]fifty\b|\bfair (?:market )?(?:price|value)\b|\blast traded price\b/i,
]

//  Texts are up to 8,000 characters and change rarely: read once for each version of a market.
const known = new WeakMap<Market, number>()

/** Which clauses a contract text has, one bit each. */
function clausesOf(market: Market): number {
  let bits = known.get(market)
  if (bits === undefined) {
    bits = CLAUSES.reduce((all, clause, at) => (clause.test(market.rules) ? all | (1 << at) : all), 0)
    known.set(market, bits)
  }
  return bits
}

/** Do the two contract texts provide for different cases? False when either text is missing. */
export function carveOutsDiffer(a: Market, b: Market): boolean {
  return a.rules !== '' && b.rules !== '' && clausesOf(a) !== clausesOf(b)
}
