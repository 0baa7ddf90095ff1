import { checksum, type EventCache, type SeenEvent } from '../poll/eventCache.ts'
import { parseSlice, skipValue } from './jsonList.ts'
import type { ReadRaw } from './readPage.ts'
import type { Scanner } from './scan.ts'
import { type Kept, type Moving, type RawRow, type ReadEvent, rowOf, type Size } from './venue.ts'

/** How a venue's events are scanned: moving fields are read, all others only have to be unchanged. */
export type Glance = {
  event: Scanner
  market: Scanner
  /** @param raw the fields that the market scanner reads. */
  moving(raw: Record<string, unknown>): Moving
}

/** A page, and what its events are looked through with. */
export type Reading = { bytes: Buffer; cache: EventCache; readRaw: ReadRaw; glance: Glance }

/**
 * Reads the event expected at `from` if only moving fields of its markets changed: the usual change, at a fraction of
 * the cost of parsing it. In what is skipped only the brackets are checked, as elsewhere.
 * @returns null when more changed and the event has to be parsed.
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
  //  called only if the market's text turns out to have changed after all, between this page and its plan
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
