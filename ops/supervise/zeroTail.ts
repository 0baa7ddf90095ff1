import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'

const BLOCK_BYTES = 64 * 1024

/**
 * A power cut, or a disk that failed, can leave the newest append-only file longer than what was written to it: it ends
 * in zeros. Redis starts from a file that ends inside a command, but refuses this one. No command begins with a zero,
 * so cutting them off loses nothing.
 * @param dir of a Redis that does not run. What cannot be read or cut stays as it is: Redis reports that better.
 * @returns how many bytes were cut off.
 */
export function cutZeroTail(dir: string): number {
  let file: number | null = null
  try {
    const name = newestFile(join(dir, 'appendonlydir'))
    if (name === null) return 0
    file = openSync(name, 'r+')
    const { size } = fstatSync(file)
    const end = endOfBytes(file, size)
    if (end < size) ftruncateSync(file, end)
    return size - end
  } catch {
    return 0 //  none yet, or a disk that is read-only
  } finally {
    if (file !== null) closeSync(file)
  }
}

/** The file that Redis wrote to last, the only one that may end early. */
function newestFile(folder: string): string | null {
  const manifest = readFileSync(join(folder, 'appendonly.aof.manifest'), 'utf8')
  const last = [...manifest.matchAll(/^file (\S+) seq \d+ type i$/gm)].at(-1)
  return last === undefined ? null : join(folder, last[1]!)
}

/** The offset at which the trailing zeros of a file begin. */
function endOfBytes(file: number, size: number): number {
  const block = Buffer.alloc(BLOCK_BYTES)
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - BLOCK_BYTES)
    const read = readSync(file, block, 0, end - start, start)
    const last = block.subarray(0, read).findLastIndex((byte) => byte !== 0)
    if (last >= 0) return start + last + 1
    end = start
  }
  return 0
}
