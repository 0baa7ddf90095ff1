import { DAY } from '../../../units.ts'

/**
 * When the events of one slot follow each other. Generation g is listed from the end of g-1, traded until
 * `decideMs(g)`, and gone (the next one appears) `settleMs` later. Computed, never stored: any instant,
 * past or future, has exactly one generation.
 */
export type Cadence =
  | { every: 'ms'; periodMs: number; alignMs: number; settleMs: number }
  | { every: 'months'; months: number; phase: number; day: number; atMs: number; settleMs: number }

/** Generation 0 of every slot is around this time. */
const EPOCH_MS = Date.UTC(2016, 0, 1)
const EPOCH_MONTH = 2016 * 12

/** @param alignMs decide times are EPOCH + alignMs + whole periods. */
export const everyMs = (periodMs: number, alignMs: number, settleMs: number): Cadence => ({
  every: 'ms',
  periodMs,
  alignMs: alignMs % periodMs,
  settleMs,
})

/** @param day of the month, and `atMs` after its UTC midnight: the time of decision. */
export const everyMonths = (
  months: number,
  phase: number,
  day: number,
  atMs: number,
  settleMs = DAY,
): Cadence => ({ every: 'months', months, phase: phase % months, day, atMs, settleMs })

/** When the outcome of generation g is known, Unix ms. */
export function decideMs(cadence: Cadence, g: number): number {
  if (cadence.every === 'ms') return EPOCH_MS + cadence.alignMs + g * cadence.periodMs
  const month = EPOCH_MONTH + cadence.phase + g * cadence.months
  return Date.UTC(Math.floor(month / 12), ((month % 12) + 12) % 12, cadence.day) + cadence.atMs
}

/** The generation listed at an instant: the first one that has not ended. */
export function generationAt(cadence: Cadence, nowMs: number): number {
  let g: number
  if (cadence.every === 'ms')
    g = Math.floor((nowMs - EPOCH_MS - cadence.alignMs - cadence.settleMs) / cadence.periodMs)
  else {
    const date = new Date(nowMs)
    const month = date.getUTCFullYear() * 12 + date.getUTCMonth()
    g = Math.floor((month - EPOCH_MONTH - cadence.phase) / cadence.months) - 1
  }
  while (nowMs >= endMs(cadence, g)) g++
  return g
}

export const endMs = (cadence: Cadence, g: number): number => decideMs(cadence, g) + cadence.settleMs
export const openMs = (cadence: Cadence, g: number): number => endMs(cadence, g - 1)
