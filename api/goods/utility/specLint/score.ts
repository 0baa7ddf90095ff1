import { z } from 'zod'
import type { ScoreRow } from '../scoreRow.ts'
import { readCorpus, share } from '../text/corpus.ts'
import { lintSpec } from './lintSpec.ts'
import { CHECKS } from './result.ts'

/** A row of spec-lint/openapi.jsonl; the fields are explained in the README of the corpora. */
export const LintRow = z.object({
  name: z.string(),
  version: z.string(),
  checks: z.object({ version: z.boolean(), path: z.boolean(), success2xx: z.boolean() }),
  document: z.unknown(),
})
export type LintRow = z.infer<typeof LintRow>

/** @param corpora the folder that holds spec-lint/. */
export function scoreSpecLint(corpora: string): ScoreRow[] {
  const rows = readCorpus(corpora, 'spec-lint/openapi.jsonl', LintRow) ?? []
  const linted = rows.map((row) => ({ row, found: lintSpec(JSON.stringify(row.document)) }))
  return CHECKS.map((check) => {
    const agreeing = linted.filter(({ row, found }) => row.checks[check] === found.checks[check])
    return share('spec-lint', `openapi ${check}`, 'agreement', agreeing.length, rows.length)
  })
}
