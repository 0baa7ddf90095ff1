import type { Redis } from 'ioredis'
import { MINUTE } from '../../ops/units.ts'
import type { Sweep } from '../contract/stream.ts'
import { SupersededError } from '../errors.ts'
import { LEASE_MS, type Term } from '../publish.ts'
import { batchClosed } from './batches.ts'
import { coolDown, isCooling } from './coolDown.ts'
import type { PollPorts, SweepFeed } from './feed.ts'
import { judgeSweep, type SweepProblem } from './judge.ts'
import type { Known } from './known.ts'
import { loadKnown } from './loadKnown.ts'
import { readPages } from './readPages.ts'

/** The data of a sweep slower than this is no longer fresh. */
const DEADLINE_MS = 5 * MINUTE

export type SweepOutcome = 'complete' | 'busy' | 'cooling' | 'superseded' | 'stopped' | SweepProblem

/**
 * One job: reads all pages of a venue, publishes what changed page by page, and at the end what is gone and
 * the sweep itself. Safe to run twice and side by side: only the newest term publishes. Afterwards the feed rests: whoever
 * runs the job keeps it or leaves it to others (turns.ts), and nobody gets in between.
 * @throws when Redis fails; what is known is then loaded again.
 */
export async function sweepVenue(
  feed: SweepFeed,
  ports: PollPorts & { redis: Redis },
  stop: AbortSignal,
): Promise<SweepOutcome> {
  if (isCooling(feed)) return 'cooling'
  const { venue } = feed.port
  const term = await ports.publisher.begin(`sweep:${venue}`, venue)
  if (term === null) return 'busy'
  const over = new AbortController() //  a page still on its way when the sweep ends is given up
  const signal = AbortSignal.any([stop, over.signal, AbortSignal.timeout(DEADLINE_MS)])
  const renewal = setInterval(() => term.renew().catch(() => undefined), LEASE_MS / 3)
  try {
    if (feed.known === null || !term.continues) await reload(feed, ports.redis)
    return await runSweep({ feed, known: feed.known!, term, ports }, { stop, signal })
  } catch (error) {
    feed.known = null //  only Redis knows what was published and what was not
    if (error instanceof SupersededError) return 'superseded'
    throw error
  } finally {
    clearInterval(renewal)
    over.abort()
    await term.rest().catch(() => undefined)
  }
}

async function reload(feed: SweepFeed, redis: Redis): Promise<void> {
  const { known, newest } = await loadKnown(redis, feed.port.venue)
  feed.known = known
  feed.cache.clear()
  if (newest?.sweepId !== feed.complete?.sweepId) feed.shrunk = 0 //  another process has seen all of it since
  feed.complete = newest
  feed.changedMs = newest?.changedMs ?? null
}

type Running = { feed: SweepFeed; known: Known; term: Term; ports: PollPorts }

/**
 * Runs until `stop`, which ends this process, or `signal`, which also fires at the deadline or when the sweep is over.
 */
async function runSweep(
  { feed, known, term, ports }: Running,
  { stop, signal }: { stop: AbortSignal; signal: AbortSignal },
): Promise<SweepOutcome> {
  const { clock, metrics, log } = ports
  const { venue } = feed.port
  const startedMs = clock.nowMs()
  const done = metrics.sweepSeconds.startTimer({ venue })
  if (await feed.port.prepare(startedMs, signal)) feed.cache.clear()
  if (known.compact()) feed.cache.clear()
  feed.cache.begin(term.term, known, startedMs)
  const expected = feed.complete?.pages ?? null
  const read = await readPages({ ...feed, known }, term, ports, { expected, signal })
  if (stop.aborted) return 'stopped'
  let { problem, changed } = read
  const { rows, drops } = read
  const gone = known.notSeenIn(term.term)
  const markets = known.size - gone.length
  const sinceMs = feed.complete === null ? null : startedMs - feed.complete.startedMs
  problem ??= judgeSweep({ markets, gone: gone.length, rows, drops, sinceMs, shrunkBefore: feed.shrunk })
  if (problem === null) {
    for (const batch of batchClosed(venue, gone)) await term.publish(batch)
    for (const marketId of gone) known.delete(marketId)
    metrics.changes.inc({ venue, kind: 'closed' }, gone.length)
    changed ||= gone.length > 0
  }
  feed.cache.end(problem === null)
  if (changed || feed.changedMs === null) feed.changedMs = startedMs
  const sweep: Sweep = {
    venue,
    sweepId: term.term,
    startedMs,
    finishedMs: clock.nowMs(),
    changedMs: feed.changedMs,
    complete: problem === null,
    markets,
    pages: read.pages,
    dropped: drops,
    ...(problem === null ? {} : { problem }),
  }
  await term.publishSweep(sweep)
  done()
  settle(feed, sweep, problem, read.retryAfterMs, ports)
  for (const [reason, count] of Object.entries(drops)) metrics.dropped.inc({ venue, reason }, count)
  metrics.sweeps.inc({ venue, outcome: problem ?? 'complete' })
  if (problem !== null)
    log.warn({ venue, problem, pages: read.pages, reason: read.reason }, 'sweep incomplete')
  return problem ?? 'complete'
}

/** After a sweep: when the next one may begin, and what the operator sees. */
function settle(
  feed: SweepFeed,
  sweep: Sweep,
  problem: SweepProblem | null,
  retryAfterMs: number | null,
  { metrics, random = Math.random }: PollPorts,
): void {
  const { venue } = sweep
  metrics.changedAt.set({ venue }, sweep.changedMs)
  feed.shrunk = problem === 'shrunk' ? feed.shrunk + 1 : 0
  if (problem === null) {
    feed.failures = 0
    feed.complete = sweep
    metrics.markets.set({ venue }, sweep.markets)
    metrics.completeAt.set({ venue }, sweep.startedMs)
    return
  }
  if (problem === 'unit_change') feed.known = null //  a person accepts the new unit in Redis: it is read again
  coolDown(feed, retryAfterMs, random())
}
