import { afterEach, describe, expect, test } from 'vitest'
import { createDuties, type Duties } from '../../../api/worker/duties.ts'
import { createLog } from '../../../ops/log.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { until } from '../../support/process.ts'

let duties: Duties
afterEach(() => duties.stop())

const world = (times: { againMs?: number } = {}) => {
  const metrics = createMetrics('worker')
  duties = createDuties({ log: createLog('test', 'silent'), metrics, ...times })
  return {
    problems: () => duties.checks().map(({ name, problem }) => [name, problem()]),
    doneAt: async (duty: string) => {
      const { values } = await metrics.registry.getSingleMetric('duty_done_timestamp_seconds')!.get()
      return values.find(({ labels }) => labels.duty === duty)?.value
    },
  }
}

describe('a duty of the worker', () => {
  test('that fails has a problem until a pass goes well, and holds up no other', async () => {
    const { problems, doneAt } = world()
    let passes = 0
    let isDown = true
    duties.add('books', 1, async () => {
      passes++
      if (isDown) throw new Error('no chain')
    })
    duties.add('names', 1, async () => {})
    expect(problems()).toEqual([
      ['books', null],
      ['names', null],
    ])
    const begunAt = await doneAt('books')
    expect(begunAt).toBeGreaterThan(1e9) //  seconds; for a duty that never went well, time counts from here
    await until('several passes', () => passes >= 5)
    expect(problems()).toEqual([
      ['books', expect.stringMatching(/no chain/)],
      ['names', null],
    ])
    expect(await doneAt('books')).toBe(begunAt)
    expect(await doneAt('names')).toBeGreaterThan(begunAt!)
    isDown = false
    await until('it goes well', () => duties.checks()[0]!.problem() === null)
    expect(await doneAt('books')).toBeGreaterThan(begunAt!)
  })

  test('of a long rest that fails is tried again soon: money that was closed has opened', async () => {
    const { problems } = world({ againMs: 1 })
    let isClosed = true
    let passes = 0
    duties.add('books', 3_600_000, async () => {
      if (isClosed) throw new Error('the ledger is fenced off')
      passes++
    })
    await until('it has a problem', () => problems()[0]![1] !== null)
    isClosed = false
    await until('it has none', () => problems()[0]![1] === null)
    expect(passes).toBe(1) //  one pass, then it rests
  })

  test('is done to its end when we stop, and not begun again', async () => {
    world()
    let begun = 0
    let done = 0
    let finish = () => {}
    duties.add('slow', 1, () => {
      begun++
      return new Promise((resolve) => {
        finish = () => {
          done++
          resolve()
        }
      })
    })
    const stopped = duties.stop().then(() => done)
    finish()
    expect(await stopped).toBe(1)
    expect(begun).toBe(1)
  })
})
