import { describe, expect, test } from 'vitest'
import { readRows } from '../../../../../api/goods/utility/json/score.ts'
import { lintSpec } from '../../../../../api/goods/utility/specLint/lintSpec.ts'
import { LintRow, scoreSpecLint } from '../../../../../api/goods/utility/specLint/score.ts'
import { CORPORA, hasCorpora } from '../json/support.ts'

describe.skipIf(!hasCorpora)(
  '4.1 rule 9 on the documents of the OpenAPI repository (skipped without ../shared/corpora)',
  () => {
    test('the three checks of every document', async () => {
      const rows = await readRows(CORPORA, 'spec-lint/openapi.jsonl', LintRow)
      expect(rows).toHaveLength(57)
      const checksOf = rows.map(({ name, document }) => [name, lintSpec(JSON.stringify(document)).checks])
      expect(checksOf).toEqual(rows.map(({ name, checks }) => [name, checks]))
    })

    test('the score as the command prints it', async () => {
      const rows = await scoreSpecLint(CORPORA)
      expect(rows.map(({ items, value }) => [items, value])).toEqual([
        [57, 1],
        [57, 1],
        [57, 1],
      ])
    })
  },
)
