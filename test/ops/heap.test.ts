import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { STANDS_BACK } from '../../ops/heap.ts'
import { NODE, REPOSITORY } from '../support/process.ts'

/** Peak of the heap, MiB, of a process whose old rows are replaced all the time. */
const peakOf = async (...words: string[]): Promise<number> => Number(await run('churnMain.ts', ...words))
const run = async (main: string, ...words: string[]): Promise<string> =>
  (await promisify(execFile)(NODE, [`${REPOSITORY}/test/ops/support/${main}`, ...words])).stdout

test('design 6: the heap of a process that holds the markets does not grow to a multiple of what it knows', async () => {
  const [left, tight] = [await peakOf(), await peakOf('tight')]
  expect(left).toBeGreaterThan(0)
  expect(tight).toBeLessThan(0.85 * left)
}, 60_000)

test.runIf(process.platform === 'linux')(
  'who looks through the heap stands back, who answers does not',
  async () => {
    const { before, after } = JSON.parse(await run('threadsMain.ts'))
    expect(after.main).toBe(before.main)
    const niceness = before.main + STANDS_BACK
    expect([before.others.includes(niceness), after.others.includes(niceness)]).toEqual([false, true])
  },
)
