import type { Socket } from 'node:net'
import buildConnector from 'undici/lib/core/connect.js'

/** The read buffer of one connection: at most this much is read at once. */
const ROOM_BYTES = 256 * 1024

/**
 * A piece up to this size may hold half a head, which undici keeps until the other half arrives. undici takes heads
 * up to 16 KiB, so a larger piece holds none, or a whole one.
 */
const HALF_HEAD_BYTES = 16 * 1024

/**
 * Connections without TLS that read into the same memory again and again. By default Node takes fresh memory for every
 * 64 KiB that arrive, which costs as much as all the rest of receiving them: some tenths of a second per half gigabyte.
 *
 * A piece is only valid until the event loop goes on, so this is for one kind of user: handlers that copy what
 * `onResponseData` gives them, never pause, and ignore trailers.
 */
export function wideReads(options: { timeout: number }): buildConnector.connector {
  const secure = buildConnector(options)
  return (target, callback) => {
    if (target.protocol === 'https:') return secure(target, callback)
    let socket: Socket | null = null
    //  one piece at a time: the next is read only after this one was taken
    const reading = {
      highWaterMark: 1,
      onread: { buffer: Buffer.allocUnsafeSlow(ROOM_BYTES), callback: onRead },
    }
    buildConnector({ ...options, ...reading })(target, (...[error, connected]) => {
      socket = connected
      if (error === null) callback(null, connected)
      else callback(error, null)
    })

    function onRead(size: number, room: Uint8Array): boolean {
      const piece = room.subarray(0, size)
      return socket!.push(size > HALF_HEAD_BYTES ? piece : Buffer.from(piece))
    }
  }
}
