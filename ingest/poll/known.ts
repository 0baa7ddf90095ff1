import type { Quote } from '../contract/quote.ts'

/**
 * What we remember of every open market of one venue to see whether it changed: about 300 bytes each, so
 * 100,000 markets take some 30 MB. The texts themselves are in Redis only. One object a market for as long as
 * it is listed: others may hold on to it.
 */
export type KnownMarket = {
  figures: string | null // of the raw row; null when loaded from Redis, where raw rows are not kept
  text: string | null //    the same
  market: string //         digest of the market's JSON
  quote: string //          figures of the quote
  yesBps: number | null //  mid, else last trade: for the unit-change alarm
  venueMs: number | null
  sweepId: number //        newest sweep that showed it
  gone: boolean //          no longer among the known; whoever still holds it must let go
}
export type Known = Map<string, KnownMarket>

/** Everything of a quote that is news. The two clocks are not: a quote seen again is the same quote. */
export function quoteFigures(quote: Quote): string {
  return [
    quote.bidBps,
    quote.askBps,
    quote.bidSize,
    quote.askSize,
    quote.lastBps,
    quote.previousBps,
    quote.changeHourBps,
    quote.changeDayBps,
    quote.changeWeekBps,
    quote.volume24h,
  ].join('|')
}

export function yesBps(quote: Quote): number | null {
  const { bidBps, askBps, lastBps } = quote
  return bidBps !== null && askBps !== null ? (bidBps + askBps) / 2 : lastBps
}
