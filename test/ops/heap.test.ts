import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { NODE, REPOSITORY } from '../support/process.ts'

/** Runs churnMain.ts. @returns the heap's peak and the young generation's size, in MiB, and the full collections. */
const churn = async (...words: string[]): Promise<Churned> =>
  JSON.parse(
    (await promisify(execFile)(NODE, [`${REPOSITORY}/test/ops/support/churnMain.ts`, ...words])).stdout,
  )
type Churned = { peak: number; young: number; whole: number }
let tightOnce: Promise<Churned> | undefined
const churnTight = (): Promise<Churned> => {
  tightOnce ??= churn('tight')
  return tightOnce
}

test('design 6: the heap of a process that holds the markets does not grow to a multiple of what it knows', async () => {
  const [left, tight] = [await churn(), await churnTight()]
  expect(left.peak).toBeGreaterThan(0)
  expect(tight.peak).toBeLessThan(0.85 * left.peak)
}, 60_000)

test('design 6: a process that answers is not looked through all the time where little lives, and takes 96 MiB more at most', async () => {
  const [tight, answers] = [await churn('few', 'tight'), await churn('few', 'answers')]
  expect(tight.whole).toBeGreaterThan(0)
  expect(answers.whole).toBeLessThan(0.7 * tight.whole)
  const many = [await churnTight(), await churn('answers')]
  for (const [small, large] of [[tight.peak, answers.peak], many.map(({ peak }) => peak)])
    expect(large! - small!).toBeLessThan(96)
}, 60_000)

test.each([
  ['a process that holds the markets', [], true],
  ['a process that answers, where what waits for the ledger dies young', ['answers'], false],
])('design 6: in %s V8 may make objects old from the start: %j %j', async (_what, words, may) => {
  const { stdout } = await promisify(execFile)(NODE, [
    `${REPOSITORY}/test/ops/support/pretenuringMain.ts`,
    ...words,
  ])
  expect(JSON.parse(stdout)).toBe(may)
})

test('design 6: of a process through which much flows the young part stays small', async () => {
  const [left, small] = [await churnTight(), await churn('tight', 'young')]
  expect(small.young).toBeGreaterThan(0)
  expect(small.young).toBeLessThanOrEqual(left.young / 2)
}, 60_000)

/** Runs youngMain.ts. @returns collections of the young generation, and how many of them other threads had a part in. */
async function youngCollections(...words: string[]): Promise<{ all: number; helped: number }> {
  const { stdout } = await promisify(execFile)(NODE, [
    '--trace-gc',
    '--trace-gc-nvp',
    `${REPOSITORY}/test/ops/support/youngMain.ts`,
    ...words,
  ])
  const spent = [...stdout.matchAll(/ background\.scavenge\.parallel=([\d.]+)/g)].map(([, ms]) => Number(ms))
  return { all: spent.length, helped: spent.filter((ms) => ms > 0).length }
}

test.skipIf(availableParallelism() < 2)(
  'design 6: nobody waits for a helper thread to be given a processor when the young generation is collected',
  async () => {
    const [left, alone] = [await youngCollections(), await youngCollections('alone')]
    expect(left.helped).toBeGreaterThan(0)
    expect(alone.all).toBeGreaterThan(0)
    expect(alone.helped).toBe(0)
  },
  60_000,
)

/** Runs restMain.ts. @returns how many full collections a process with some garbage does while it is idle. */
const collections = async (...words: string[]): Promise<number> =>
  JSON.parse(
    (
      await promisify(execFile)(NODE, [
        '--max-semi-space-size=1', //  otherwise most of the heap here would be young
        `${REPOSITORY}/test/ops/support/restMain.ts`,
        ...words,
      ])
    ).stdout,
  )

test.each([
  ['at rest, with most of the room used', ['most', 'rest'], 1],
  ['at rest, with little garbage', ['little', 'rest'], 0],
  ['with most of the room used, and no rest', ['most'], 0],
])(
  'design 6: the heap is looked through %s: %j, %i times',
  async (_what, words, times) => {
    expect(await collections(...words)).toBe(times)
  },
  60_000,
)

test.skipIf(!existsSync('/proc/self/task'))(
  'design 6: threads that help to look through the heap give way, those that read and write do not',
  async () => {
    const { stdout } = await promisify(execFile)(NODE, [`${REPOSITORY}/test/ops/support/niceMain.ts`])
    const { main, helpers, files } = JSON.parse(stdout)
    expect([main, new Set(helpers), new Set(files)]).toEqual([0, new Set([10]), new Set([0])])
  },
)
