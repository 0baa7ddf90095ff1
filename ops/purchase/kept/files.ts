import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { z } from 'zod'
import { replaceFile } from '../../replaceFile.ts'

/** Several buyers may share a folder. */
async function writePrivate(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await replaceFile(file, text, `${file}.${process.pid}.new`)
}

export const writePrivateJson = (file: string, value: unknown): Promise<void> =>
  writePrivate(file, `${JSON.stringify(value, null, 2)}\n`)

export const removeFile = (file: string): Promise<void> => rm(file, { force: true })

/** null: there is none, or it is none of ours. */
export async function readJson<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): Promise<z.infer<Schema> | null> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return null
  }
}

/** True also when nobody can tell whether the file exists. */
export const isThere = (file: string): Promise<boolean> => stat(file).then(() => true, isOther)

/**
 * Names in a folder; none when there is no folder. One that cannot be read does not count as empty, since what was
 * spent is counted in it.
 */
export const namesIn = (dir: string): Promise<string[]> =>
  readdir(dir).catch((error: unknown) => {
    if (isOther(error)) throw error
    return []
  })

/** An error other than that the file or folder does not exist. */
const isOther = (error: unknown): boolean =>
  !(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))

/** Every readable record of a folder, by the names of their files. */
export async function readAll<Schema extends z.ZodType>(
  dir: string,
  schema: Schema,
): Promise<{ file: string; value: z.infer<Schema> }[]> {
  const names = (await namesIn(dir)).filter((name) => name.endsWith('.json')).sort()
  const read = await Promise.all(
    names.map(async (name) => {
      const file = join(dir, name)
      return { file, value: await readJson(file, schema) }
    }),
  )
  return read.flatMap(({ file, value }) => (value === null ? [] : [{ file, value }]))
}
