import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { txidOf } from '../../../api/rails/bitcoin/txid.ts'
import type { Rail, RailTransfer } from '../../../api/rails/rail.ts'
import { bitcoinScript } from '../../../api/rails/receivers/bitcoinScript.ts'
import { newAddress } from '../../../ops/sandbox/bitcoin/network.ts'
import { type JsonServer, serveJson } from '../../../ops/sandbox/jsonServer.ts'
import { type RailWorld, startRailWorld } from '../../support/railWorld.ts'
import { liesAbout } from './lies.ts'

let world: RailWorld
let liar: JsonServer
let btc: Rail
/** What is said at a path instead of what is so. */
let said: Record<string, unknown> = {}
beforeAll(async () => {
  world = await startRailWorld()
  liar = await serveJson({
    host: '127.0.0.1',
    port: 0,
    async answer({ path }) {
      if (path in said) return { status: 200, text: JSON.stringify(said[path]) ?? '' }
      const response = await fetch(world.env.BITCOIN_API_URL + path)
      return { status: response.status, text: await response.text() }
    },
  })
  btc = world.rails({ BITCOIN_API_URL: liar.url }).find('btc')!
})
afterAll(async () => {
  await liar?.close()
  await world?.stop()
})

const us = () => world.receivers.bitcoin.address
const seen = (tx: string): Promise<RailTransfer[] | string> =>
  btc.byHash(tx).catch((error: { code?: string }) => error.code ?? String(error))

describe('CHN-04, RAIL-08: a server that says one value otherwise than it is', () => {
  test.each(['confirmed', 'in the mempool'])(
    '%s: worth what it is and no deeper than it lies, or an outage, never nothing',
    async (where) => {
      said = {}
      const tx = await world.network.pay([
        { address: newAddress(), sats: 7_000 },
        { address: us(), sats: 5_000 },
      ])
      const depth = where === 'confirmed' ? 2 : 0
      if (depth > 0) await world.network.mine(depth)
      const truth = (await btc.byHash(tx)) as RailTransfer[]
      expect(truth).toMatchObject([{ atomic: 5_000n, index: 1, confirmations: depth }])
      const tip = world.network.tip()
      const true_ = {
        [`/tx/${tx}`]: await (await fetch(`${world.env.BITCOIN_API_URL}/tx/${tx}`)).json(),
        '/blocks/tip/height': tip,
      }
      let lies = 0
      for (const [path, answer] of Object.entries(true_))
        for (const lie of liesAbout(answer, [us(), bitcoinScript(us()), tip - 5])) {
          said = { [path]: lie.said }
          const found = await seen(tx)
          lies++
          if (typeof found === 'string')
            expect([path, lie.name, found]).toEqual([
              path,
              lie.name,
              expect.stringMatching(/^(chain_unavailable|unknown)$/),
            ])
          else {
            expect([lie.name, found]).toMatchObject([lie.name, [{ key: truth[0]!.key, atomic: 5_000n }]])
            expect([lie.name, found[0]!.confirmations <= depth]).toEqual([lie.name, true])
          }
        }
      expect(lies).toBeGreaterThan(400)
      said = {}
      expect(await btc.byHash(tx)).toEqual(truth)
    },
  )
})

describe('the id of a transaction is the hash of it', () => {
  const coinbase = {
    version: 1,
    locktime: 0,
    vin: [
      {
        txid: '00'.repeat(32),
        vout: 0xff_ff_ff_ff,
        scriptsig:
          '04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73',
        sequence: 0xff_ff_ff_ff,
      },
    ],
    vout: [
      {
        value: 5_000_000_000,
        scriptpubkey:
          '4104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac',
      },
    ],
  }
  const first = {
    version: 1,
    locktime: 0,
    vin: [
      {
        txid: '0437cd7f8525ceed2324359c2d0ba26006d92d856a9c20fa0241106ee5a597c9',
        vout: 0,
        scriptsig:
          '47304402204e45e16932b8af514961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd410220181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d0901',
        sequence: 0xff_ff_ff_ff,
      },
    ],
    vout: [
      {
        value: 1_000_000_000,
        scriptpubkey:
          '4104ae1a62fe09c5f51b13905f07f06b99a2f7159b2225f374cd378d71302fa28414e7aab37397f554a7df5f142c21c1b7303b8a0626f1baded5c72a704f7e6cd84cac',
      },
      {
        value: 4_000_000_000,
        scriptpubkey:
          '410411db93e1dcdb8a016b49840f8c53bc1eb68a382e97b1482ecad7b148a6909a5cb2e0eaddfb84ccf9744464f82e160bfa9b8b64f9d4c03f999b8643f656b412a3ac',
      },
    ],
  }
  test.each([
    ['of the first block', coinbase, '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b'],
    ['the first payment', first, 'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16'],
  ])('%s, on the real chain', (_, transaction, txid) => {
    expect(txidOf(transaction)).toBe(txid)
    expect(txidOf({ ...transaction, version: 1 + 2 ** 32 - 2 })).toBe(txidOf({ ...transaction, version: -1 }))
  })

  test.each([
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', '76a91477bff20c60e522dfaa3350c39b030a5d004e839a88ac'],
    ['3P14159f73E4gFr7JterCCQh9QjiTjiZrG', 'a914e9c3dd0c07aac76179ebc76a6c78d4d67c6c160a87'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    [
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
  ])('what pays %s', (address, script) => expect(bitcoinScript(address)).toBe(script))
})
