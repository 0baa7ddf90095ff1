import { describe, expect, test } from 'vitest'
import type { ScannedTransfer } from '../../../api/rails/evm/logs.ts'
import {
  MAX_KEPT,
  MAX_MARKS,
  type Mark,
  type Scanned,
  withoutOldest,
  withoutReplaced,
  withRange,
} from '../../../api/rails/evm/scanned.ts'

/** @param times one transfer each, in order; a second is a block. */
const found = (times: readonly number[]): ScannedTransfer[] =>
  times.map((atMs, logIndex) => ({
    atMs,
    logIndex,
    blockIndex: logIndex,
    blockNumber: BigInt(atMs / 1_000),
    tx: '0x',
    from: '0x',
    to: '0x',
    value: 1n,
  }))
const many = (count: number, each = 1): number[] =>
  Array.from({ length: count }, (_, index) => 1_000 * (1 + Math.floor(index / each)))

describe('what is kept is bounded and has no gap', () => {
  const kept = (times: readonly number[]): Scanned => ({
    fromMs: 0,
    to: 10n ** 6n,
    found: found(times),
    marks: [],
  })

  test('as many as are kept stay; one more takes its whole block with it', () => {
    expect(withoutOldest(kept(many(MAX_KEPT, 10)), 0)).toMatchObject({ fromMs: 0 })
    const cut = withoutOldest(kept(many(MAX_KEPT + 1, 10)), 0)
    expect(cut.fromMs).toBe(1_001)
    expect(cut.found).toHaveLength(MAX_KEPT + 1 - 10)
  })

  test('too old is gone, and the beginning moves with it', () => {
    expect(withoutOldest(kept([1_000, 2_000, 3_000]), 2_000)).toMatchObject({
      fromMs: 2_000,
      found: [{ atMs: 2_000 }, { atMs: 3_000 }],
    })
  })

  test('a range adds its transfers and the mark of its end; the oldest marks go', () => {
    const marks = Array.from({ length: MAX_MARKS }, (_, index) => mark(index))
    const read = { to: 99n, found: found([98_000, 99_000]), mark: mark(99) }
    expect(withRange({ ...kept([1_000]), to: 97n, marks }, read)).toMatchObject({
      to: 99n,
      found: [{ atMs: 1_000 }, { atMs: 98_000 }, { atMs: 99_000 }],
      marks: [...marks.slice(1), mark(99)],
    })
    expect(withRange({ ...kept([]), marks: [mark(98), mark(99)] }, { ...read, mark: null }).marks).toEqual([
      mark(98),
    ])
  })
})

const mark = (number: number): Mark => ({ number: BigInt(number), hash: `0x${number}` })

describe('CHN-04: what the chain may have replaced is as if unread', () => {
  //  a transfer in each of the blocks 1 to 100
  const marks = [mark(60), mark(90), mark(100)]
  const scanned: Scanned = { fromMs: 0, to: 100n, found: found(many(100)), marks }

  test.each([
    ['all stands: the overlap alone', 100, marks[2]!, 92, 3],
    ['all stands, more on top', 120, marks[2]!, 92, 3],
    ['the head one back, the mark below it stands', 99, marks[1]!, 82, 2],
    ['the newest replaced', 120, marks[1]!, 82, 2],
    ['the mark that stands lies deeper than deepest', 120, marks[0]!, 60, 1],
    ['none stands: what lay deeper than deepest', 120, null, 60, 0],
    ['none stands, and the head is lower: less deep', 97, null, 57, 0],
    ['before the first block there is none', 30, null, -1, 0],
  ])('%s', (_, head, stands, to, left) => {
    const limits = { head: BigInt(head), stands, overlap: 8n, deepest: 40n }
    const now = withoutReplaced(scanned, limits)
    expect(now).toMatchObject({ to: BigInt(to), marks: marks.slice(0, left) })
    expect(now.found.map(({ blockNumber }) => Number(blockNumber))).toEqual(
      Array.from({ length: Math.max(to, 0) }, (_, index) => index + 1),
    )
  })
})
