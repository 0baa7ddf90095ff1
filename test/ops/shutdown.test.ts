import { describe, type ExpectStatic, test } from 'vitest'
import { runMain } from '../support/process.ts'

describe.concurrent('OPS-01 what a process that is told to stop ends with', () => {
  const end = async (way: string, expect: ExpectStatic) => {
    const child = runMain('test/ops/support/shutdownChild.ts', { args: [way] })
    await child.says(/ready/)
    process.kill(child.pid, 'SIGTERM')
    const exit = await child.exited
    expect(exit.signal).toBeNull()
    return { code: exit.code, said: child.stdout() }
  }

  test.for([
    ['done', 'draining'],
    ['tidyUp fails', 'the store is gone'],
    ['tidyUp hangs', 'not tidied up in time'],
    ['somebody fails afterwards', 'the store is gone'],
    ['stood still until its time was over', 'draining'],
  ] as const)('%s: all that was promised is kept, exit code 0', async ([way, words], { expect }) => {
    const { code, said } = await end(way, expect)
    expect([code, said]).toEqual([0, expect.stringContaining(words)])
  })

  test.for([
    ['finish hangs', 'drain did not end in time'],
    ['finish fails', 'the store is gone'],
    ['somebody fails meanwhile', 'uncaught'],
  ] as const)('%s: exit code 1, and why', async ([way, words], { expect }) => {
    const { code, said } = await end(way, expect)
    expect([code, said]).toEqual([1, expect.stringContaining(words)])
  })

  test.for(['is not told, and nobody catches a rejection', 'is not told, and nobody catches what is thrown'])(
    'OPS-17 %s: it does no more, exit code 1, and why',
    async (way, { expect }) => {
      const child = runMain('test/ops/support/shutdownChild.ts', { args: [way] })
      expect(await child.exited).toEqual({ code: 1, signal: null })
      expect(child.stdout()).toMatch(/"level":"fatal".*"reason":"[^"]*the store is gone.*"msg":"uncaught"/)
    },
  )

  test('told twice: exit code 1 at once', async ({ expect }) => {
    const child = runMain('test/ops/support/shutdownChild.ts', { args: ['tidyUp hangs'] })
    await child.says(/ready/)
    process.kill(child.pid, 'SIGTERM')
    await child.says(/draining/)
    process.kill(child.pid, 'SIGINT')
    expect(await child.exited).toEqual({ code: 1, signal: null })
  })
})
