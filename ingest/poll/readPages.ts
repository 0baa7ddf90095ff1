import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../ops/clock.ts'
import { describeError, ServiceError } from '../../ops/errors.ts'
import { retryAfterOf } from '../../ops/http.ts'
import { PageShapeError } from '../errors.ts'
import type { Term } from '../publish.ts'
import { addDrops, type DropCounts } from '../venues/drop.ts'
import type { Page } from '../venues/venue.ts'
import { batchChanges, batchClosed } from './batches.ts'
import type { PollPorts, SweepFeed } from './feed.ts'
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
 * Reads page after page and publishes what changed. The next page is requested while this one is published, or after a
 * pause, so that a long sweep leaves room for others. Nothing of a page that raises an alarm is published.
 * @param expected pages of the newest complete sweep; null: there was none.
 */
export async function readPages(
  { port, cache, known }: Pick<SweepFeed, 'port' | 'cache'> & { known: Known },
  term: Term,
  { clock, metrics, everyMs }: PollPorts,
  { expected, signal }: { expected: number | null; signal: AbortSignal },
): Promise<Reading> {
  const { venue } = port
  const progress = new Progress()
  const free = createFreeing()
  const reading: Reading = { ...NOTHING_READ, drops: {} }
  const beganMs = performance.now()
  let workedMs = 0 //  on the previous page
  const ask = (cursor: string | null, afterMs: number) =>
    arrivalOf(clock, async () => {
      if (afterMs > 0) await sleep(afterMs, undefined, { signal })
      return port.page(cursor, clock.nowMs(), cache, signal)
    })
  for (let asked: Promise<Arrival> | null = ask(null, 0); asked !== null; ) {
    const { page, error, seenMs } = await asked
    const takenMs = performance.now()
    asked = null
    if (page === null) {
      noteFailure(reading, error, signal.aborted)
      metrics.pageErrors.inc({ venue, code: error instanceof ServiceError ? error.code : 'unknown' })
      break
    }
    const published = metrics.publishSeconds.startTimer({ venue })
    reading.problem = progress.problem(page)
    reading.pages = progress.pages
    if (reading.problem === null && page.next !== null) {
      const elapsedMs = takenMs - beganMs
      asked = ask(page.next, pauseMs({ read: reading.pages, pages: expected, elapsedMs, workedMs, everyMs }))
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
    free(page.bytes, asked === null)
    reading.changed ||= plan.changes.length > 0 || plan.closed.length > 0 || plan.clockMoved
    countChanges(metrics, venue, plan)
    if (reading.problem !== null) break
    workedMs = performance.now() - takenMs
  }
  return reading
}

const NOTHING_READ = {
  problem: null,
  reason: null,
  retryAfterMs: null,
  changed: false,
  pages: 0,
  rows: 0,
} as const satisfies Omit<Reading, 'drops'>

/** A requested page, or why it did not come. `seenMs`: market clock at its arrival, whether or not it is taken up. */
type Arrival = { seenMs: number } & ({ page: Page; error: null } | { page: null; error: unknown })

/** Never rejects: the page may fail before anything awaits it. */
const arrivalOf = (clock: Clock, ask: () => Promise<Page>): Promise<Arrival> =>
  ask().then(
    (page) => ({ page, error: null, seenMs: clock.nowMs() }),
    (error: unknown) => ({ page: null, error, seenMs: clock.nowMs() }),
  )

function noteFailure(reading: Reading, error: unknown, isOver: boolean): void {
  if (isOver) reading.problem = 'too_slow'
  else reading.problem = error instanceof PageShapeError ? 'page_shape' : 'page_failed'
  reading.reason = describeError(error)
  reading.retryAfterMs = retryAfterOf(error)
}

/**
 * Bytes of finished pages that may accumulate before they are freed. Far below what makes V8 collect the whole heap.
 */
const FREE_BYTES = 24 * 1024 * 1024

function createFreeing() {
  let unfreed = 0
  return (bytes: number, isLast: boolean): void => {
    unfreed += bytes
    if (unfreed < FREE_BYTES && !isLast) return
    freePage()
    unfreed = 0
  }
}

function countChanges({ changes }: PollPorts['metrics'], venue: string, plan: PagePlan): void {
  changes.inc({ venue, kind: 'market' }, plan.changes.filter(({ market }) => market !== null).length)
  changes.inc({ venue, kind: 'quote' }, plan.changes.filter(({ quote }) => quote !== null).length)
  changes.inc({ venue, kind: 'closed' }, plan.closed.length)
}
