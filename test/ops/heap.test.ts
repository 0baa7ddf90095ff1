import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { NODE, REPOSITORY } from '../support/process.ts'

/** Peak of the heap and room for what is young, MiB, of a process whose old rows are replaced all the time. */
const churn = async (...words: string[]): Promise<{ peak: number; young: number }> =>
  JSON.parse(
    (await promisify(execFile)(NODE, [`${REPOSITORY}/test/ops/support/churnMain.ts`, ...words])).stdout,
  )

test('design 6: the heap of a process that holds the markets does not grow to a multiple of what it knows', async () => {
  const [left, tight] = [await churn(), await churn('tight')]
  expect(left.peak).toBeGreaterThan(0)
  expect(tight.peak).toBeLessThan(0.85 * left.peak)
}, 60_000)

test('design 6: of a process through which much flows the young part stays small', async () => {
  const [left, small] = [await churn('tight'), await churn('tight', 'young')]
  expect(small.young).toBeGreaterThan(0)
  expect(small.young).toBeLessThanOrEqual(left.young / 2)
}, 60_000)
