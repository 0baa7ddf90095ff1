import { describe, expect, test } from 'vitest'
import { createBlockTimes } from '../../../api/rails/evm/logs.ts'
import { createFakeChain } from './fakeChain.ts'

describe('CLS-06 a transfer is of the time of its block', () => {
  const world = () => {
    const fake = createFakeChain()
    return { fake, times: createBlockTimes(fake.network) }
  }

  test('of as many blocks as are named, each asked for once', async () => {
    const { fake, times } = world()
    const numbers = Array.from({ length: 20 }, (_, nth) => fake.head() - nth)
    const told = await times([...numbers, ...numbers].map(BigInt))
    expect([...told]).toEqual(numbers.map((number) => [BigInt(number), fake.timeMs(number)]))
    expect(fake.asked().blocks).toBe(20)
  })

  test('CHN-04 a block that the node does not have is an outage, or its transfers would have no time', async () => {
    const { fake, times } = world()
    await expect(times([BigInt(fake.head()), BigInt(fake.head() + 1)])).rejects.toMatchObject({
      code: 'chain_unavailable',
    })
  })
})
