import { rename, rm, writeFile } from 'node:fs/promises'

/**
 * Writes a file, readable by its owner only, so that a reader sees the old one or the new one. It is on disk before it is
 * named: else a power cut may leave its name on an empty file. Where it cannot be, nothing of it stays.
 * @param written where it stands until then; processes that may write one file at once need a name each.
 */
export async function replaceFile(
  file: string,
  content: string | Uint8Array,
  written = `${file}.new`,
): Promise<void> {
  try {
    await writeFile(written, content, { mode: 0o600, flush: true })
    await rename(written, file)
  } catch (error) {
    await rm(written, { force: true }).catch(() => {}) //  on a full disk it holds what others need
    throw error
  }
}
