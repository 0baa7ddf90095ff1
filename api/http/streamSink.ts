import { END_WITHIN_MS, MAX_WAITING_BYTES, type StreamSink } from './exchange.ts'

/** The part of the server's response that is used. Its `write` returns false when not everything was sent. */
export type Pipe = {
  cork(work: () => void): unknown
  write(chunk: string | Uint8Array): boolean
  end(): unknown
  close(): unknown
}

/**
 * The server is never given more at a time: what it could not send it keeps in a buffer of its own. And never more than
 * its cork holds, 16 KiB, with the frame of a chunk: of what does not fit it sends the frame first, and when the system
 * does not take that, it drops the chunk.
 */
const PIECE_BYTES = 16_000

export type ServedSink = StreamSink & {
  begin(): void //    outside of the call that answers the request
  writable(): void // the server can send again
  gone(): void //     the connection is no more: the pipe must not be touched
}

/**
 * A stream over one response. Chunks wait here by reference, so one text that many slow readers wait for is held
 * once; the server's own copy is at most two pieces a reader. Nothing is sent before `begin`: the request is answered
 * within a cork of the server's, which several pieces would not fit into.
 * @param onEnd when the response was ended by us: the pipe must not be touched after that.
 */
export function createStreamSink(pipe: Pipe, onEnd: () => void): ServedSink {
  const queue: Uint8Array[] = []
  let queuedBytes = 0
  let inPipe = 0 //  upper bound of what the server keeps
  let hasBegun = false
  let state: 'open' | 'ending' | 'over' = 'open'
  let deadline: NodeJS.Timeout | undefined
  let drained: (() => void) | null = null
  let closed: (() => void) | null = null

  const over = () => {
    state = 'over'
    clearTimeout(deadline)
    queue.length = 0
    queuedBytes = 0
    closed?.()
    closed = null
    drained = null
  }
  const push = (piece: Uint8Array) => {
    inPipe = pipe.write(piece) ? 0 : piece.byteLength
  }
  /** Sends what waits until the server is full, each piece in a cork of its own. An empty one makes it send its leftover. */
  const pump = () => {
    if (!hasBegun) return
    pipe.cork(() => {})
    inPipe = 0
    while (queue.length > 0) {
      const chunk = queue[0]!
      const piece = chunk.subarray(0, PIECE_BYTES)
      if (piece.byteLength === chunk.byteLength) queue.shift()
      else queue[0] = chunk.subarray(PIECE_BYTES)
      queuedBytes -= piece.byteLength
      pipe.cork(() => push(piece))
      if (inPipe > 0) return
    }
    if (state !== 'ending') return
    pipe.cork(() => pipe.end())
    over()
    onEnd()
  }

  return {
    write(chunk) {
      if (state !== 'open') return false
      if (chunk.length === 0) return inPipe === 0
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      if (queuedBytes + bytes.byteLength > MAX_WAITING_BYTES) {
        pipe.close() //  the server then says that the connection is gone
        return false
      }
      queue.push(bytes)
      queuedBytes += bytes.byteLength
      if (inPipe === 0) pump()
      return queue.length === 0 && inPipe === 0
    },
    waiting: () => queuedBytes + inPipe,
    onDrained(listener) {
      drained = listener
    },
    onClosed(listener) {
      if (state === 'over') listener()
      else closed = listener
    },
    end() {
      if (state !== 'open') return
      state = 'ending'
      deadline = setTimeout(() => pipe.close(), END_WITHIN_MS)
      if (inPipe === 0) pump()
    },
    begin() {
      if (state === 'over') return
      hasBegun = true
      pump()
      if (queue.length === 0 && inPipe === 0) drained?.()
    },
    writable() {
      if (state === 'over') return
      const waited = inPipe > 0
      pump()
      if (waited && inPipe === 0) drained?.()
    },
    gone() {
      if (state !== 'over') over()
    },
  }
}
