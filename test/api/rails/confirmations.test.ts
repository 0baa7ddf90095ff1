import { describe, expect, test } from 'vitest'
import { confirmationsFor, depthOf } from '../../../api/rails/confirmations.ts'

const USD = 1_000_000n

describe('CHN-06: how deep by rail and value', () => {
  test.each([
    //  below 100 USD, from there to 1,000, from there on
    ['base', [1, 30, 450]],
    ['arbitrum', [1, 240, 3_600]],
    ['polygon', [16, 64, 256]],
    ['ethereum', [3, 12, 64]],
    ['solana', [32, 32, 32]],
    ['bitcoin', [1, 2, 6]],
  ] as const)('%s: %j', (chain, [small, middle, large]) => {
    const amounts = [0n, 100n * USD - 1n, 100n * USD, 1_000n * USD - 1n, 1_000n * USD, 10n ** 18n]
    expect(amounts.map((amount) => confirmationsFor(chain, amount))).toEqual([
      small,
      small,
      middle,
      middle,
      large,
      large,
    ])
  })

  test.each([
    [10n, 10n, 1],
    [11n, 10n, 2],
    [9n, 10n, 1], //  a node whose newest block is behind one that it showed
  ])('newest block %d, its own %d: %d', (head, block, depth) => expect(depthOf(head, block)).toBe(depth))
})
