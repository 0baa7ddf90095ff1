import { z } from 'zod'
import { defineGood } from '../../good.ts'
import { TextQuery } from '../text/query.ts'
import { repairJson } from './repairJson.ts'
import { JsonRepair } from './result.ts'

/** Broken JSON made JSON by named changes (spec 4.1 rule 8). What cannot be repaired is an answer too: `ok` false. */
export const json = defineGood({
  sku: 'SKU_AG_JSON_01',
  path: '/x402/v1/json',
  title: 'JSON repair',
  description:
    'Broken JSON in, JSON out: code fences, comments, trailing commas, single quotes, unquoted keys, Python True/False/None. Each change is listed with its offset; numbers keep all their digits. No value is made up: text that is still not JSON returns ok false with the reason and the offset.',
  listPriceMicroUsdc: 1_000n,
  priceMicroUsdc: 1_000n,
  parameters: [
    { name: 'q', required: true, description: 'Broken JSON', example: "{'a': True, /* note */ b: [1, 2,],}" },
  ],
  input: TextQuery,
  delivers: 'json {ok, repaired text, changes, value}',
  output: z.object({ json: JsonRepair }),
  answer: ({ q }) => ({ result: { json: repairJson(q) }, snapshotVersion: null }),
})
