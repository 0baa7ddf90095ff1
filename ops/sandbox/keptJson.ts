import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { z } from 'zod'
import { parseJsonOrNull } from '../jsonText.ts'
import { replaceFile } from '../replaceFile.ts'

/** A stand-in's state in one file, so that a second start goes on where the first ended. */
export type Kept<T> = { load(): Promise<T | null>; save(value: T): Promise<void> }

/** What a file of a stand-in holds. @throws with the name of one of another shape, instead of replacing it. */
export function keptIn<T>(path: string, text: string, schema: z.ZodType<T>): T {
  const { data } = schema.safeParse(parseJsonOrNull(text))
  if (data !== undefined) return data
  throw new Error(
    `${path} is damaged, as a power cut may leave it. If it is removed, the sandbox starts without what it kept`,
  )
}

/** @param path null: nothing is kept. @throws on a file of another shape, instead of replacing it. */
export function keptJson<T>(path: string | null, schema: z.ZodType<T>): Kept<T> {
  let turn: Promise<unknown> = Promise.resolve()
  return {
    async load() {
      if (path === null) return null
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      return text === null ? null : keptIn(path, text, schema)
    },
    save(value) {
      if (path === null) return Promise.resolve()
      const text = JSON.stringify(value)
      const written = turn.then(async () => {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await replaceFile(path, text)
      })
      turn = written.catch(() => {})
      return written
    },
  }
}
