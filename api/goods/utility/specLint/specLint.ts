import { z } from 'zod'
import { defineGood } from '../../good.ts'
import { TextQuery } from '../text/query.ts'
import { lintSpec } from './lintSpec.ts'
import { SpecLint } from './result.ts'

/** Sanity check of an OpenAPI document (spec 4.1 rule 9): three checks only. */
export const specLint = defineGood({
  sku: 'SKU_AG_SPEC_LINT_01',
  path: '/x402/v1/spec-lint',
  title: 'OpenAPI sanity check',
  description:
    'OpenAPI document in JSON in, score 0–100 and issues with JSON pointers out. Three checks only: a version field, at least one path, one 2xx response. Not a schema validation; YAML is refused with an issue; $ref inside the document is followed, nothing is fetched.',
  listPriceMicroUsdc: 20_000n,
  priceMicroUsdc: 1_000n,
  parameters: [
    {
      name: 'q',
      required: true,
      description: 'OpenAPI document as JSON',
      example: '{"openapi":"3.1.0","paths":{"/ping":{"get":{"responses":{"200":{"description":"ok"}}}}}}',
    },
  ],
  input: TextQuery,
  delivers: 'specLint {score, issues}',
  output: z.object({ specLint: SpecLint }),
  answer: ({ q }) => ({ result: { specLint: lintSpec(q) }, snapshotVersion: null }),
})
