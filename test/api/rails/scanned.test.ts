import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ScannedTransfer } from '../../../api/rails/evm/logs.ts'
import {
  MAX_ANSWER,
  MAX_KEPT,
  oldestOf,
  type Scanned,
  withoutNewest,
  withoutOldest,
} from '../../../api/rails/evm/scanned.ts'

/** @param times one transfer each, in order; a second is a block. */
const found = (times: readonly number[]): ScannedTransfer[] =>
  times.map((atMs, logIndex) => ({
    ...{
      atMs,
      logIndex,
      blockIndex: logIndex,
      blockNumber: BigInt(atMs / 1_000),
      tx: '0x',
      from: '0x',
      to: '0x',
      value: 1n,
    },
  }))
const many = (count: number, each = 1): number[] =>
  Array.from({ length: count }, (_, index) => 1_000 * (1 + Math.floor(index / each)))

describe('an answer ends at the edge of a block, and asking again always gets further', () => {
  test('up to the bound: all of it', () => {
    expect(oldestOf(found(many(MAX_ANSWER)), 0)).toHaveLength(MAX_ANSWER)
  })

  test('beyond it: the oldest, no block in halves', () => {
    const answer = oldestOf(found(many(2_500, 300)), 0)
    expect(answer).toHaveLength(1_200)
    expect(answer[0]!.atMs).toBe(1_000)
  })

  test('one block of more than the bound, asked for from its own time: it and the next', () => {
    const times = [...many(1_500, 1_500), ...Array.from({ length: 10 }, () => 2_000), 3_000]
    expect(oldestOf(found(times), 1_000).at(-1)!.atMs).toBe(2_000)
  })

  test('property: going on from the last time reaches the end and misses nothing', () => {
    const blocks = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(blocks, (sizes) => {
        const all = found(
          sizes.flatMap((size, block) => Array.from({ length: size }, () => 1_000 * (block + 1))),
        )
        const seen = new Set<number>()
        let fromMs = 0
        for (let call = 0; call < sizes.length + 2; call++) {
          const answer = oldestOf(all, fromMs)
          for (const { logIndex } of answer) seen.add(logIndex)
          fromMs = answer.at(-1)!.atMs
        }
        expect(seen.size).toBe(all.length)
      }),
    )
  })
})

describe('what is kept is bounded and has no gap', () => {
  const kept = (times: readonly number[]): Scanned => ({ fromMs: 0, to: 10n ** 6n, found: found(times) })

  test('as many as are kept stay; one more takes its whole block with it', () => {
    expect(withoutOldest(kept(many(MAX_KEPT, 10)), 0)).toMatchObject({ fromMs: 0 })
    const cut = withoutOldest(kept(many(MAX_KEPT + 1, 10)), 0)
    expect(cut.fromMs).toBe(1_001)
    expect(cut.found).toHaveLength(MAX_KEPT + 1 - 10)
  })

  test('too old is gone, and the beginning moves with it', () => {
    expect(withoutOldest(kept([1_000, 2_000, 3_000]), 2_000)).toMatchObject({
      ...{ fromMs: 2_000, found: [{ atMs: 2_000 }, { atMs: 3_000 }] },
    })
  })

  test('the newest blocks are as if unread; before the first block there is none', () => {
    expect(withoutNewest({ ...kept([1_000, 2_000, 3_000]), to: 3n }, 1n)).toMatchObject({
      ...{ to: 2n, found: [{ atMs: 1_000 }, { atMs: 2_000 }] },
    })
    expect(withoutNewest({ ...kept([1_000]), to: 3n }, 8n)).toMatchObject({ to: -1n, found: [] })
  })
})
