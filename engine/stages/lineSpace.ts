const START_BYTES = 1 << 20

/**
 * Encodes lines as UTF-8, one after the other, in a reused buffer: joining them as text and converting that to bytes
 * where it is sent, counted and digested costs several times as much.
 */
export class LineSpace {
  #space = Buffer.allocUnsafeSlow(START_BYTES)
  #used = 0

  /**
   * The next lines, at most `most`, as a buffer of their own. Each line comes in parts that are written one after the
   * other.
   */
  bytesOf(lines: Iterator<readonly string[]>, most: number): Buffer<ArrayBuffer> {
    this.begin()
    for (let taken = 0; taken < most; taken++) {
      const line = lines.next()
      if (line.done === true) break
      for (const part of line.value) this.write(part)
    }
    return this.take()
  }

  /** Discards what was written and not taken. */
  begin(): void {
    this.#used = 0
  }

  /** Appends to what was written since `begin`. */
  write(part: string): void {
    this.#widen(MOST_BYTES_A_UNIT * part.length)
    this.#used += this.#space.write(part, this.#used)
  }

  /** Everything written since `begin`, as a buffer of its own. */
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
 * Frees the memory of a buffer at once; it must not be used afterwards. The memory lies outside the heap: left to the
 * garbage collector, 64 MiB of it that grew old made V8 collect the whole heap every half minute, and whoever asked for
 * a buffer meanwhile took part in that.
 */
export function giveBack({ buffer }: Buffer<ArrayBuffer>): void {
  buffer.transfer(0)
}

/** Most UTF-8 bytes per UTF-16 code unit. */
const MOST_BYTES_A_UNIT = 3
