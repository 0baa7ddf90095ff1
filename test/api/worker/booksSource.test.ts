import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sourceOf } from '../../../api/worker/books/source.ts'
import { loadConfig } from '../../../ops/config.ts'
import { SANDBOX_FILE } from '../../../ops/sandboxFolder.ts'

const RECEIVER = `0x${'ab'.repeat(20)}`
const CHAIN = {
  chainId: 8453,
  rpcUrl: 'http://127.0.0.1:1',
  usdc: `0x${'cd'.repeat(20)}`,
  receiver: RECEIVER,
}
const REDIS = { ledger: 'unix:/ledger', pipeline: 'unix:/pipeline' }

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'microdata-source-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** The places of a sandbox whose file says `rails`, read with this `environment`. */
async function placesOf(rails: object, environment: NodeJS.ProcessEnv = {}) {
  await writeFile(join(folder, SANDBOX_FILE), JSON.stringify({ chain: CHAIN, redis: REDIS, ...rails }))
  const order: Parameters<typeof sourceOf>[0] = { action: 'join', receivers: [], dataDir: folder }
  const { places } = await sourceOf(order, loadConfig(environment, 'script'), new Set())
  return places.map(({ rail, rpcUrl, chainId, receivers }) => [rail, rpcUrl, chainId, ...receivers])
}

describe('I1 the books of a sandbox are of every rail whose tokens it takes', () => {
  const base = ['usdc_base', CHAIN.rpcUrl, 8453, RECEIVER]
  const paid = (port: number) => ({ rpcUrl: `http://127.0.0.1:${port}`, receiver: RECEIVER })

  test('each at the node of its own chain', async () => {
    const rails = { ethereum: paid(2), polygon: paid(3), arbitrum: paid(4) }
    expect(await placesOf({ rails })).toEqual([
      base,
      ['usdc_eth', 'http://127.0.0.1:2', 1, RECEIVER],
      ['usdt_eth', 'http://127.0.0.1:2', 1, RECEIVER],
      ['usdc_polygon', 'http://127.0.0.1:3', 137, RECEIVER],
      ['usdc_arbitrum', 'http://127.0.0.1:4', 42_161, RECEIVER],
    ])
  })

  test('one that it does not take is none of them, whatever is set where they are asked for', async () => {
    const none = { rpcUrl: '', receiver: '' }
    const elsewhere = { POLYGON_RPC_URL: 'http://127.0.0.1:5', POLYGON_RECEIVER: RECEIVER }
    const rails = { ethereum: none, polygon: none, arbitrum: none }
    expect(await placesOf({ rails }, elsewhere)).toEqual([base])
    expect(await placesOf({}, elsewhere)).toEqual([base])
  })
})
