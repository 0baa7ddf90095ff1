import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ledgerOf, sourceOf } from '../../../api/worker/books/source.ts'
import { ConfigError, loadConfig } from '../../../ops/config.ts'
import { SANDBOX_FILE } from '../../../ops/sandboxFolder.ts'
import { readOrder } from '../../../ops/scripts/exportOrder.ts'
import { sourceOf as exportSourceOf } from '../../../ops/scripts/exportSource.ts'

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

describe('OPS-03 the folder of a sandbox whose file cannot be read is named', () => {
  const config = loadConfig({}, 'script')
  const day = '--from 2026-11-20 --to 2026-11-20'
  const none = new Set<never>()

  test.each<[string, string | null]>([
    ['missing', null],
    ['empty', ''],
    ['cut off by a power cut', '{"url": "http://127'],
    ['of something else', '{"url": 5}'],
  ])('%s', async (_, text) => {
    const file = join(folder, SANDBOX_FILE)
    if (text !== null) await writeFile(file, text)
    const order: Parameters<typeof sourceOf>[0] = { action: 'join', receivers: [], dataDir: folder }
    await expect(sourceOf(order, config, none)).rejects.toThrow(file)
    await expect(sourceOf(order, config, none)).rejects.toThrow(ConfigError)
    await expect(ledgerOf(folder, config, none)).rejects.toThrow(file)
    const exported = readOrder(`--table quotes ${day} --format csv --out x --data-dir ${folder}`.split(' '))!
    await expect(exportSourceOf(exported, config, none)).rejects.toThrow(file)
  })
})
