import type { Clock } from '../../ops/clock.ts'
import { SECOND } from '../../ops/units.ts'
import type { StreamSink } from '../http/exchange.ts'
import { createPlaces } from '../http/places.ts'
import { site } from '../http/rateLimit.ts'

export const READERS_MAX = 1_000
/** One address (or IPv6 /48, which one customer has) may stand for many people behind a proxy, and must not take all places. */
export const READERS_PER_ADDRESS = 200
/** A reader that takes no bytes for this long is disconnected. */
export const STUCK_MS = 30 * SECOND

type Reader = { sink: StreamSink; address: string; behindSinceMs: number | null }

export type Readers = {
  count(): number
  hasRoom(address: string): boolean
  /** @param greeting goes before the whole board. */
  join(sink: StreamSink, from: string, greeting: string): void
  send(event: string): void
  stop(): void
}

/**
 * Clients that follow the board. The board is a state, not a log: a slow client is sent nothing while bytes wait for it,
 * and then the whole board as it is, so that at most one board is buffered for each.
 * Bounds: READERS_MAX, READERS_PER_ADDRESS; when all places are taken, a newcomer takes one of the address that has most.
 * @param clock a steady one: it measures how long a reader has taken nothing.
 * @param whole the event that begins anew.
 */
export function createReaders({ clock, whole }: { clock: Clock; whole(): string }): Readers {
  const readers = new Set<Reader>()
  const places = createPlaces<Reader>({
    max: READERS_MAX,
    each: READERS_PER_ADDRESS,
    onTaken(reader) {
      readers.delete(reader)
      reader.sink.end() //  a browser reconnects, and is then told that we are busy
    },
  })

  const leave = (reader: Reader) => {
    readers.delete(reader)
    places.leave(reader.address, reader)
  }

  const drop = (reader: Reader) => {
    leave(reader)
    reader.sink.end()
  }

  return {
    count: () => readers.size,
    hasRoom: (address) => places.hasRoom(site(address)),

    join(sink, from, greeting) {
      const address = site(from)
      const reader: Reader = { sink, address, behindSinceMs: null }
      readers.add(reader)
      places.take(address, reader)
      sink.onClosed(() => leave(reader))
      sink.write(greeting + whole())
    },

    send(event) {
      const nowMs = clock.nowMs()
      const bytes = Buffer.from(event)
      for (const reader of readers) {
        if (reader.sink.waiting() > 0) {
          reader.behindSinceMs ??= nowMs
          if (nowMs - reader.behindSinceMs > STUCK_MS) drop(reader)
        } else if (reader.behindSinceMs !== null) {
          reader.behindSinceMs = null
          reader.sink.write(whole())
        } else reader.sink.write(bytes)
      }
    },

    stop() {
      for (const reader of [...readers]) drop(reader)
    },
  }
}
