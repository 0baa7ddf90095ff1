import type { Writable } from 'node:stream'

/** What the other end has not taken yet. */
const MOST_WAITING_BYTES = 256 * 1024

/** Node makes a terminal blocking when it opens it; only its handle takes that back. */
type Terminal = { _handle?: { setBlocking?(blocking: boolean): void } | null }

/**
 * A terminal may take nothing: stopped with Ctrl-S, or of a session whose other end sleeps. Writing to it would hold us
 * up, and no part that dies would be started again. So the text waits in memory; beyond a bound it is left out, and how
 * often is said when the terminal takes some again.
 */
export function patientOutput(stream: Writable): { write(text: string): void } {
  const { _handle: handle } = stream as Terminal
  handle?.setBlocking?.(false)
  let leftOut = 0
  return {
    write(text) {
      if (stream.writableLength > MOST_WAITING_BYTES) {
        leftOut++
        return
      }
      if (leftOut > 0)
        stream.write(`… ${leftOut} lines were not shown: nobody took them. The logs have them\n`)
      leftOut = 0
      stream.write(text)
    },
  }
}
