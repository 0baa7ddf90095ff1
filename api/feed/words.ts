import { FEED_TOPICS } from '../../engine/contract/feed.ts'
import type { Clock } from '../../ops/clock.ts'
import { SECOND } from '../../ops/units.ts'
import type { Feed } from './followFeed.ts'
import { type StatusWord, snapshotFrame, statusFrame, type Topic } from './frames.ts'
import { openCardsJson } from './openCards.ts'
import type { FeedStatus } from './status.ts'

/** For how long a snapshot is given to all who begin at the same event. */
const SNAPSHOT_MS = 1 * SECOND

/**
 * What every reader is told of the data's age, and of what is open: made once for all of them. No snapshot is made from
 * a newer status than the current word.
 */
export function createWords({ status, steady }: { status(): FeedStatus; steady: Clock }) {
  const wordOf = (now: FeedStatus): StatusWord => ({
    frame: statusFrame(now),
    stale: now.staleVenues.join(),
  })
  let word = wordOf(status())
  let snapshots = { of: null as Feed | null, id: '', madeMs: 0, byTopics: new Map<string, StatusWord>() }

  return {
    word: (): StatusWord => word,
    /** To be called once a second. */
    renew(): void {
      word = wordOf(status())
    },
    /** After a stale word the status is looked at again before the next one is said. */
    hearThatFresh(): void {
      if (word.stale !== '') word = wordOf(status())
    },
    snapshot(from: Feed, topics: ReadonlySet<Topic>): StatusWord {
      const { lastId } = from.log
      const nowMs = steady.nowMs()
      if (snapshots.of !== from || snapshots.id !== lastId || nowMs - snapshots.madeMs > SNAPSHOT_MS)
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
    },
  }
}
