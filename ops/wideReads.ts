import type { Socket } from 'node:net'
import { buildConnector } from 'undici'

/** Room of one connection. What is read at once is at most this much. */
const ROOM_BYTES = 256 * 1024

/**
 * A piece may hold half a head, which undici keeps until the other half is there. It takes heads up to 16 KiB, so a piece
 * above that holds none, or a whole one.
 */
const HALF_HEAD_BYTES = 16 * 1024

/**
 * Connections without TLS that read into room of their own, again and again. Left to itself Node takes fresh memory for every
 * 64 KiB that arrive, which costs as much as all the rest of receiving them: some tenths of a second of half a gigabyte.
 *
 * A piece is only good until the event loop goes on, so this is for one kind of user: handlers that copy what
 * `onResponseData` gives them, never pause, and look at no trailers.
 */
export function wideReads(options: { timeout: number }): buildConnector.connector {
  const secure = buildConnector(options)
  return (target, callback) => {
    if (target.protocol === 'https:') return secure(target, callback)
    let socket: Socket | null = null
    //  one piece a time: no other one is read before it is taken
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
