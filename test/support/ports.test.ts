import { describe, expect, test, vi } from 'vitest'
import { freePort } from './ports.ts'

describe('a server that a test kills and starts again finds its own port', () => {
  test('no port is given twice', async () => {
    const ports = await Promise.all(Array.from({ length: 200 }, freePort))
    expect(new Set(ports).size).toBe(200)
  })

  test('workers of the suite are given ports of different shares', async () => {
    const of = async (worker: string) => {
      vi.stubEnv('VITEST_POOL_ID', worker)
      return freePort().finally(() => vi.unstubAllEnvs())
    }
    const shares = []
    for (const worker of ['1', '2', '3']) shares.push(Math.floor(((await of(worker)) - 12_000) / 2_500))
    expect(shares).toEqual([1, 2, 3])
  })
})
