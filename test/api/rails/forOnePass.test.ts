import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { forOnePass } from '../../../api/rails/forOnePass.ts'
import type { Rail } from '../../../api/rails/rail.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { SECOND } from '../../../ops/units.ts'

let nowMs = 0
let takesMs = 0
let asked = 0
let isDown = true
const ask = async () => {
  asked++
  nowMs += takesMs
  if (isDown) throw new UnavailableError('chain_unavailable', `the ${asked}th look`)
  return 'unknown' as const
}
const rail = { id: 'usdc_base', byHash: ask, covers: ask, since: ask } as unknown as Rail

beforeEach(() => {
  nowMs = 0
  asked = 0
  isDown = true
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
})
afterEach(() => void vi.restoreAllMocks())

describe('I23 a rail in one pass', () => {
  test.each([
    [5 * SECOND, 2],
    [5 * SECOND - 1, 3],
    [11 * SECOND, 1],
  ])(
    'looks that fail after %d ms: %d are made, and the last failure stands for all others',
    async (each, made) => {
      takesMs = each
      const { byHash, covers, since } = forOnePass(rail)
      for (let nth = 0; nth < 10; nth++) await expect(byHash('0x1')).rejects.toThrow('look')
      await expect(covers(0)).rejects.toThrow(`the ${made}th look`)
      await expect(since(0)).rejects.toThrow(`the ${made}th look`)
      expect(asked).toBe(made)
    },
  )

  test('looks that fail at once, for what they were asked about, take nobody else’s', async () => {
    takesMs = 0
    const { byHash } = forOnePass(rail)
    for (let nth = 0; nth < 100; nth++) await expect(byHash('0x1')).rejects.toThrow('look')
    isDown = false
    expect(await byHash('0x1')).toBe('unknown')
  })

  test('slow looks that do answer are made', async () => {
    takesMs = 20 * SECOND
    isDown = false
    const { byHash } = forOnePass(rail)
    for (let nth = 0; nth < 5; nth++) expect(await byHash('0x1')).toBe('unknown')
  })

  test('the next pass asks again', async () => {
    takesMs = 20 * SECOND
    await expect(forOnePass(rail).byHash('0x1')).rejects.toThrow('the 1th look')
    await expect(forOnePass(rail).byHash('0x1')).rejects.toThrow('the 2th look')
  })
})
