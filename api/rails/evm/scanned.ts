import type { Hex } from 'viem'
import type { ScannedTransfer } from './logs.ts'

/** A block that the chain had before anything up to it was read. */
export type Mark = { number: bigint; hash: Hex }

/**
 * All transfers from `fromMs` to block `to`, oldest first and without a gap. `marks`: where ranges ended, oldest first.
 */
export type Scanned = {
  fromMs: number
  to: bigint
  found: readonly ScannedTransfer[]
  marks: readonly Mark[]
}

/** Marks kept: if the chain has replaced all of them, everything that was not final is read again. */
export const MAX_MARKS = 16

/** Transfers kept; beyond them the oldest are forgotten. About 400 bytes each. */
export const MAX_KEPT = 20_000

/**
 * Forgets everything that the chain may have replaced (CHN-04). Everything under a block that is still in the chain is
 * kept, except the newest `overlap` blocks, which are read again. If no mark is left in the chain, only what lay deeper
 * than `deepest` is kept.
 * @param head number of the newest block, which may be lower than it was.
 * @param stands the newest mark that the chain still has.
 */
export function withoutReplaced(
  { fromMs, to, found, marks }: Scanned,
  { head, stands, overlap, deepest }: { head: bigint; stands: Mark | null; overlap: bigint; deepest: bigint },
): Scanned {
  const settled = (to < head ? to : head) - deepest
  let kept = stands === null ? settled : stands.number - overlap
  if (kept < settled) kept = settled
  if (kept < -1n) kept = -1n
  return {
    fromMs,
    to: kept,
    found: found.filter(({ blockNumber }) => blockNumber <= kept),
    marks: stands === null ? [] : marks.filter(({ number }) => number <= stands.number),
  }
}

/** @param mark of the last block of the range; null: the node does not have it. */
export function withRange(
  { fromMs, found, marks }: Scanned,
  { to, found: more, mark }: { to: bigint; found: readonly ScannedTransfer[]; mark: Mark | null },
): Scanned {
  const before = marks.filter(({ number }) => number < to)
  return {
    fromMs,
    to,
    found: [...found, ...more],
    marks: mark === null ? before : [...before, mark].slice(-MAX_MARKS),
  }
}

/** Drops transfers older than `oldestMs` or beyond our bound. Whole blocks go, so that there is no gap. */
export function withoutOldest(scanned: Scanned, oldestMs: number): Scanned {
  const { fromMs, found } = scanned
  const dropped = found.at(-MAX_KEPT - 1)
  const keptMs = Math.max(fromMs, oldestMs, dropped === undefined ? 0 : dropped.atMs + 1)
  return { ...scanned, fromMs: keptMs, found: found.filter(({ atMs }) => atMs >= keptMs) }
}
