import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { seldom, sparingly } from '../../ops/sparingly.ts'

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

test('what thousands may say in turn is said once in ten seconds, whatever it is', () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => clock.mockRestore())
  const words: string[] = []
  const tell = seldom((who: string, what: string) => words.push(`${who} ${what}`))
  for (const [atMs, who] of [
    [0, 'a'],
    [1, 'b'],
    [9_999, 'a'],
    [10_000, 'c'],
    [19_999, 'd'],
    [20_000, 'd'],
  ] as const) {
    clock.mockReturnValue(atMs)
    tell(who, `${atMs}`)
  }
  expect(words).toEqual(['a 0', 'c 10000', 'd 20000'])
})
