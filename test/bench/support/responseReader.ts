/** One answer, complete. `bytes`: head and body as they came. */
export type ReadAnswer = { status: number; bytes: number }

const PROTOCOL = Buffer.from('HTTP/1.1 ')
const HEAD_END = Buffer.from('\r\n\r\n')
const MAX_BYTES = 4 * 1024 * 1024
const CONTENT_LENGTH = /\r\ncontent-length:[ \t]*(\d+)[ \t]*\r\n/

/**
 * Reads HTTP/1.1 answers of one keep-alive connection without pipelining: content-length or chunked, in
 * whatever pieces they come. Made to cost little: of an answer that comes whole, and states the same length at the same
 * place as the one before, only the status is parsed.
 * @returns for each piece: the answer it completes, or null. @throws on what is not HTTP/1.1, or on bytes nobody asked for.
 */
export function createResponseReader(): (piece: Buffer) => ReadAnswer | null {
  let pending: Buffer | null = null
  let last: Seen = NOTHING
  return (piece) => {
    if (pending === null && piece.length === last.bytes && isLike(piece, last))
      return { status: statusOf(piece), bytes: piece.length }
    const bytes: Buffer = pending === null ? piece : Buffer.concat([pending, piece])
    if (bytes.length > MAX_BYTES) throw new Error('an answer is larger than 4 MiB')
    const headEnd = bytes.indexOf(HEAD_END)
    const end = headEnd < 0 ? -1 : endOfBody(bytes, headEnd)
    if (end < 0 || end > bytes.length) {
      pending = pending === null ? Buffer.from(bytes) : bytes //  the socket reuses the piece's memory
      return null
    }
    if (end < bytes.length) throw new Error('more bytes than the answer has')
    pending = null
    last = lengthLineOf(bytes, headEnd, end)
    return { status: statusOf(bytes), bytes: end }
  }
}

/** An answer with content-length: its size, and that header's line, with the line ends before and after it. */
type Seen = { bytes: number; headEnd: number; lineAt: number; line: Buffer }
const NOTHING: Seen = { bytes: 0, headEnd: 0, lineAt: 0, line: HEAD_END }

function lengthLineOf(bytes: Buffer, headEnd: number, end: number): Seen {
  const found = CONTENT_LENGTH.exec(headOf(bytes, headEnd))
  if (found === null) return NOTHING
  const line = Buffer.from(bytes.subarray(found.index, found.index + found[0].length))
  return { bytes: end, headEnd, lineAt: found.index, line }
}

const isLike = (bytes: Buffer, { headEnd, lineAt, line }: Seen): boolean =>
  bytes.compare(HEAD_END, 0, HEAD_END.length, headEnd, headEnd + HEAD_END.length) === 0 &&
  bytes.compare(line, 0, line.length, lineAt, lineAt + line.length) === 0

/** `HTTP/1.1 402 …` */
function statusOf(bytes: Buffer): number {
  if (!bytes.subarray(0, PROTOCOL.length).equals(PROTOCOL)) throw new Error('not an HTTP/1.1 answer')
  return (bytes[9]! - 48) * 100 + (bytes[10]! - 48) * 10 + (bytes[11]! - 48)
}

const headOf = (bytes: Buffer, headEnd: number): string =>
  bytes.toString('latin1', 0, headEnd + 2).toLowerCase()

const isChunked = (bytes: Buffer, headEnd: number): boolean =>
  /\r\ntransfer-encoding:[ \t]*chunked[ \t]*\r\n/.test(headOf(bytes, headEnd))

/** Offset just after the body; -1 while it is not known yet. */
function endOfBody(bytes: Buffer, headEnd: number): number {
  const start = headEnd + HEAD_END.length
  if (isChunked(bytes, headEnd)) return endOfChunks(bytes, start)
  const length = CONTENT_LENGTH.exec(headOf(bytes, headEnd))
  if (length === null) throw new Error('an answer without a length')
  return start + Number(length[1])
}

function endOfChunks(bytes: Buffer, start: number): number {
  let at = start
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return -1
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (!Number.isSafeInteger(size)) throw new Error('a chunk without a size')
    at = lineEnd + 2 + size + 2
    if (at > bytes.length) return -1
    if (size === 0) return at
  }
}
