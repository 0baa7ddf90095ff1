import { z } from 'zod'
import { defineGood } from '../../good.ts'
import { AREAS } from './failure.ts'
import { ScanInput } from './input.ts'
import { Scan } from './result.ts'
import { scanLog } from './scanLog.ts'

/** What failed in a log sample, and what leaks in it (spec 4.1 rule 11). The sample is not stored. */
export const scan = defineGood({
  sku: 'SKU_AG_SCAN_01',
  path: '/x402/v1/scan',
  title: 'Log leak and error scan',
  description:
    'Names the class of failure in a log sample (HTTP, network, TLS, DNS, database, host, access, code, x402 payment) with the line it shows on and one next action, and counts sensitive-looking strings by kind. Unknown is an answer. The sample is not stored and never returned.',
  listPriceMicroUsdc: 490_000n,
  priceMicroUsdc: 490_000n,
  parameters: [
    {
      name: 'raw',
      required: false,
      description:
        'Log sample, at most 64 KiB, by GET as much as the request head holds; or use the header X-Service-Payload',
      example: 'Error: connect ECONNREFUSED 127.0.0.1:5432',
    },
  ],
  payload: {
    name: 'X-Service-Payload',
    required: false,
    description: `Base64 of JSON {raw, area?}: raw is the log sample, at most 64 KiB; area is one of ${AREAS.join(', ')} and is blamed first when the sample shows several failures`,
    example: 'eyJyYXciOiJFcnJvcjogY29ubmVjdCBFQ09OTlJFRlVTRUQgMTI3LjAuMC4xOjU0MzIifQ==',
  },
  input: ScanInput,
  delivers: 'scan {failureClass, nextAction, sensitive counts}',
  output: z.object({ scan: Scan }),
  answer: ({ raw, area }) => ({
    result: { scan: scanLog(raw, area ?? null) satisfies Scan },
    snapshotVersion: null,
  }),
})
