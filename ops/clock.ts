import { SECOND } from './units.ts'

/**
 * Three clocks. Everything about money reads the real one; what buyers pay for by transfer is dated by the earlier of that, the
 * ledger's and the chain's. Everything about markets reads the market clock, which in a replay starts at the recording's
 * `capturedAt` and runs on at its own speed. What must last no matter who sets a clock reads the steady one.
 */
export type Clock = { nowMs(): number }

export const realClock: Clock = { nowMs: () => Date.now() }

/** Nobody sets it. From an arbitrary start, so never told or stored. */
export const steadyClock: Clock = { nowMs: () => performance.now() }

/** By it nothing is over, and nothing is younger than it is, because one of two clocks is ahead. */
export const earlierOf = (one: Clock, other: Clock): Clock => ({
  nowMs: () => Math.min(one.nowMs(), other.nowMs()),
})

//  Clocks of our processes and machines differ by less.
const MOST_APART_MS = 5 * SECOND

/** Was this stamp made by a clock that is, or was, wrong? What it says about age is nothing then (VEN-08). */
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
