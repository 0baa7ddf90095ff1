import { END_WITHIN_MS, MAX_WAITING_BYTES, type Socket } from './exchange.ts'

/** A silent WebSocket is pinged within this time, and closed when it does not answer. */
export const SOCKET_IDLE_S = 32
/** Close codes (RFC 6455, 7.4.1). */
export const GOING_AWAY = 1001
export const TOO_LARGE = 1009
/**
 * A message this many times too large is cut off without an answer, by the server's own bound: it buffers no more than
 * that of one message.
 */
export const CUT_AT = 16
/** Pings that may come while bytes wait: the server answers each by itself, and keeps the answers that are not read. */
export const PINGS_UNREAD_MAX = 100

/** The part of the server's WebSocket that is used. `end` lets waiting bytes go out before the close frame. */
export type Wire = {
  send(message: string | Uint8Array, isBinary: boolean): number // 1 sent, 0 waits, 2 dropped
  getBufferedAmount(): number
  end(code: number, reason: string): void
  close(): void
}

export type ServedSocket = Socket & {
  isOver(): boolean // gone, or ended by us: further messages are ignored
  pinged(): void //    a ping came, and the server has answered it
  drained(): void //   the server sent what it had
  gone(): void //      the connection is no more: the wire must not be touched
}

/**
 * A WebSocket that may still be used, without effect, after it is gone. Once the server has been told to end one, we
 * cannot cut it off any more, and it would keep waiting bytes for as long as its client reads none of them: so it is
 * told only when nothing waits.
 */
export function createSocket(wire: Wire): ServedSocket {
  let over = false
  let ending: { code: number; reason: string } | null = null
  let deadline: NodeJS.Timeout | undefined
  let pings = 0
  let drained: (() => void) | null = null
  let closed: (() => void) | null = null
  return {
    write(chunk) {
      if (over || ending !== null) return false
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
      if (over || ending !== null) return
      if (wire.getBufferedAmount() === 0) return wire.end(code, reason)
      ending = { code, reason }
      deadline = setTimeout(() => wire.close(), END_WITHIN_MS)
    },
    isOver: () => over || ending !== null,
    pinged() {
      if (over) return
      pings = wire.getBufferedAmount() === 0 ? 0 : pings + 1
      if (pings > PINGS_UNREAD_MAX) wire.close()
    },
    drained() {
      if (over || wire.getBufferedAmount() > 0) return
      pings = 0
      if (ending === null) drained?.()
      else wire.end(ending.code, ending.reason)
    },
    gone() {
      if (over) return
      over = true
      clearTimeout(deadline)
      closed?.()
      closed = null
      drained = null
    },
  }
}
