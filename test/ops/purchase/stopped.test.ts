import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/process.ts'
import { openTool } from './tool.ts'

let tool: Awaited<ReturnType<typeof openTool>>
beforeAll(async () => {
  tool = await openTool()
})
afterAll(() => tool?.close())

describe('--json is one object however it ends', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s before a payment: 130', async (signal) => {
    const seller = await tool.sell({ unpaid: 'hang' })
    const running = tool.start([`${seller.base}/x402/v1/spread`, '--key-file', tool.keyFile, '--json'])
    await until('it asks', () => seller.unpaid === 1)
    running.child.kill(signal)
    expect((await running.exited).code).toBe(130)
    expect(JSON.parse(running.stdout())).toMatchObject({ ok: false, outcome: 'interrupted', exitCode: 130 })
    expect(running.stderr()).toBe('')
  })

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s while it settles: 5, and the same command goes on',
    async (signal) => {
      const seller = await tool.sell({ script: ['hang', 'sell'] })
      const words = [`${seller.base}/x402/v1/spread`, '--key-file', tool.keyFile, '--json']
      const running = tool.start(words)
      await until('the payment has arrived', () => seller.payments.length === 1)
      running.child.kill(signal)
      expect((await running.exited).code).toBe(5)
      expect(JSON.parse(running.stdout())).toMatchObject({
        ok: false,
        outcome: 'unknown',
        exitCode: 5,
        message: expect.stringContaining('the same command again goes on with it'),
      })
      expect(JSON.parse((await tool.run(words)).stdout)).toMatchObject({ ok: true, outcome: 'bought' })
      expect(new Set(seller.payments).size).toBe(1)
    },
  )

  test('1: the disk says no; it is no stack trace', async () => {
    const file = join(tool.dir, 'no-folder')
    await writeFile(file, '')
    const { code, stdout, stderr } = await tool.run([
      'limits',
      '--max-usd',
      '1',
      '--data-dir',
      file,
      '--json',
    ])
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, outcome: 'failed', exitCode: 1 })
    const plain = await tool.run(['limits', '--max-usd', '1', '--data-dir', file])
    expect([plain.stdout, plain.stderr.trim().split('\n').length]).toEqual(['', 1])
  })

  test('2: a setting that cannot be read', async () => {
    const { code, stdout } = await tool.run(['list', '--json'], { PORT: 'many' })
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'usage', message: expect.stringContaining('PORT') })
  })
})
