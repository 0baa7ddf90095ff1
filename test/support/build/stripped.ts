import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes as strip } from 'node:module'

const KEPT = new URL('stripped/', import.meta.url)

/** Replaces Node's function in built programs: a text is stripped once, and every later start reads the result. */
export function stripTypeScriptTypes(code: string): string {
  const file = new URL(createHash('sha256').update(code).digest('hex'), KEPT)
  try {
    return readFileSync(file, 'utf8')
  } catch {
    const text = strip(code)
    mkdirSync(KEPT, { recursive: true })
    const beside = new URL(`${file.href}.${process.pid}`)
    writeFileSync(beside, text)
    renameSync(beside, file) //  a reader sees all of it or none
    return text
  }
}
