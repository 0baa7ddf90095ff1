import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { FEED_MAX_EVENTS } from '../../engine/contract/feed.ts'
import { type Clock, steadyClock } from '../../ops/clock.ts'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { endReads, storeNowMs } from '../../ops/redis.ts'
import { FeedLog } from './feedLog.ts'
import { readBase, readOn, type StoredEvent, waitForMore } from './feedStore.ts'
import { eventFrame } from './frames.ts'
import { fold, type OpenCards } from './openCards.ts'
import { BEFORE_ALL, compareIds } from './streamId.ts'

const BLOCK_MS = 5_000
const RETRY_MS = 500

/** What this process knows of the feed. Replaced by a new object when places in the log have become meaningless. */
export type Feed = { log: FeedLog; open: OpenCards }

/**
 * The only reader of the feed's stream in this process: reads what is open and what is retained, then what comes. When
 * the store lost events that readers have, or trimmed some that we have not seen, it starts over (`onReset`).
 * @param reader a connection of its own: it blocks.
 */
export function followFeed({
  reader,
  steady = steadyClock,
  log,
  onEvents,
  onReset,
}: {
  reader: Redis
  steady?: Clock
  log: Log
  onEvents(): void
  onReset(): void
}): {
  feed(): Feed | null
  /** The store's clock: its last reading, advanced by a clock that nobody sets. There is one whenever there is a feed. */
  storeMs(): number
  stop(): Promise<void>
} {
  let feed: Feed | null = null
  let aheadMs = 0 // the store's clock minus our steady one, when last read
  let stopped = false
  let unreadable = false

  const take = ({ log: held, open }: Feed, events: readonly StoredEvent[], folds: boolean) => {
    for (const { id, event } of events) {
      if (event !== null) {
        held.append(eventFrame(id, event))
        if (folds) fold(open, event)
      } else if (!unreadable) {
        unreadable = true
        log.warn({ id }, 'an event of the feed cannot be read; such events are passed over')
      }
      held.reached(id)
    }
  }

  /** False: the next events do not directly follow what was read. */
  const readAll = async (into: Feed): Promise<boolean> => {
    for (;;) {
      const events = await readOn(reader, into.log.lastId)
      if (events === null) return false
      if (events.length === 0) return true
      take(into, events, true)
      if (into === feed) onEvents()
    }
  }

  const lookAtClock = async () => {
    const storeMs = await storeNowMs(reader) //  which makes the ids
    aheadMs = storeMs - steady.nowMs()
  }

  /** null: what was to be read next was trimmed meanwhile. What is open is newer than what was read. */
  const begin = async (): Promise<Feed | null> => {
    const { open, headId, trimmed, oldest } = await readBase(reader)
    const held = new FeedLog(FEED_MAX_EVENTS, trimmed ? (oldest[0]?.id ?? headId) : BEFORE_ALL)
    const begun = {
      log: held,
      open: { gaps: new Map(Object.entries(open.gaps)), edges: new Map(Object.entries(open.edges)) },
    }
    for (let page = oldest; page.length > 0; ) {
      const before = page.filter(({ id }) => compareIds(id, headId) <= 0)
      take(begun, before, false)
      if (before.length < page.length) break
      const next = await readOn(reader, held.lastId)
      if (next === null) return null
      page = next
    }
    return begun
  }

  const follow = async () => {
    while (!stopped) {
      if (feed !== null && (await readAll(feed))) {
        await lookAtClock()
        await waitForMore(reader, feed.log.lastId, BLOCK_MS)
        continue
      }
      await lookAtClock()
      const before = feed
      const begun = await begin()
      if (begun === null) continue
      feed = begun
      if (before !== null) {
        log.warn({}, 'the feed begins anew: its stream does not go on from what was read')
        onReset()
      }
      onEvents()
    }
  }

  const forever = async () => {
    while (!stopped)
      await follow().catch(async (error) => {
        if (stopped) return
        log.warn({ reason: describeError(error) }, 'cannot follow the feed; will try again')
        await sleep(RETRY_MS)
      })
  }
  const done = forever()

  return {
    feed: () => feed,
    storeMs: () => steady.nowMs() + aheadMs,
    stop: async () => {
      stopped = true
      await endReads(reader, done)
    },
  }
}
