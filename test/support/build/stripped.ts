import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes as strip } from 'node:module'

const KEPT = new URL('stripped/', import.meta.url)

/** As Node's own, for what a built program strips at its start: done once for a text, and read by every later start. */
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
