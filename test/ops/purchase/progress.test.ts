import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createProgress } from '../../../ops/purchase/progress.ts'
import { REPOSITORY } from '../../support/process.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('what is waited for is one line, that is gone afterwards', () => {
  test('it says what and how long, and clears itself', () => {
    const written: string[] = []
    let columns = 80
    const progress = createProgress(
      (text) => written.push(text),
      Date.now,
      () => columns,
    )
    progress.start('waiting for settlement')
    vi.advanceTimersByTime(1_200)
    expect(written.at(-1)).toMatch(/^\r\u001b\[2K\S waiting for settlement 1\.2 s$/)
    columns = 20 //  a line that wraps could not be cleared
    vi.advanceTimersByTime(100)
    expect(written.at(-1)).toMatch(/^\r\u001b\[2K\S waiting for settl$/)
    progress.stop()
    expect(written.at(-1)).toBe('\r\u001b[2K')
    const count = written.length
    vi.advanceTimersByTime(1_000)
    progress.stop()
    expect(written).toHaveLength(count)
  })

  test('without a terminal there is none', () => {
    const stderr = execFileSync(
      'sh',
      ['-c', `${REPOSITORY}/ops/buy /p --base http://127.0.0.1:9 --pass 2>&1; true`],
      {
        encoding: 'utf8',
      },
    )
    expect(stderr).not.toContain('\u001b')
  })
})
