import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { NODE, REPOSITORY } from '../support/process.ts'

/** Peak of the heap, MiB, of a process whose old rows are replaced all the time. */
const peakOf = async (...words: string[]): Promise<number> =>
  Number((await promisify(execFile)(NODE, [`${REPOSITORY}/test/ops/support/churnMain.ts`, ...words])).stdout)

test('design 6: the heap of a process that holds the markets does not grow to a multiple of what it knows', async () => {
  const [left, tight] = [await peakOf(), await peakOf('tight')]
  expect(left).toBeGreaterThan(0)
  expect(tight).toBeLessThan(0.85 * left)
}, 60_000)
