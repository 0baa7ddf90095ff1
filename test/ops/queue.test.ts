import { describe, expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../ops/log.ts'
import { leaveToOthers, openQueue, openWorker, sparingly } from '../../ops/queue.ts'
import { until } from '../support/process.ts'
import { startRedis } from '../support/redis.ts'

const said = (errors: readonly [atMs: number, message: string][]): string[] => {
  let nowMs = 0
  const words: string[] = []
  const tell = sparingly(
    (reason) => words.push(`${nowMs} ${reason}`),
    () => nowMs,
  )
  for (const [atMs, message] of errors) {
    nowMs = atMs
    tell(new Error(message))
  }
  return words
}

describe('a store that is away does not fill the log', () => {
  test('the same words: the first time, and again ten seconds after they were said', () => {
    const errors = [0, 1, 9_999, 10_000, 10_001, 19_999, 20_000].map((ms): [number, string] => [ms, 'gone'])
    expect(said(errors)).toEqual(['0 Error: gone', '10000 Error: gone', '20000 Error: gone'])
  })

  test('other words: at once', () => {
    const words = said([
      [1, 'gone'],
      [2, 'refused'],
      [3, 'refused'],
      [4, 'gone'],
    ])
    expect(words).toEqual(['1 Error: gone', '2 Error: refused', '4 Error: gone'])
  })
})

describe('a job that is left to others', () => {
  test('is run by another worker at once, though the one that left it waits at the queue as well', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop())
    const log = createLog('test', 'silent')
    const ran: string[] = []
    const open = (name: string, leaves: boolean) => {
      const opened = openWorker(server.url, 'turns', log, async (job, token) => {
        ran.push(name)
        if (!leaves) return 'done'
        await opened.worker.pause(true)
        return leaveToOthers(job, token)
      })
      onTestFinished(opened.close)
      return opened.worker.waitUntilReady()
    }
    const { queue, close } = openQueue(server.url, 'turns', log)
    onTestFinished(close)
    await open('first', true)
    await queue.add('turns', {})
    await until(
      'the first has left it',
      async () => ran.length === 1 && (await queue.getWaitingCount()) === 1,
    )
    await open('second', false)
    await until('it is done', async () => (await queue.getCompletedCount()) === 1)
    expect(ran).toEqual(['first', 'second'])
    await queue.add('turns', {})
    await until('so is the next', async () => (await queue.getCompletedCount()) === 2)
    expect(ran).toEqual(['first', 'second', 'second']) //  who left one takes none until it is resumed
    expect(await queue.getFailedCount()).toBe(0)
  })
})
