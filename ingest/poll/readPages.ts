import { setTimeout as sleep } from 'node:timers/promises'
import { describeError, ServiceError } from '../../ops/errors.ts'
import { retryAfterOf } from '../../ops/http.ts'
import { PageShapeError } from '../errors.ts'
import type { Term } from '../publish.ts'
import { addDrops, type DropCounts } from '../venues/drop.ts'
import type { Page, VenuePort } from '../venues/venue.ts'
import { batchChanges, batchClosed } from './batches.ts'
import type { EventCache } from './eventCache.ts'
import type { PollPorts } from './feed.ts'
import { freePage } from './freePage.ts'
import { judgePage, Progress, type SweepProblem } from './judge.ts'
import type { Known } from './known.ts'
import { pauseMs } from './pace.ts'
import { commitPage, type PagePlan, planPage } from './planPage.ts'

/** What reading all pages of a venue came to. */
export type Reading = {
  problem: SweepProblem | null
  reason: string | null //      of a failed read, for the log
  retryAfterMs: number | null
  changed: boolean
  pages: number
  rows: number
  drops: DropCounts
}

/**
 * Reads page after page and publishes what changed; the next page is on its way while this one is published, or is waited
 * with, so that a long sweep leaves others their turn. Nothing of a page that raises an alarm is published.
 * @param expected pages of the newest complete sweep; null: there was none.
 */
export async function readPages(
  port: VenuePort,
  known: Known,
  cache: EventCache,
  term: Term,
  { clock, metrics, everyMs }: PollPorts,
  { expected, signal }: { expected: number | null; signal: AbortSignal },
): Promise<Reading> {
  const { venue } = port
  const progress = new Progress()
  const reading: Reading = {
    problem: null,
    reason: null,
    retryAfterMs: null,
    changed: false,
    pages: 0,
    rows: 0,
    drops: {},
  }
  let unfreed = 0 //  bytes of pages that are read and done with
  const beganMs = performance.now()
  let workedMs = 0 //  on the page before
  const ask = async (cursor: string | null, afterMs = 0) => {
    if (afterMs > 0) await sleep(afterMs, undefined, { signal })
    return port.page(cursor, clock.nowMs(), cache, signal)
  }
  for (let next: Promise<Settled> | null = settled(ask(null)); next !== null; ) {
    const { page, error } = await next
    const arrivedMs = performance.now()
    next = null
    if (page === null) {
      reading.problem = signal.aborted
        ? 'too_slow'
        : error instanceof PageShapeError
          ? 'page_shape'
          : 'page_failed'
      reading.reason = describeError(error)
      reading.retryAfterMs = retryAfterOf(error)
      metrics.pageErrors.inc({ venue, code: error instanceof ServiceError ? error.code : 'unknown' })
      break
    }
    const published = metrics.publishSeconds.startTimer({ venue })
    const seenMs = clock.nowMs()
    reading.problem = progress.problem(page)
    reading.pages = progress.pages
    if (reading.problem === null && page.next !== null) {
      const elapsedMs = arrivedMs - beganMs
      const afterMs = pauseMs({ read: reading.pages, pages: expected, elapsedMs, workedMs, everyMs })
      next = settled(ask(page.next, afterMs))
    }
    const plan = planPage(known, page, term.term, seenMs)
    reading.rows += plan.rows
    addDrops(reading.drops, plan.drops)
    metrics.pages.inc({ venue })
    metrics.rows.inc({ venue }, plan.rows)
    const alarm = judgePage(plan)
    if (alarm !== null) {
      reading.problem = alarm
      break
    }
    for (const batch of batchChanges(venue, plan.changes)) await term.publish(batch)
    for (const batch of batchClosed(venue, plan.closed)) await term.publish(batch)
    commitPage(known, page, plan, term.term, cache)
    published()
    unfreed += page.bytes
    if (unfreed >= FREE_BYTES || next === null) {
      freePage()
      unfreed = 0
    }
    reading.changed ||= plan.changes.length > 0 || plan.closed.length > 0 || plan.clockMoved
    countChanges(metrics, venue, plan)
    if (reading.problem !== null) break
    workedMs = performance.now() - arrivedMs
  }
  return reading
}

/** So much may lie about. Far below what makes the heap look through everything it holds. */
const FREE_BYTES = 8 * 1024 * 1024

type Settled = { page: Page; error: null } | { page: null; error: unknown }

const settled = (promise: Promise<Page>): Promise<Settled> =>
  promise.then(
    (page) => ({ page, error: null }),
    (error: unknown) => ({ page: null, error }),
  )

function countChanges({ changes }: PollPorts['metrics'], venue: string, plan: PagePlan): void {
  changes.inc({ venue, kind: 'market' }, plan.changes.filter(({ market }) => market !== null).length)
  changes.inc({ venue, kind: 'quote' }, plan.changes.filter(({ quote }) => quote !== null).length)
  changes.inc({ venue, kind: 'closed' }, plan.closed.length)
}
