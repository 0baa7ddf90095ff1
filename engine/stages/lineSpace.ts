const START_BYTES = 1 << 20

/**
 * Makes UTF-8 of lines, one behind the other, in one space that is used again: joined as a text first and turned into bytes by
 * whoever sends, counts and digests it, they cost several times as much.
 */
export class LineSpace {
  #space = Buffer.allocUnsafeSlow(START_BYTES)
  #used = 0

  /** The next lines, at most `most`, as bytes of their own. Each comes in parts that are written one behind the other. */
  bytesOf(lines: Iterator<readonly string[]>, most: number): Buffer<ArrayBuffer> {
    this.begin()
    for (let taken = 0; taken < most; taken++) {
      const line = lines.next()
      if (line.done === true) break
      for (const part of line.value) this.write(part)
    }
    return this.take()
  }

  /** What was written and not taken is forgotten. */
  begin(): void {
    this.#used = 0
  }

  /** Behind what was written since `begin`. */
  write(part: string): void {
    this.#widen(MOST_BYTES_A_UNIT * part.length)
    this.#used += this.#space.write(part, this.#used)
  }

  /** All of that, as bytes of their own. */
  take(): Buffer<ArrayBuffer> {
    const bytes = Buffer.allocUnsafeSlow(this.#used)
    this.#space.copy(bytes, 0, 0, this.#used)
    return bytes
  }

  #widen(more: number): void {
    if (this.#used + more <= this.#space.length) return
    const wider = Buffer.allocUnsafeSlow(2 * (this.#used + more))
    this.#space.copy(wider, 0, 0, this.#used)
    this.#space = wider
  }
}

/**
 * Gives the memory of bytes back at once; nobody may look at them again. It lies outside of the heap: left to be collected, 64 MiB
 * of it that grew old made V8 look through the whole heap every half minute, and whoever asked for a buffer meanwhile took part.
 */
export function giveBack({ buffer }: Buffer<ArrayBuffer>): void {
  buffer.transfer(0)
}

/** Of a UTF-16 code unit in UTF-8. */
const MOST_BYTES_A_UNIT = 3
