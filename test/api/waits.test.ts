import { expect, test } from 'vitest'
import { createWaits } from '../../api/waits.ts'

const never = new Promise<string>(() => {})

test('OPS-01 a process that closes ends what its requests wait for, also what they come to wait for then', async () => {
  const waits = createWaits()
  const before = waits.wait(never, 'given up')
  expect(await waits.wait(Promise.resolve('done'), 'given up')).toBe('done')
  waits.end()
  expect([await before, await waits.wait(never, 'given up')]).toEqual(['given up', 'given up'])
})

test('what fails after waits are over bothers nobody', async () => {
  const waits = createWaits()
  waits.end()
  expect(await waits.wait(Promise.reject(new Error('away')), 'given up')).toBe('given up')
})

test('a wait that fails says why', async () => {
  await expect(createWaits().wait(Promise.reject(new Error('away')), null)).rejects.toThrow('away')
})
