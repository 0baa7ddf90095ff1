import { MINUTE } from '../../ops/units.ts'
import { type DropCounts, suspicious } from '../venues/drop.ts'
import type { Page } from '../venues/venue.ts'
import type { PagePlan } from './planPage.ts'

/**
 * Why a sweep is not complete. Changes published so far remain, but nothing is closed and freshness does not advance.
 */
export const SWEEP_PROBLEMS = [
  'page_failed', //   a page could not be read; the metric says how
  'page_shape', //    a page was JSON, but not a page
  'cursor_cycle', //  the same cursor came twice
  'no_progress', //   pages go on without anything new on them
  'page_cap', //      more pages, or events, than any listing should have
  'too_slow', //      not done within the deadline
  'unit_change', //   most prices of a page jumped at once
  'mass_refusal', //  most rows of a page were refused
  'went_back', //     most rows of a page are older than what is known: the venue's clock or cache
  'empty', //         no open market at all
  'shrunk', //        more than a tenth of what was there is gone: pages may be missing
] as const
export type SweepProblem = (typeof SWEEP_PROBLEMS)[number]

/** At this many pages a listing has about 400,000 events: it never ends by itself. */
export const MAX_PAGES = 2_000
/** The same of pages that hold more events than we asked for. */
export const MAX_EVENTS = 400_000

/** Consecutive pages without anything new that are tolerated: a page of known events may come in between. */
const IDLE_PAGES = 2

/** Below this many rows a majority says nothing. */
const JUDGED_ROWS = 8

/** After this many consecutive sweeps that miss much, the venue has really changed. */
const SHRUNK_SWEEPS = 3

/** With fewer known markets than this, or after a longer time, missing ones say nothing. */
const SHRUNK_FROM = 20
const SHRUNK_WITHIN_MS = 10 * MINUTE

/** Follows the cursors of one sweep: VEN-02. */
export class Progress {
  pages = 0
  #cursors = new Set<string>()
  #ids = new Set<string>()
  #idle = 0

  /** Call with every page in order. @returns null: go on. */
  problem(page: Page): SweepProblem | null {
    this.pages++
    const before = this.#ids.size
    for (const { id } of page.events) if (id !== '') this.#ids.add(id)
    this.#idle = this.#ids.size === before ? this.#idle + 1 : 0
    if (page.next === null) return null
    if (this.#cursors.has(page.next)) return 'cursor_cycle'
    this.#cursors.add(page.next)
    if (this.#idle >= IDLE_PAGES) return 'no_progress'
    return this.pages >= MAX_PAGES || this.#ids.size > MAX_EVENTS ? 'page_cap' : null
  }
}

/** Looked at before anything of the page is published: VEN-05. */
export function judgePage(plan: PagePlan): SweepProblem | null {
  if (plan.compared >= JUDGED_ROWS && plan.jumped * 2 > plan.compared) return 'unit_change'
  if (plan.rows >= JUDGED_ROWS && suspicious(plan.drops) * 2 > plan.rows) return 'mass_refusal'
  if (plan.rows >= JUDGED_ROWS && (plan.drops.older ?? 0) * 2 > plan.rows) return 'went_back'
  return null
}

/**
 * Looked at when all pages were read, before anything is closed: VEN-01, VEN-02. A page that is missing in the
 * middle or at the end shows only in what is gone: more than a tenth at once is not believed the first times.
 * @param gone known markets that the sweep did not show.
 * @param sinceMs age of the newest complete sweep; null: there was none.
 * @param shrunkBefore sweeps in a row before this one that were judged shrunk.
 */
export function judgeSweep({
  markets,
  gone,
  rows,
  drops,
  sinceMs,
  shrunkBefore,
}: {
  markets: number
  gone: number
  rows: number
  drops: DropCounts
  sinceMs: number | null
  shrunkBefore: number
}): SweepProblem | null {
  if (suspicious(drops) * 2 > rows) return 'mass_refusal'
  if (markets === 0) return 'empty'
  const known = markets + gone
  const recent = sinceMs !== null && sinceMs >= 0 && sinceMs <= SHRUNK_WITHIN_MS
  if (recent && known >= SHRUNK_FROM && gone * 10 > known && shrunkBefore + 1 < SHRUNK_SWEEPS) return 'shrunk'
  return null
}
