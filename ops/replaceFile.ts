import { rename, writeFile } from 'node:fs/promises'

/**
 * Writes a file, readable by its owner only, so that a reader sees the old one or the new one. It is on disk before it is
 * named: else a power cut may leave its name on an empty file.
 */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${file}.new`, content, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
}
