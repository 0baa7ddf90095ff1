import type { Venue } from '../contract/market.ts'
import type { Change } from './planPage.ts'

/**
 * One entry of the stream and what it changes in the newest state. publish.lua joins the parts, so that the
 * text of a market crosses to Redis once for both.
 */
export type Batch = {
  head: string //          the entry up to its markets; the whole entry when `rows` is empty
  tail: string //          the entry after its quotes
  rows: BatchRow[]
  remove: string[] //      ids to take out of the newest state
}

/** JSON of what is news, '' for what is as it was published. */
export type BatchRow = { marketId: string; market: string; quote: string }

/** A batch holds at most this many markets and about this many bytes, in the stream and in the newest state. */
export const MAX_ROWS = 512
export const MAX_BYTES = 1024 * 1024

/** Cuts changes into batches. A single market is far below MAX_BYTES by the contract's own bounds. */
export function batchChanges(venue: Venue, changes: Change[]): Batch[] {
  const batches: Batch[] = []
  let from = 0
  let bytes = 0
  for (let at = 0; at < changes.length; at++) {
    const { market, quote } = changes[at]!
    const size = (market === null ? 0 : Buffer.byteLength(market)) + (quote?.length ?? 0)
    if (at - from === MAX_ROWS || bytes + size > MAX_BYTES) {
      batches.push(changesBatch(venue, changes.slice(from, at)))
      from = at
      bytes = 0
    }
    bytes += size
  }
  if (from < changes.length) batches.push(changesBatch(venue, changes.slice(from)))
  return batches
}

export function batchClosed(venue: Venue, closed: string[]): Batch[] {
  const batches: Batch[] = []
  for (let from = 0; from < closed.length; from += MAX_ROWS) {
    const ids = closed.slice(from, from + MAX_ROWS)
    const head = `${changesHead(venue)},"markets":[],"quotes":[],"closed":${JSON.stringify(ids)}}`
    batches.push({ head, tail: '', rows: [], remove: ids })
  }
  return batches
}

const changesHead = (venue: Venue): string => `{"kind":"changes","venue":"${venue}"`

function changesBatch(venue: Venue, changes: Change[]): Batch {
  const rows = changes.map(
    ({ marketId, market, quote }): BatchRow => ({ marketId, market: market ?? '', quote: quote ?? '' }),
  )
  return { head: changesHead(venue), tail: '"closed":[]}', rows, remove: [] }
}
