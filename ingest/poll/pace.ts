/** Share of the time between two sweeps over which a long one is spread. */
const SPREAD = 0.7
/** Longest pause, in times what the page before it took us: a short sweep stays short. */
const REST = 12

/** How far a sweep has come. */
export type Pace = {
  read: number //           pages
  pages: number | null //   there were in the newest complete sweep; null: not known
  elapsedMs: number //      since its first page was asked for
  workedMs: number //       on the page before
  everyMs: number //        between the starts of two sweeps
}

/**
 * How long to wait after a page has arrived until the next one is asked for. Read as fast as they come, the pages of a whole
 * universe keep the processor for seconds, and what was found waits as long until others have taken it over; spread, a
 * change is out a moment after its page. Behind its time a sweep does not wait at all.
 */
export function pauseMs({ read, pages, elapsedMs, workedMs, everyMs }: Pace): number {
  if (pages === null || pages === 0) return 0
  const dueMs = (SPREAD * everyMs * read) / pages
  return Math.max(0, Math.min(dueMs - elapsedMs, REST * workedMs))
}
