import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const MAX_BYTES = 8 * 1024 * 1024

export type LogFile = { write(line: string): void; close(): void }

/**
 * One part's log: a file of at most 8 MB and the one before it. Lines are lost rather than anything stopped
 * when the disk is full: a log is not worth the service.
 */
export function openLogFile(path: string, maxBytes = MAX_BYTES): LogFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  let file: number | null = null
  let size = 0
  const open = () => {
    file = openSync(path, 'a', 0o600)
    size = fstatSync(file).size
  }
  const close = () => {
    if (file !== null) closeSync(file)
    file = null
  }
  return {
    write(line) {
      try {
        if (file === null) open()
        const bytes = Buffer.from(`${line}\n`)
        if (size > 0 && size + bytes.length > maxBytes) {
          close()
          renameSync(path, `${path}.1`)
          open()
        }
        if (file !== null) size += writeSync(file, bytes)
      } catch {
        close() //  full, or gone: try again with the next line
      }
    },
    close,
  }
}
