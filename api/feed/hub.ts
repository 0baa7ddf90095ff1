import { FEED_TOPICS } from '../../engine/contract/feed.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { SECOND } from '../../ops/units.ts'
import { isProblem, PROBLEMS, type Problem } from '../errors.ts'
import type { Admitted, Door } from './access.ts'
import type { Feed } from './followFeed.ts'
import { refusalFrame, type StatusWord, snapshotFrame, statusFrame, type Topic } from './frames.ts'
import { openCardsJson } from './openCards.ts'
import { createReader, type Reader, type Transport } from './reader.ts'
import type { FeedStatus } from './status.ts'
import type { StreamId } from './streamId.ts'

/** Streams at once: of one token, and of this process. Who opens more is told to come back later. */
export const STREAMS_PER_TOKEN = 20
export const STREAMS_MAX = 5_000

const LOOK_MS = 1 * SECOND
const LOOKS_PER_HEARTBEAT = 15
const LOOKS_PER_CHECK = 60
const RETRY_S = 10

/** What a reader asks for. `afterId` null: begin with what is open. */
export type Subscription = { topics: ReadonlySet<Topic>; afterId: StreamId | null }

type Held = { reader: Reader; token: string; admitted: Admitted; topics: ReadonlySet<Topic>; looks: number }

/** All streaming readers of this process. Each event is serialised before it comes here; this only hands it on. */
export function createHub({
  feed,
  status,
  door,
  clock,
  metrics,
}: {
  feed(): Feed | null
  status(): FeedStatus
  door: Door
  clock: Clock
  metrics: Metrics
}) {
  const streams = metrics.gauge('feed_streams', 'Readers of the feed that stream now')
  const sentAway = metrics.counter('feed_sent_away_total', 'Streams that we ended, by reason', ['why'])
  const readers = new Set<Held>()
  const perToken = new Map<string, number>()
  const expired = refusalFrame('expired', PROBLEMS.feed_token_expired.next)
  const revoked = refusalFrame('revoked', PROBLEMS.feed_token_unknown.next)
  const wordOf = (now: FeedStatus): StatusWord => ({
    frame: statusFrame(now),
    stale: now.staleVenues.join(),
  })
  let snapshots = { of: null as Feed | null, id: '', madeMs: 0, byTopics: new Map<string, StatusWord>() }
  let word = wordOf(status()) //  made each second; no snapshot is made from a newer status than this

  /** Made once for all who begin at the same event within a second. */
  const snapshot = (from: Feed, topics: ReadonlySet<Topic>): StatusWord => {
    const { lastId } = from.log
    const nowMs = clock.nowMs()
    if (snapshots.of !== from || snapshots.id !== lastId || nowMs - snapshots.madeMs > LOOK_MS)
      snapshots = { of: from, id: lastId, madeMs: nowMs, byTopics: new Map() }
    const wanted = FEED_TOPICS.filter((topic) => topics.has(topic))
    const key = wanted.join()
    const held = snapshots.byTopics.get(key)
    if (held !== undefined) return held
    const now = status()
    word = wordOf(now)
    const frame = snapshotFrame(lastId, { status: now, openCardsJson: openCardsJson(from.open, wanted) })
    const made = { frame, stale: word.stale }
    snapshots.byTopics.set(key, made)
    return made
  }

  const release = (held: Held) => {
    if (!readers.delete(held)) return
    const left = (perToken.get(held.admitted.key) ?? 1) - 1
    if (left === 0) perToken.delete(held.admitted.key)
    else perToken.set(held.admitted.key, left)
    streams.set(readers.size)
  }

  const recheck = async ({ token, reader }: Held) => {
    const answer = await door.admitToken(token)
    if (isProblem(answer) && answer.problem === 'feed_token_unknown') reader.leave('revoked', revoked)
  }

  const look = () => {
    word = wordOf(status())
    for (const held of readers) {
      const { reader } = held
      reader.look(expired)
      held.looks++
      if (held.looks % LOOKS_PER_HEARTBEAT === 0) reader.heartbeat()
      if (held.looks % LOOKS_PER_CHECK === 0) void recheck(held)
    }
  }
  const timer = setInterval(look, LOOK_MS)

  return {
    count: () => readers.size,

    /** A problem while there is no room, or nothing to tell yet. */
    refuse({ key }: Admitted): Problem | null {
      if (feed() === null) return { problem: 'feed_unavailable', retryAfterS: 2 }
      if (readers.size >= STREAMS_MAX) return { problem: 'busy', retryAfterS: RETRY_S }
      return (perToken.get(key) ?? 0) >= STREAMS_PER_TOKEN
        ? { problem: 'too_many_streams', retryAfterS: RETRY_S }
        : null
    },

    /** After `refuse` said null, in the same turn. */
    join(
      { token, admitted, topics, afterId }: Subscription & { token: string; admitted: Admitted },
      transport: Transport,
    ): { leave(): void } {
      const from = feed()!
      const nowMs = () => clock.nowMs()
      const counted: Transport = {
        ...transport,
        end(why) {
          sentAway.inc({ why })
          transport.end(why)
        },
      }
      const { expiresMs } = admitted
      const reader = createReader({ transport: counted, topics, expiresMs, word: () => word, nowMs })
      const held: Held = { reader, token, admitted, topics, looks: 0 }
      readers.add(held)
      perToken.set(admitted.key, (perToken.get(admitted.key) ?? 0) + 1)
      streams.set(readers.size)
      const leave = () => {
        reader.stop()
        release(held)
      }
      transport.outlet.onClosed(leave)
      reader.begin(from, afterId, () => snapshot(from, topics))
      return { leave }
    },

    pumpAll() {
      for (const { reader } of readers) reader.pump()
    },

    resetAll() {
      const from = feed()!
      for (const { reader, topics } of readers) reader.reset(from, snapshot(from, topics))
    },

    stop: () => clearInterval(timer),
  }
}

export type Hub = ReturnType<typeof createHub>
