import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { ScoreRow } from '../scoreRow.ts'
import { readCorpus, share } from '../text/corpus.ts'
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

const VERDICTS = ['preferred', 'acceptable', 'wrong'] as const

/** Whether the repair of one case is the expected one, another that the corpus accepts, or neither. */
export function judgeCase(row: RepairCase): (typeof VERDICTS)[number] {
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
 * Whether a file of the suite is treated as its name demands: valid text unchanged, invalid text refused or made valid.
 * Bytes that are not UTF-8 count as refused: a query with such bytes never reaches this read.
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

/** @param corpora the folder that holds json/. */
export function scoreJson(corpora: string): ScoreRow[] {
  return [...repairCases(corpora), ...testSuite(corpora)]
}

function repairCases(corpora: string): ScoreRow[] {
  const verdicts = readCorpus(corpora, 'json/repair-cases.jsonl', RepairCase)?.map(judgeCase) ?? []
  return VERDICTS.map((verdict) => {
    const judgedSo = verdicts.filter((each) => each === verdict).length
    return share('json', 'repair-cases', verdict, judgedSo, verdicts.length)
  })
}

function testSuite(corpora: string): ScoreRow[] {
  const suite = readCorpus(corpora, 'json/jsontestsuite.jsonl', SuiteFile) ?? []
  return SuiteFile.shape.expect.options.map((kind) => {
    const files = suite.filter(({ expect }) => expect === kind)
    return share('json', `JSONTestSuite ${kind}`, 'followed', files.filter(followsSuite).length, files.length)
  })
}
