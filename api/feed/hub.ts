import type { Clock } from '../../ops/clock.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { SECOND } from '../../ops/units.ts'
import { PROBLEMS, type Problem } from '../errors.ts'
import type { Admitted, Door } from './access.ts'
import type { Feed } from './followFeed.ts'
import { refusalFrame, type Topic } from './frames.ts'
import { createHolders, type Holder } from './holders.ts'
import { createReader, type Reader, type Transport } from './reader.ts'
import type { FeedStatus } from './status.ts'
import type { StreamId } from './streamId.ts'
import { createWords } from './words.ts'

const LOOK_MS = 1 * SECOND
const LOOKS_PER_HEARTBEAT = 15

/** What a reader asks for. `afterId` null: begin with what is open. */
export type Subscription = { topics: ReadonlySet<Topic>; afterId: StreamId | null }

/** A reserved stream. It lapses with this turn of the event loop, so that a client that has gone by then holds none. */
export type Place = { join(wanted: Subscription, transport: Transport): { leave(): void } }

type Held = { reader: Reader; holder: Holder; topics: ReadonlySet<Topic>; looks: number }

/** All streaming readers of this process. Events come here serialised; the hub only hands them on. */
export function createHub({
  feed,
  status,
  door,
  steady,
  metrics,
}: {
  feed(): Feed | null
  status(): FeedStatus
  door: Pick<Door, 'admitToken'>
  steady: Clock
  metrics: Metrics
}) {
  const streams = metrics.gauge('feed_streams', 'Readers of the feed that stream now')
  const sentAway = metrics.counter('feed_sent_away_total', 'Streams that we ended, by reason', ['why'])
  const readers = new Set<Held>()
  const farewells = {
    expired: refusalFrame('expired', PROBLEMS.feed_token_expired.next),
    revoked: refusalFrame('revoked', PROBLEMS.feed_token_revoked.next),
  }
  const words = createWords({ status, steady })

  const release = (held: Held) => {
    if (!readers.delete(held)) return
    holders.leave(held.holder)
    streams.set(readers.size)
  }

  const holders = createHolders({
    door,
    steady,
    onOver: (token, why) => {
      for (const { reader, holder } of readers) if (holder === token) reader.leave(why, farewells[why])
    },
  })

  const look = () => {
    words.renew()
    for (const held of readers) {
      const { reader } = held
      reader.look(farewells.expired)
      held.looks++
      if (held.looks % LOOKS_PER_HEARTBEAT === 0) reader.heartbeat()
    }
    holders.look()
  }
  const timer = setInterval(look, LOOK_MS)

  const join = (holder: Holder, { topics, afterId }: Subscription, transport: Transport) => {
    const from = feed()!
    const counted: Transport = {
      ...transport,
      end(why) {
        sentAway.inc({ why })
        transport.end(why)
      },
    }
    const reader = createReader({
      transport: counted,
      topics,
      word: words.word,
      endsMs: () => holder.endsMs,
      nowMs: () => steady.nowMs(),
    })
    const held: Held = { reader, holder, topics, looks: 0 }
    readers.add(held)
    streams.set(readers.size)
    const leave = () => {
      reader.stop()
      release(held)
    }
    transport.outlet.onClosed(leave)
    words.hearThatFresh()
    reader.begin(from, afterId, () => words.snapshot(from, topics))
    return { leave }
  }

  return {
    count: () => readers.size,

    /** A problem while there is no room, or no feed yet. */
    reserve(token: string, admitted: Admitted): Place | Problem {
      if (feed() === null) return { problem: 'feed_unavailable', retryAfterS: 2 }
      const problem = holders.refuse(admitted)
      if (problem !== null) return problem
      let reserved: Holder | null = holders.enter(token, admitted)
      const lapse = setImmediate(() => {
        holders.leave(reserved!)
        reserved = null
      })
      return {
        join(wanted, transport) {
          clearImmediate(lapse)
          return join(reserved ?? holders.enter(token, admitted), wanted, transport)
        },
      }
    },

    /** Events end a silence: that the data is fresh again is said before them. */
    pumpAll() {
      words.hearThatFresh()
      for (const { reader } of readers) reader.pump()
    },

    resetAll() {
      const from = feed()!
      for (const { reader, topics } of readers) reader.reset(from, words.snapshot(from, topics))
    },

    stop: () => clearInterval(timer),
  }
}

export type Hub = ReturnType<typeof createHub>
