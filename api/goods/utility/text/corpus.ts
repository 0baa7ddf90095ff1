import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { z } from 'zod'
import type { ScoreRow } from '../scoreRow.ts'

/** Rows of one file of labelled cases: JSON lines, gzipped when the name says so. @returns null: the file is absent */
export function readCorpus<Row>(folder: string, file: string, schema: z.ZodType<Row>): Row[] | null {
  const path = join(folder, file)
  if (!existsSync(path)) return null
  const bytes = readFileSync(path)
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes)
    .toString()
    .trim()
    .split('\n')
    .map((line) => schema.parse(JSON.parse(line)))
}

/** A share as it is published: three digits, so that a record can be compared with a new count. */
export function share(tool: string, set: string, metric: string, part: number, items: number): ScoreRow {
  return { tool, set, items, metric, value: items === 0 ? 0 : Math.round((1_000 * part) / items) / 1_000 }
}
