import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { ScoreRow } from '../scoreRow.ts'
import { repairJson } from './repairJson.ts'
import type { JsonRepair } from './result.ts'

const Outcome = z.object({ ok: z.boolean(), value: z.unknown().optional() })

/** A row of json/repair-cases.jsonl; the fields are explained in the README of the corpora. */
export const RepairCase = Outcome.extend({
  name: z.string(),
  input: z.string(),
  alreadyValid: z.boolean().default(false),
  repairedContains: z.array(z.string()).default([]),
  repairedKeeps: z.array(z.string()).default([]),
  valueOptional: z.boolean().default(false),
  alternatives: z.array(Outcome).default([]),
})
export type RepairCase = z.infer<typeof RepairCase>

/** A row of json/jsontestsuite.jsonl. */
export const SuiteFile = z.object({
  name: z.string(),
  expect: z.enum(['valid', 'invalid', 'either']),
  base64: z.base64(),
})
export type SuiteFile = z.infer<typeof SuiteFile>

export type Verdict = 'preferred' | 'acceptable' | 'wrong'

/** What the repair of one case is worth. */
export function judgeCase(row: RepairCase): Verdict {
  const repair = repairJson(row.input)
  const spelled = [...row.repairedContains, ...row.repairedKeeps]
  const keeps = !repair.ok || spelled.every((part) => repair.repaired.includes(part))
  const untouched = !row.alreadyValid || (repair.ok && repair.changeCount === 0)
  if (!keeps || !untouched) return 'wrong'
  if (isOutcome(repair, row, row.valueOptional)) return 'preferred'
  return row.alternatives.some((one) => isOutcome(repair, one, row.valueOptional)) ? 'acceptable' : 'wrong'
}

function isOutcome(
  repair: JsonRepair,
  { ok, value }: z.infer<typeof Outcome>,
  valueOptional: boolean,
): boolean {
  if (!ok || !repair.ok) return ok === repair.ok
  return 'value' in repair ? isDeepStrictEqual(repair.value, value) : valueOptional
}

/**
 * Is a file of the suite read as its name demands: valid text unchanged, invalid text refused or made valid?
 * Bytes that are no UTF-8 never reach this read; a query with such bytes is refused before.
 */
export function followsSuite({ expect, base64 }: SuiteFile): boolean {
  const text = decodeUtf8(base64)
  if (text === null) return expect !== 'valid'
  const repair = repairJson(text)
  if (expect === 'valid') return repair.ok && repair.changeCount === 0 && repair.repaired === text
  if (!repair.ok) return true
  return (expect === 'either' || repair.changeCount > 0) && isJson(repair.repaired)
}

function decodeUtf8(base64: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, 'base64'))
  } catch {
    return null
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** @param file under the folder of the corpora. */
export async function readRows<Row>(corpora: string, file: string, row: z.ZodType<Row>): Promise<Row[]> {
  const lines = (await readFile(join(corpora, file), 'utf8')).trim().split('\n')
  return lines.map((line) => row.parse(JSON.parse(line)))
}

/** @param corpora the folder that holds json/. */
export async function scoreJson(corpora: string): Promise<ScoreRow[]> {
  const verdicts = (await readRows(corpora, 'json/repair-cases.jsonl', RepairCase)).map(judgeCase)
  const suite = await readRows(corpora, 'json/jsontestsuite.jsonl', SuiteFile)
  return [
    ...(['preferred', 'acceptable', 'wrong'] as const).map((metric) =>
      share('repair-cases', metric, verdicts, (verdict) => verdict === metric),
    ),
    ...(['valid', 'invalid', 'either'] as const).map((kind) =>
      share(
        `JSONTestSuite ${kind}`,
        'followed',
        suite.filter(({ expect }) => expect === kind),
        followsSuite,
      ),
    ),
  ]
}

function share<Item>(set: string, metric: string, items: Item[], counts: (item: Item) => boolean): ScoreRow {
  return { tool: 'json', set, items: items.length, metric, value: items.filter(counts).length / items.length }
}
