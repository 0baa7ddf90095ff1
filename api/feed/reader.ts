import type { Outlet } from '../http/exchange.ts'
import type { Feed } from './followFeed.ts'
import { type EventFrame, type Frame, gapFrame, slowFrame, type Topic } from './frames.ts'
import type { StreamId } from './streamId.ts'

/** Who has not been level with the feed for so long, or is so much behind since he was, is slow. */
export const SLOW_MS = 30_000
export const SLOW_BYTES = 4 * 1024 * 1024

/** Why a reader is sent away. */
export type Farewell = 'slow' | 'expired' | 'revoked'

/** What a transport makes of messages. */
export type Transport = {
  outlet: Outlet
  bytes(frame: Frame): Uint8Array
  heartbeat(): void
  /** Ends it behind what was written. */
  end(why: Farewell): void
}

/**
 * One reader: a place in the log. He is written to until bytes wait, and then from that place on when they have gone:
 * of a slow reader nothing is kept but his place, and what one write left over.
 */
export function createReader({
  transport,
  topics,
  expiresMs,
  nowMs,
}: {
  transport: Transport
  topics: ReadonlySet<Topic>
  expiresMs: number
  nowMs(): number // real clock
}) {
  const { outlet } = transport
  let feed: Feed | null = null
  let place = 0
  let levelMs = nowMs()
  let levelBytes = 0
  let waits = false
  let over = false

  const level = (toldBytes: number) => {
    levelMs = nowMs()
    levelBytes = toldBytes
  }
  const send = (frame: Frame) => {
    waits = !outlet.write(transport.bytes(frame))
  }
  const leave = (why: Farewell, frame: Frame) => {
    if (over) return
    send(frame)
    over = true
    transport.end(why)
  }
  const pump = () => {
    if (feed === null || nowMs() >= expiresMs) return
    const { log } = feed
    while (!over && !waits && place < log.end) {
      const event: EventFrame | undefined = log.at(place)
      if (event === undefined) return slow()
      place++
      if (topics.has(event.topic)) send(event)
    }
    if (!waits && place === log.end) level(log.toldBytes)
  }
  const slow = () => leave('slow', slowFrame({ behindMs: SLOW_MS, behindBytes: SLOW_BYTES }))
  outlet.onDrained(() => {
    waits = false
    pump()
  })

  return {
    pump,
    leave,
    /** Nothing is written to it any more. */
    stop() {
      over = true
    },
    /** Goes on behind `afterId`, or begins with what is open; says so when events were missed for good. */
    begin(from: Feed, afterId: StreamId | null, snapshot: Frame) {
      feed = from
      const { log } = from
      level(log.toldBytes)
      const resume = afterId === null ? null : log.resume(afterId)
      if (resume !== null && 'at' in resume) place = resume.at
      else {
        if (resume !== null) send(gapFrame({ afterId, oldestId: log.oldestId, reason: resume.gap }))
        send(snapshot)
        place = log.end
      }
      pump()
    },
    /** The feed began anew: what this reader knows is no longer a part of it. */
    reset(from: Feed, snapshot: Frame) {
      if (over) return
      send(gapFrame({ afterId: feed?.log.lastId ?? null, oldestId: from.log.oldestId, reason: 'feed_reset' }))
      send(snapshot)
      feed = from
      place = from.log.end
      pump()
    },
    tell(frame: Frame) {
      if (!over && !waits) send(frame)
    },
    /** Once a second. */
    look(expiredFrame: Frame) {
      if (over) return
      if (nowMs() >= expiresMs) return leave('expired', expiredFrame)
      if (feed === null) return
      const { end, toldBytes } = feed.log
      if (!waits && place === end) level(toldBytes)
      else if (nowMs() - levelMs > SLOW_MS || toldBytes - levelBytes > SLOW_BYTES) slow()
    },
    heartbeat() {
      if (!over && !waits) transport.heartbeat()
    },
  }
}

export type Reader = ReturnType<typeof createReader>
