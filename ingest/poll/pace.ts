/** Share of the time between two sweeps over which a long one is spread. */
const SPREAD = 0.7
/** Longest pause, as a multiple of the work on the page before: a short sweep stays short. */
const REST = 12

/** How far a sweep has come. */
export type Pace = {
  read: number //           pages
  pages: number | null //   in the newest complete sweep; null: not known
  elapsedMs: number //      since its first page was asked for
  workedMs: number //       on the previous page
  everyMs: number //        between the starts of two sweeps
}

/**
 * How long to wait after a page has arrived before asking for the next one. Read as fast as they come, the pages of all
 * markets occupy the processor for seconds, and changes wait that long until other processes have taken them over;
 * spread out, a change is published a moment after its page. A sweep that is late does not wait at all.
 */
export function pauseMs({ read, pages, elapsedMs, workedMs, everyMs }: Pace): number {
  if (pages === null || pages === 0) return 0
  const dueMs = (SPREAD * everyMs * read) / pages
  return Math.max(0, Math.min(dueMs - elapsedMs, REST * workedMs))
}
