import { SECOND } from './units.ts'

/**
 * Three clocks. Everything about money reads the real one, or the ledger's where that is later; windows of signed payments are judged by the later of it and the
 * chain's, purchases paid by transfer are dated by the earlier of it, the ledger's and the chain's, and the worker compares
 * what the ledger dated with the ledger's. Everything about markets reads the market clock, which in a replay starts at the
 * recording's `capturedAt` and runs at its own speed. What must last regardless of anybody setting a clock reads the steady one.
 */
export type Clock = { nowMs(): number }

export const realClock: Clock = { nowMs: () => Date.now() }

/** Nobody can set it. It counts from an arbitrary start, so its values are never shown or stored. */
export const steadyClock: Clock = { nowMs: () => performance.now() }

/** With the earlier of two clocks, one that runs ahead neither ends anything early nor makes anything look younger. */
export const earlierOf = (one: Clock, other: Clock): Clock => ({
  nowMs: () => Math.min(one.nowMs(), other.nowMs()),
})

/** With the later of two clocks, one that runs behind keeps nothing open that is over, and takes nothing for early. */
export const laterOf = (one: Clock, other: Clock): Clock => ({
  nowMs: () => Math.max(one.nowMs(), other.nowMs()),
})

//  The clocks of our processes and machines differ by less than this.
const MOST_APART_MS = 5 * SECOND

/** Whether the clock that made this stamp is, or was, wrong. The stamp then says nothing about age (VEN-08). */
export const isAhead = (atMs: number, nowMs: number): boolean => atMs - nowMs > MOST_APART_MS

/** Anchor shared by every process of one instance through the environment (`MARKET_CLOCK`). */
export type MarketClockAnchor = {
  /** Market time at the anchor, Unix ms. */
  marketMs: number
  /** Real time at the anchor, Unix ms. */
  realMs: number
  /** Market seconds per real second. 1 in live and generated worlds. */
  speed: number
}

/** @param text `marketMs:realMs:speed`, or empty for the real clock. */
export function parseMarketClock(text: string): MarketClockAnchor | null {
  if (text === '') return null
  const [marketMs, realMs, speed] = text.split(':').map(Number)
  if (![marketMs, realMs, speed].every((part) => part !== undefined && Number.isFinite(part) && part > 0))
    throw new Error('MARKET_CLOCK must be marketMs:realMs:speed, three positive numbers')
  return { marketMs: marketMs!, realMs: realMs!, speed: speed! }
}

export function marketClock(anchor: MarketClockAnchor | null, real: Clock = realClock): Clock {
  if (anchor === null) return real
  return {
    nowMs: () => Math.round(anchor.marketMs + (real.nowMs() - anchor.realMs) * anchor.speed),
  }
}
