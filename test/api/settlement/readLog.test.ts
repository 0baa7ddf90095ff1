import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readFoundLog, readLog } from '../../../api/settlement/readLog.ts'

const Hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text.toLowerCase())
const Quantity = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/)
/** The shape in words of a schema. */
const Log = z.object({
  address: Hex,
  topics: z.array(Hex),
  data: Hex,
  transactionHash: Hex,
  logIndex: Quantity,
  removed: z.boolean().nullish(),
})
const FoundLog = Log.extend({ blockNumber: Quantity, blockHash: Hex })

const hex = fc
  .array(fc.constantFrom(...'0123456789abcdefABCDEF'), { maxLength: 64 })
  .map((digits) => `0x${digits.join('')}`)
const sometimes = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 30, arbitrary: good as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: fc.anything() })
const quantity = fc.oneof(
  hex,
  fc.nat().map((number) => `0x${number.toString(16)}`),
)
const log = fc.record(
  {
    address: sometimes(hex),
    topics: sometimes(fc.array(sometimes(hex), { maxLength: 4 })),
    data: sometimes(hex),
    transactionHash: sometimes(hex),
    logIndex: sometimes(quantity),
    blockNumber: sometimes(quantity),
    blockHash: sometimes(hex),
    removed: fc.oneof(fc.boolean(), fc.constant(null), fc.constant(undefined), fc.constant('false')),
  },
  { requiredKeys: ['address', 'topics', 'data', 'transactionHash', 'logIndex'] },
)

describe('CHN-04 a log is what a node says it is, and nothing that has another shape is one', () => {
  test('as the schema says, for whatever a node may answer', () => {
    let good = 0
    fc.assert(
      fc.property(
        fc.oneof({ weight: 20, arbitrary: log }, { weight: 1, arbitrary: fc.anything() }),
        (json) => {
          const [wanted, found] = [Log.safeParse(json), readLog(json)]
          expect(found !== null).toBe(wanted.success)
          const wantedFound = FoundLog.safeParse(json)
          expect(readFoundLog(json) !== null).toBe(wantedFound.success)
          if (!wanted.success || found === null) return
          good++
          const { logIndex, removed, ...same } = wanted.data
          expect(found).toEqual({
            ...same,
            blockIndex: Number(BigInt(logIndex)),
            isRemoved: removed === true,
          })
          if (!wantedFound.success) return
          const { blockNumber, blockHash } = wantedFound.data
          expect(readFoundLog(json)).toEqual({ ...found, blockNumber: BigInt(blockNumber), blockHash })
        },
      ),
      { numRuns: 2_000 },
    )
    expect(good).toBeGreaterThan(200)
  })
})
