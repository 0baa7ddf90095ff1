import { MAX_WAITING_BYTES, type Socket } from './exchange.ts'

/** A silent WebSocket is pinged within this time, and closed when it does not answer. */
export const SOCKET_IDLE_S = 32
/** Close codes (RFC 6455, 7.4.1). */
export const GOING_AWAY = 1001
export const TOO_LARGE = 1009
/** A message this many times too large is cut off without a word, as the server's own bound does: only so much of one is kept. */
export const CUT_AT = 16

/** What is needed of the server's WebSocket. `end` lets what waits go out before the close frame. */
export type Wire = {
  send(message: string | Uint8Array, isBinary: boolean): number // 1 sent, 0 waits, 2 dropped
  getBufferedAmount(): number
  end(code: number, reason: string): void
  close(): void
}

export type ServedSocket = Socket & {
  drained(): void //  the server sent what it had
  gone(): void //     the connection is no more: the wire must not be touched
}

/** A WebSocket that may be used, without effect, after it is gone. */
export function createSocket(wire: Wire): ServedSocket {
  let over = false
  let drained: (() => void) | null = null
  let closed: (() => void) | null = null
  return {
    write(chunk) {
      if (over) return false
      if (wire.getBufferedAmount() + chunk.length > MAX_WAITING_BYTES) {
        wire.close() //  the server then says that the connection is gone
        return false
      }
      return wire.send(chunk, false) === 1
    },
    waiting: () => (over ? 0 : wire.getBufferedAmount()),
    onDrained(listener) {
      drained = listener
    },
    onClosed(listener) {
      if (over) listener()
      else closed = listener
    },
    end(code, reason) {
      if (!over) wire.end(code, reason)
    },
    drained() {
      if (!over && wire.getBufferedAmount() === 0) drained?.()
    },
    gone() {
      if (over) return
      over = true
      closed?.()
      closed = null
      drained = null
    },
  }
}
