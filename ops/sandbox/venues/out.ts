const FIRST_BYTES = 1024 * 1024

/** Where JSON is written to: ready bytes are copied, fresh text is encoded, nothing is joined as strings. */
export type Out = {
  bytes(ready: Uint8Array): void
  /** @param ascii figures, times and punctuation only. */
  ascii(text: string): void
  /** Any text. */
  text(text: string): void
  readonly length: number
  /** What was written since the last call, as bytes of its own; the buffer is kept for the next answer. */
  take(): Buffer
  /** The same as a string. */
  takeText(): string
}

/** Grows by doubling and stays as large as the largest answer so far. */
export function byteOut(firstBytes = FIRST_BYTES): Out {
  let buffer = Buffer.allocUnsafe(firstBytes)
  let end = 0
  const room = (size: number) => {
    if (end + size <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, end + size))
    buffer.copy(larger, 0, 0, end)
    buffer = larger
  }
  return {
    bytes(ready) {
      room(ready.length)
      buffer.set(ready, end)
      end += ready.length
    },
    ascii(text) {
      room(text.length)
      end += buffer.write(text, end, 'latin1')
    },
    text(text) {
      room(Buffer.byteLength(text))
      end += buffer.write(text, end, 'utf8')
    },
    get length() {
      return end
    },
    take() {
      const answer = Buffer.from(buffer.subarray(0, end))
      end = 0
      return answer
    },
    takeText() {
      const answer = buffer.toString('utf8', 0, end)
      end = 0
      return answer
    },
  }
}

/** What strings are written through, one after the other: a buffer for each was a third of what a string costs. */
let spare: Out | null = null

/** Everything a writer writes, as one string. */
export function written(write: (out: Out) => void): string {
  const out = spare ?? byteOut(4_096)
  spare = null //  a writer that asks for a string itself, or that throws, leaves its own alone
  write(out)
  spare = out
  return out.takeText()
}
