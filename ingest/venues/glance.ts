import { checksum, type EventCache, type SeenEvent } from '../poll/eventCache.ts'
import { parseSlice, skipValue } from './jsonList.ts'
import type { ReadRaw } from './readPage.ts'
import type { Scanner } from './scan.ts'
import { type Kept, type Moving, type RawRow, type ReadEvent, rowOf, type Size } from './venue.ts'

/** How a venue's events are looked through: what moves is read, the rest only has to be as it was. */
export type Glance = {
  event: Scanner
  market: Scanner
  /** @param raw the fields that the market scanner reads. */
  moving(raw: Record<string, unknown>): Moving
}

/** A page, and what its events are looked through with. */
export type Reading = { bytes: Buffer; cache: EventCache; readRaw: ReadRaw; glance: Glance }

/**
 * The event that is expected at `from`, when of its markets nothing but what moves changed: the usual change, at a
 * fraction of what parsing it costs. What is stepped over is only balanced, as elsewhere.
 * @returns null when there is more to it; it is to be parsed then.
 * @throws PageShapeError
 */
export function glanceEvent(
  { bytes, cache, readRaw, glance }: Reading,
  from: number,
  expected: SeenEvent,
): { event: ReadEvent; end: number } | null {
  const { event, market, moving } = glance
  const rows: RawRow[] = []
  const sizes: Size[] = []
  const kept: Kept[] = []
  let isUsual = true
  //  asked only when the market changed otherwise after all, between this page and its plan
  const parsed = (marketId: string) =>
    readRaw(parseSlice(bytes, from, end)).rows.find((row) => row.marketId === marketId)
  const end = event.scan(bytes, from, (start) => {
    if (!isUsual) return skipValue(bytes, start)
    const at = sizes.length + kept.length
    const piece = expected.pieces[at]
    if (cache.holds(bytes, start, piece)) {
      kept.push({ at, piece })
      return start + piece.length
    }
    const to = market.scan(bytes, start)
    const text = to === 0 ? null : cache.textOf(piece, market.terms())
    if (text === null) {
      isUsual = false
      return to === 0 ? skipValue(bytes, start) : to
    }
    const moved = moving(market.values(bytes))
    const asParsed = () => parsed(moved.marketId)?.market() ?? { drop: 'bad_row' }
    rows.push(rowOf(moved, { drop: null, text, market: asParsed }))
    sizes.push(sizeOf(bytes, start, to, market.terms()))
    return to
  })
  if (!isUsual || end === 0 || event.terms() !== expected.terms) return null
  const { id, text, untilMs } = expected
  const size = sizeOf(bytes, from, end, expected.terms)
  return { event: { id, rows, text, untilMs, kept, sizes, ...size }, end }
}

export const sizeOf = (bytes: Buffer, from: number, to: number, terms: number): Size => ({
  crc: checksum(bytes, from, to),
  length: to - from,
  terms,
})
