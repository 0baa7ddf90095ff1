const START_BYTES = 1 << 20

/**
 * Makes UTF-8 of lines, one behind the other, in one space that is used again: joined as a text first and turned into bytes by
 * whoever sends, counts and digests it, they cost several times as much.
 */
export class LineSpace {
  #space = Buffer.allocUnsafeSlow(START_BYTES)

  /** The next lines, at most `most`, as bytes of their own. */
  bytesOf(lines: Iterator<string>, most: number): Buffer {
    let used = 0
    for (let taken = 0; taken < most; taken++) {
      const line = lines.next()
      if (line.done === true) break
      this.#widen(used, MOST_BYTES_A_UNIT * line.value.length)
      used += this.#space.write(line.value, used)
    }
    return Buffer.from(this.#space.subarray(0, used))
  }

  #widen(used: number, more: number): void {
    if (used + more <= this.#space.length) return
    const wider = Buffer.allocUnsafeSlow(2 * (used + more))
    this.#space.copy(wider, 0, 0, used)
    this.#space = wider
  }
}

/** Of a UTF-16 code unit in UTF-8. */
const MOST_BYTES_A_UNIT = 3
