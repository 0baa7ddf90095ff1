import type { Market } from '../../../ingest/contract/market.ts'

/** The ticker of a total or a spread, with the number it ends in. */
const COUNTED = /^KX[A-Z0-9]*(?:TOTAL|SPREAD)S?-.*?(\d+)$/
const LINE = /\bover (\d+\.5)\b/i

/**
 * Do the ticker and the text of a market state different lines? KXMLBTOTAL-…-9 counts the nine that "over 8.5" needs,
 * as every recorded line with threshold fields does. Where it ends in the 8, it is unknown which of the two is meant:
 * such lines were checked, and matched none of the other venue's. Asked only where no fields of the venue settle it.
 */
export function isOffLine({ venue, marketId, title, outcome, strike }: Market): boolean {
  if (venue !== 'b' || strike !== null) return false
  const counted = COUNTED.exec(marketId)?.[1]
  if (counted === undefined) return false
  const line = LINE.exec(outcome ?? '')?.[1] ?? LINE.exec(title)?.[1]
  return line !== undefined && Number(counted) !== Number(line) + 0.5
}
