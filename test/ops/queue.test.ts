import { describe, expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../ops/log.ts'
import { leaveToOthers, openQueue, openWorker } from '../../ops/queue.ts'
import { until } from '../support/process.ts'
import { startRedis } from '../support/redis.ts'

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
