import type { Outlet } from '../http/exchange.ts'
import type { Feed } from './followFeed.ts'
import { type EventFrame, type Frame, gapFrame, type StatusWord, slowFrame, type Topic } from './frames.ts'
import type { StreamId } from './streamId.ts'

/**
 * A reader is slow if it was not level with the feed for this long, or fell this many bytes behind since it last was.
 */
export const SLOW_MS = 30_000
export const SLOW_BYTES = 4 * 1024 * 1024

/** Why a reader is sent away. */
export type Farewell = 'slow' | 'expired' | 'revoked'

/** How a transport sends messages. */
export type Transport = {
  outlet: Outlet
  bytes(frame: Frame): Uint8Array
  heartbeat(): void
  /** Ends the connection after what was written. */
  end(why: Farewell): void
}

/**
 * One streaming reader: a place in the log, and what it was last told about the age of the data. It is written to until
 * its socket buffers, and on from that place once the buffer has drained. So a slow reader costs no memory beyond its
 * place and the rest of one write.
 */
export function createReader({
  transport,
  topics,
  endsMs,
  word,
  nowMs,
}: {
  transport: Transport
  topics: ReadonlySet<Topic>
  endsMs(): number //   end of its token, as last read from the store
  word(): StatusWord // the current status
  nowMs(): number //    steady clock
}) {
  const { outlet } = transport
  let feed: Feed | null = null
  let place = 0
  let levelMs = nowMs()
  let levelBytes = 0
  let toldStale = '' //  the stale venues in the last status written to it
  let waits = false
  let over = false

  const level = (toldBytes: number) => {
    levelMs = nowMs()
    levelBytes = toldBytes
  }
  const send = (frame: Frame) => {
    waits = !outlet.write(transport.bytes(frame))
  }
  const say = ({ frame, stale }: StatusWord) => {
    send(frame)
    toldStale = stale
  }
  const sayNews = () => {
    const now = word()
    if (now.stale !== toldStale) say(now)
  }
  const leave = (why: Farewell, frame: Frame) => {
    if (over) return
    send(frame)
    over = true
    transport.end(why)
  }
  const pump = () => {
    if (feed === null || nowMs() >= endsMs()) return
    const { log } = feed
    if (!over && !waits) sayNews()
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
    /** Resumes after `afterId`, or starts with what is open; reports a gap when events were permanently missed. */
    begin(from: Feed, afterId: StreamId | null, snapshot: () => StatusWord) {
      feed = from
      const { log } = from
      level(log.toldBytes)
      const resume = afterId === null ? null : log.resume(afterId)
      if (resume !== null && 'at' in resume) {
        place = resume.at
        say(word()) //  fresh or stale: what it heard before it was away may be outdated
      } else {
        if (resume !== null) send(gapFrame({ afterId, oldestId: log.oldestId, reason: resume.gap }))
        say(snapshot())
        place = log.end
      }
      pump()
    },
    /**
     * The feed began anew: the reader's place means nothing in the new log, which also counts its bytes from zero. The
     * time since it was last level goes on: a reset does not make a slow reader level.
     */
    reset(from: Feed, snapshot: StatusWord) {
      if (over) return
      send(gapFrame({ afterId: feed?.log.lastId ?? null, oldestId: from.log.oldestId, reason: 'feed_reset' }))
      say(snapshot)
      feed = from
      place = from.log.end
      levelBytes = from.log.toldBytes
      pump()
    },
    /** To be called once a second. */
    look(expiredFrame: Frame) {
      if (over) return
      if (nowMs() >= endsMs()) return leave('expired', expiredFrame)
      if (feed === null) return
      if (!waits) sayNews()
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
