import type { Clock } from '../../ops/clock.ts'
import { SECOND } from '../../ops/units.ts'
import type { StreamSink } from '../http/exchange.ts'
import { neighbourhood } from '../http/rateLimit.ts'

const READERS_MAX = 1_000
/** One address (or IPv6 /64, as for the rate limits) may stand for many people behind a proxy, and must not take all places. */
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
 * Bounds: READERS_MAX, READERS_PER_ADDRESS.
 * @param whole the event that begins anew.
 */
export function createReaders({ clock, whole }: { clock: Clock; whole(): string }): Readers {
  const readers = new Set<Reader>()
  const perAddress = new Map<string, number>()

  const leave = (reader: Reader) => {
    if (!readers.delete(reader)) return
    const others = (perAddress.get(reader.address) ?? 1) - 1
    if (others > 0) perAddress.set(reader.address, others)
    else perAddress.delete(reader.address)
  }

  const drop = (reader: Reader) => {
    leave(reader)
    reader.sink.end()
  }

  return {
    count: () => readers.size,
    hasRoom: (address) =>
      readers.size < READERS_MAX && (perAddress.get(neighbourhood(address)) ?? 0) < READERS_PER_ADDRESS,

    join(sink, from, greeting) {
      const address = neighbourhood(from)
      const reader: Reader = { sink, address, behindSinceMs: null }
      readers.add(reader)
      perAddress.set(address, (perAddress.get(address) ?? 0) + 1)
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
