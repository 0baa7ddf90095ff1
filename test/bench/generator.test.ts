import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { startGenerator } from './support/contender.ts'

/**
 * An open load. If a slow server decides when the next request is sent, those that would have waited are never sent,
 * and the figures look better than what buyers see.
 */
const OFFERED = 60
const ANSWER_MS = 100

describe('requests that are offered at a rate', () => {
  const ends: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })

  test('come at that rate however slow the answers are, and are all counted', async () => {
    expect(await counted({ connections: OFFERED, offered: OFFERED })).toBe(OFFERED)
  })

  test('are all sent where too few connections hold them up', async () => {
    //  two connections answer twenty a second
    expect(await counted({ connections: 2, offered: OFFERED })).toBe(OFFERED)
  })

  test('without a rate a connection sends when it has its answer', async () => {
    expect(await counted({ connections: 2 })).toBeLessThan(OFFERED / 2)
  })

  async function counted(load: { connections: number; offered?: number }): Promise<number> {
    const server: Server = createServer((_, response) => setTimeout(() => response.end('{}'), ANSWER_MS))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const generator = startGenerator()
    ends.push(
      () => generator.stop(),
      () => server.close(),
    )
    const { port } = server.address() as AddressInfo
    const contender = { name: 'slow', port, pid: process.pid, stop: async () => undefined }
    const job = { path: '/', expectStatus: 200, seconds: 1, warmUpSeconds: 0.2 }
    return (await generator.load(contender, { ...job, ...load })).requests
  }
})
