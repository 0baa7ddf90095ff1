import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Rests } from '../../../engine/stages/rests.ts'
import type { Batch } from '../../../ingest/contract/stream.ts'

const page = (venue: 'a' | 'b'): Batch => ({ kind: 'changes', venue, markets: [], quotes: [], closed: [] })
const end = (venue: 'a' | 'b'): Batch => ({
  kind: 'sweep',
  venue,
  sweep: {
    venue,
    sweepId: 1,
    startedMs: 1,
    finishedMs: 2,
    changedMs: 1,
    complete: true,
    markets: 1,
    pages: 1,
    dropped: {},
  },
})
const books: Batch = { kind: 'books', venue: 'a', books: [] }

let told = 0
let rests: Rests
const after = (ms: number, ...batches: Batch[]): number => {
  for (const batch of batches) rests.note(batch)
  vi.advanceTimersByTime(ms)
  return told
}

beforeEach(() => {
  vi.useFakeTimers()
  told = 0
  rests = new Rests(() => told++)
})
afterEach(() => {
  vi.useRealTimers()
})

test('told once both venues are read to the end, when what they changed is published', () => {
  expect(after(10_000, page('a'), page('b'))).toBe(0)
  expect(after(10_000, end('a'))).toBe(0)
  expect(after(299, end('b'))).toBe(0)
  expect(after(1)).toBe(1)
  expect(after(10_000)).toBe(1)
})

test('a page that comes before is no rest, its end is one', () => {
  after(299, page('a'), end('a'))
  expect(after(10_000, page('b'))).toBe(0)
  expect(after(300, end('b'))).toBe(1)
})

test('a venue that nothing comes from is not waited for, and books are no sweep', () => {
  expect(after(300, page('a'), end('a'))).toBe(1)
  expect(after(10_000, books)).toBe(1)
  after(100, page('a'), end('a'))
  expect(after(200, books)).toBe(2)
})

test('stopped, it tells nothing', () => {
  after(0, page('a'), end('a'))
  rests.stop()
  expect(after(10_000)).toBe(0)
})
