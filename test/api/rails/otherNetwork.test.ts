import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBitcoinServer } from '../../../api/rails/bitcoin/server.ts'
import { createSolanaNode } from '../../../api/rails/solana/node.ts'
import { serveJson } from '../../../ops/sandbox/jsonServer.ts'
import { quietLog as log } from '../../support/ledger.ts'
import { type RailWorld, startRailWorld } from '../../support/railWorld.ts'
import { startRpcProxy } from '../settlement/rpcProxy.ts'

let world: RailWorld
beforeAll(async () => {
  world = await startRailWorld()
})
afterAll(() => world?.stop())

const unavailable = expect.objectContaining({ code: 'chain_unavailable' })
const MAINNET = {
  bitcoin: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  solana: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
}
const TXID = 'ab'.repeat(32)

describe('CLS-15, RAIL-12: in live mode money of a test network is none', () => {
  test('the sandbox’s own servers answer where it is not live, and nothing where it is', async () => {
    const { SOLANA_RPC_URL, BITCOIN_API_URL } = world.env as Record<string, string>
    for (const mainnet of [false, true]) {
      const bitcoin = createBitcoinServer({ url: BITCOIN_API_URL!, mainnet, log })
      const solana = createSolanaNode({ rpcUrl: SOLANA_RPC_URL!, mainnet, log })
      const asked = [
        bitcoin.tipHeight(),
        bitcoin.transaction(TXID),
        solana.signatures(world.receivers.solana.address, null),
      ]
      const outcomes = await Promise.allSettled(asked)
      for (const { status, reason } of outcomes as { status: string; reason?: unknown }[])
        expect([status, reason]).toEqual(mainnet ? ['rejected', unavailable] : ['fulfilled', undefined])
      await Promise.all([bitcoin.close(), solana.close()])
    }
  })

  test('Bitcoin: a server that is set right is taken without a restart, and asked once which one it serves', async () => {
    let genesis: string | null = 'cd'.repeat(32)
    let asked = 0
    const server = await serveJson({
      host: '127.0.0.1',
      port: 0,
      answer: ({ path }) => {
        if (path === '/api/blocks/tip/height') return { status: 200, text: '9' }
        if (path !== '/api/block-height/0') return { status: 404, text: 'not found' }
        asked++
        return genesis === null ? { status: 404, text: 'not found' } : { status: 200, text: genesis }
      },
    })
    const bitcoin = createBitcoinServer({ url: `${server.url}/api/`, mainnet: true, log })
    await expect(bitcoin.tipHeight()).rejects.toEqual(unavailable)
    genesis = null
    await expect(bitcoin.tipHeight()).rejects.toEqual(unavailable)
    genesis = MAINNET.bitcoin
    for (let time = 0; time < 2; time++) expect(await bitcoin.tipHeight()).toBe(9)
    expect(asked).toBe(3)
    await Promise.all([bitcoin.close(), server.close()])
  })

  test('Solana: the same', async () => {
    let genesis: string | null = null
    const proxy = await startRpcProxy(world.env.SOLANA_RPC_URL!)
    proxy.treat(({ method }) => {
      if (method !== 'getGenesisHash') return 'pass'
      if (genesis === null) return 'cut'
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: genesis }) }
    })
    const solana = createSolanaNode({ rpcUrl: proxy.url, mainnet: true, log })
    const signatures = () => solana.signatures(world.receivers.solana.address, null)
    await expect(signatures()).rejects.toEqual(unavailable)
    genesis = 'cd'.repeat(16)
    await expect(signatures()).rejects.toEqual(unavailable)
    genesis = MAINNET.solana
    const before = proxy.count('getGenesisHash')
    for (let time = 0; time < 2; time++) expect(await signatures()).toEqual([])
    expect(proxy.count('getGenesisHash')).toBe(before + 1)
    await Promise.all([solana.close(), proxy.close()])
  })
})
