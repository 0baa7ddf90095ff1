import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bitcoinRail } from '../../../api/rails/bitcoin/rail.ts'
import type { Prices } from '../../../api/rails/prices/prices.ts'
import type { Rail, RailTransfer } from '../../../api/rails/rail.ts'
import { realClock } from '../../../ops/clock.ts'
import { newAddress } from '../../../ops/sandbox/bitcoin/network.ts'
import { idOf, scriptTo } from '../../../ops/sandbox/bitcoin/raw.ts'
import { type JsonServer, serveJson } from '../../../ops/sandbox/jsonServer.ts'
import { type RailWorld, startRailWorld } from '../../support/railWorld.ts'

let world: RailWorld
let btc: Rail
beforeAll(async () => {
  world = await startRailWorld()
  btc = world.rails().find('btc')!
})
afterAll(() => world?.stop())

const noPrices: Prices = {
  sources: '',
  priceOf: async () => ({ problem: 'rail_unavailable', detail: '' }),
  close: async () => {},
}
const us = () => world.receivers.bitcoin.address
const input = (prevout: object = {}) => ({
  txid: '17'.repeat(32),
  vout: 0,
  scriptsig: '',
  sequence: 0xff_ff_ff_ff,
  prevout,
})
type Outputs = readonly { to: string; value: number }[]
/** A transaction as it is shown, under the id that it has. */
function shown<S>(outputs: Outputs, status: S, vin = [input()], locktime = 0) {
  const vout = outputs.map(({ to, value }) => ({ scriptpubkey: scriptTo(to), value }))
  const raw = { version: 2, locktime, vin, vout }
  return { txid: idOf(raw), ...raw, status }
}
const pay = (sats: number, address = us()) => world.network.pay([{ address, sats }])

describe('RAIL-08: an output counts by its outpoint, in a block of the best chain', () => {
  test('in the mempool: seen with no confirmation, its time stands still', async () => {
    const tx = await pay(10_000)
    const [first] = (await btc.byHash(tx)) as [object]
    expect(first).toMatchObject({ confirmations: 0, atomic: 10_000n, key: `bitcoin:${tx}:0`, to: us() })
    expect(await btc.byHash(tx)).toEqual([first])
  })

  test.each([1, 2, 6])('%d blocks: as many confirmations', async (blocks) => {
    const tx = await pay(10_000)
    await world.network.mine(blocks)
    expect(await btc.byHash(tx)).toMatchObject([{ confirmations: blocks }])
  })

  test('replaced by one that pays somebody else: the old is unknown, the new pays us nothing', async () => {
    const old = await pay(10_000)
    expect(await btc.byHash(old)).toMatchObject([{ confirmations: 0 }])
    const redirected = await world.network.pay([{ address: newAddress(), sats: 9_000 }], old)
    expect(await btc.byHash(old)).toBe('unknown')
    expect(await btc.byHash(redirected)).toEqual([])
  })

  test('a bump, or an id changed on the way (malleability): another id, another key', async () => {
    const old = await pay(10_000)
    const bumped = await world.network.pay([{ address: us(), sats: 10_000 }], old)
    await world.network.mine(1)
    expect(await btc.byHash(old)).toBe('unknown')
    expect(await btc.byHash(bumped)).toMatchObject([{ key: `bitcoin:${bumped}:0`, confirmations: 1 }])
  })

  test('two outputs to us are two transfers; those to others are none', async () => {
    const tx = await world.network.pay([
      { address: us(), sats: 1_000 },
      { address: newAddress(), sats: 5_000 },
      { address: us(), sats: 2_000 },
    ])
    await world.network.mine(1)
    expect(await btc.byHash(tx)).toMatchObject([
      { key: `bitcoin:${tx}:0`, index: 0, atomic: 1_000n },
      { key: `bitcoin:${tx}:2`, index: 2, atomic: 2_000n },
    ])
  })

  test('a reorganisation puts it back to waiting, and the next block confirms it again', async () => {
    const tx = await pay(10_000)
    await world.network.mine(3)
    await world.network.reorganise(3)
    expect(await btc.byHash(tx)).toMatchObject([{ confirmations: 0, key: `bitcoin:${tx}:0` }])
    await world.network.mine(1)
    expect(await btc.byHash(tx)).toMatchObject([{ confirmations: 1, key: `bitcoin:${tx}:0` }])
  })

  test.each([
    ['up to 100 USD', 99_999_999n, 1],
    ['from 100 USD', 100_000_000n, 2],
    ['up to 1,000 USD', 999_999_999n, 2],
    ['from 1,000 USD', 1_000_000_000n, 6],
  ])('CHN-06: %s %d → %d blocks', (_, amount, blocks) => {
    expect(btc.confirmationsFor(amount)).toBe(blocks)
  })
})

describe('RAIL-12: a receiver in capitals is paid like any other', () => {
  test.each([
    ['P2WPKH', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'lower'],
    ['P2TR', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', 'lower'],
    ['regtest', newAddress(), 'lower'],
    ['P2PKH: its case is part of it', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'own'],
    ['P2SH: its case is part of it', '3P14159f73E4gFr7JterCCQh9QjiTjiZrG', 'own'],
  ])('%s', async (_, address, spelled) => {
    const paid = shown([{ to: address, value: 5_000 }], { confirmed: false as const })
    const server = {
      transaction: async () => paid,
      tipHeight: async () => 9,
      blockHash: async () => null,
      newestTimesS: async () => [],
      close: async () => {},
    }
    const configured = spelled === 'lower' ? address.toUpperCase() : address
    const record = { ...btc, receiverAddress: configured, alternateReceivers: [configured] }
    const mine = bitcoinRail({ record, decimals: 8, server, prices: noPrices, clock: realClock })
    expect([mine.receiverAddress, mine.alternateReceivers]).toEqual([address, [address]])
    expect(await mine.byHash(paid.txid)).toMatchObject([{ atomic: 5_000n, to: address }])
  })

  test('from the configuration on: found, and published as everybody writes it', async () => {
    const mine = world.rails({ BITCOIN_RECEIVER: us().toUpperCase() }).find('btc')!
    expect(mine.receiverAddress).toBe(us())
    expect(await mine.byHash(await pay(10_000))).toMatchObject([{ atomic: 10_000n, to: us() }])
  })
})

describe('dust', () => {
  //  at 60,000 USD 546 sats are 0.3276 USD
  test('what nodes would not carry is refused, one sat more is quoted', async () => {
    expect(await btc.quote(326_999n)).toEqual({
      problem: 'amount_too_small',
      detail: 'BTC: this is 545 of its smallest units, and its network carries no payment below 546.',
    })
    expect(await btc.quote(327_600n)).toMatchObject({ atomic: 546n })
  })
})

describe('a server that cannot be trusted', () => {
  const inBlock = {
    confirmed: true,
    block_height: 3,
    block_hash: 'ef'.repeat(32),
    block_time: 1_700_000_000,
  }
  let confirmed: ReturnType<typeof shown<typeof inBlock>>
  let TXID: string
  let whole: Record<string, unknown>
  beforeAll(() => {
    confirmed = shown([{ to: us(), value: 5 }], inBlock)
    TXID = confirmed.txid
    whole = {
      [`/tx/${TXID}`]: confirmed,
      '/blocks/tip/height': '9',
      '/block-height/3': 'ef'.repeat(32),
      '/block-height/9': '90'.repeat(32),
    }
  })
  async function asked(pages: Record<string, unknown>, txid = TXID): Promise<unknown> {
    const server: JsonServer = await serveJson({
      host: '127.0.0.1',
      port: 0,
      answer: ({ path }) =>
        path in pages
          ? typeof pages[path] === 'string'
            ? { status: 200, text: pages[path] }
            : { status: 200, json: pages[path] }
          : { status: 404, text: 'not found' },
    })
    const mine = world.rails({ BITCOIN_API_URL: server.url }).find('btc')!
    const outcome = await mine.byHash(txid).catch((error: unknown) => error)
    await server.close()
    return outcome
  }
  const unavailable = expect.objectContaining({ code: 'chain_unavailable' })

  test('a block that is not the best chain’s at its height: unknown', async () => {
    const { '/block-height/3': _, ...pages } = whole
    expect(await asked({ ...pages, '/block-height/3': '12'.repeat(32) })).toBe('unknown')
    expect(await asked(pages)).toBe('unknown')
    expect(await asked({ ...pages, '/block-height/3': 'ef'.repeat(32) })).toMatchObject([
      { confirmations: 7, atomic: 5n, atMs: 1_700_000_000_000, from: null },
    ])
  })

  test('RAIL-11 a block stamped ahead of now: its transfer is not of later than now, and one behind is of its stamp', async () => {
    const stamped = async (block_time: number) => {
      const status = { ...confirmed.status, block_time }
      const found = await asked({ ...whole, [`/tx/${TXID}`]: { ...confirmed, status } })
      return (found as [{ atMs: number }])[0].atMs
    }
    const nowS = Math.floor(Date.now() / 1_000)
    const ahead = await stamped(nowS + 7_200)
    expect(ahead).toBeLessThanOrEqual(Date.now())
    expect(ahead).toBeGreaterThanOrEqual(nowS * 1_000)
    expect(await stamped(nowS - 3_600)).toBe((nowS - 3_600) * 1_000)
  })

  test('a tip behind the transaction still shows one block', async () => {
    const pages = { [`/tx/${TXID}`]: confirmed, '/block-height/3': 'ef'.repeat(32) }
    expect(await asked({ ...pages, '/blocks/tip/height': '2' })).toMatchObject([{ confirmations: 1 }])
  })

  describe('unknown says something only where no block of then is to come: one is stamped later than the middle of eleven before it', () => {
    const THEN_S = 1_700_000_000
    async function covers(blocks: unknown): Promise<unknown> {
      const server: JsonServer = await serveJson({
        host: '127.0.0.1',
        port: 0,
        answer: ({ path }) =>
          path === '/blocks' && blocks !== undefined
            ? { status: 200, json: blocks }
            : { status: 404, text: 'not found' },
      })
      const mine = world.rails({ BITCOIN_API_URL: server.url }).find('btc')!
      const outcome = await mine.covers(THEN_S * 1_000).catch((error: unknown) => error)
      await server.close()
      return outcome
    }
    const stamped = (...groups: [count: number, timeS: number][]) =>
      groups.flatMap(([count, timeS]) => Array(count).fill({ timestamp: timeS }))

    test.each([
      ['hours behind', stamped([10, THEN_S - 7_200]), false],
      ['just behind', stamped([10, THEN_S - 1]), false],
      ['its newest is stamped ahead', stamped([1, THEN_S + 7_000], [9, THEN_S - 600]), false],
      ['five of then', stamped([5, THEN_S], [5, THEN_S - 1]), false],
      ['six of then', stamped([6, THEN_S], [4, THEN_S - 1]), true],
      ['six of then, not the newest', stamped([4, THEN_S - 1], [6, THEN_S]), true],
      ['six of then of eleven', stamped([5, THEN_S - 1], [6, THEN_S]), true],
      ['six of then of twelve', stamped([6, THEN_S - 1], [6, THEN_S]), false],
      ['all of later', stamped([15, THEN_S + 600]), true],
      ['a chain that begins', stamped([5, THEN_S + 600]), false],
    ])('%s', async (_, blocks, known) => expect(await covers(blocks)).toBe(known))

    test.each([
      ['no blocks', undefined],
      ['a block without a time', [{ id: 'ab'.repeat(32) }]],
    ])('%s: an outage', async (_, blocks) => expect(await covers(blocks)).toEqual(unavailable))

    test('six blocks deep: of the transfer, not of later', async () => {
      const tx = await pay(10_000)
      await world.network.mine(6)
      const atMs = ((await btc.byHash(tx)) as RailTransfer[])[0]!.atMs
      expect([await btc.covers(atMs), await btc.covers(atMs + 3_600_000)]).toEqual([true, false])
    })
  })

  const valued = (value: number) => ({ vout: [{ ...confirmed.vout[0], value }] })
  test.each<[string, object | (() => unknown)]>([
    ['no JSON', () => '<html>'],
    ['another shape', () => ({ txid: TXID })],
    ['a negative value', () => ({ ...confirmed, ...valued(-1) })],
    ['a value that is no integer', () => ({ ...confirmed, ...valued(1.5) })],
    ['another transaction', () => ({ ...confirmed, txid: 'aa'.repeat(32) })],
    ['a tip that is no block', { '/block-height/9': undefined }],
    ['no tip', { '/blocks/tip/height': undefined }],
    ['a tip that is no number', { '/blocks/tip/height': 'x' }],
    ['a tip of no digits', { '/blocks/tip/height': '' }],
    ['a tip below the first block', { '/blocks/tip/height': '-1' }],
    ['a block that is called otherwise than blocks are', { '/block-height/3': '<html>' }],
  ])('%s: an outage', async (_, changed) => {
    const other = typeof changed === 'function' ? { [`/tx/${TXID}`]: changed() } : changed
    const pages = Object.entries({ ...whole, ...other }).filter(([, page]) => page !== undefined)
    expect(await asked(Object.fromEntries(pages))).toEqual(unavailable)
  })

  test.each([
    ['one', [{ scriptpubkey_address: 'them' }], 'them'],
    ['one, of several coins', [{ scriptpubkey_address: 'them' }, { scriptpubkey_address: 'them' }], 'them'],
    ['two', [{ scriptpubkey_address: 'them' }, { scriptpubkey_address: 'others' }], null],
    ['one, and one without an address', [{ scriptpubkey_address: 'them' }, {}], null],
    ['one without an address', [{}], null],
  ])('CLS-06 who sent is told where it is one: %s', async (_, prevouts, from) => {
    const sent = shown([{ to: us(), value: 5 }], inBlock, prevouts.map(input))
    expect(await asked({ ...whole, [`/tx/${sent.txid}`]: sent }, sent.txid)).toMatchObject([{ from }])
  })

  test('a transaction as long as a block is read, and its outputs of nothing are none', async () => {
    const others = Array(20_000).fill({ to: newAddress(), value: 1 })
    const long = shown([{ to: us(), value: 0 }, ...others, { to: us(), value: 6 }], inBlock)
    expect(await asked({ ...whole, [`/tx/${long.txid}`]: long }, long.txid)).toMatchObject([
      { key: `bitcoin:${long.txid}:20001`, atomic: 6n },
    ])
  })

  test('ten thousand first sights are remembered, and the first one is forgotten first', async () => {
    let nowMs = 1
    const numbered = (number: number) =>
      shown([{ to: us(), value: 5_000 }], { confirmed: false as const }, [input()], number)
    const made = new Map<string, ReturnType<typeof numbered>>()
    const server = {
      transaction: async (txid: string) => made.get(txid)!,
      tipHeight: async () => 9,
      blockHash: async () => null,
      newestTimesS: async () => [],
      close: async () => {},
    }
    const clock = { nowMs: () => nowMs }
    const mine = bitcoinRail({ record: btc, decimals: 8, server, prices: noPrices, clock })
    const txid = (number: number) => {
      const one = numbered(number)
      made.set(one.txid, one)
      return one.txid
    }
    const seenAt = async (number: number) =>
      ((await mine.byHash(txid(number))) as { atMs: number }[])[0]!.atMs
    for (let number = 0; number < 10_000; number++) await mine.byHash(txid(number))
    nowMs = 2
    expect(await seenAt(0)).toBe(1)
    expect(await seenAt(10_000)).toBe(2)
    expect([await seenAt(1), await seenAt(10_000)]).toEqual([1, 2])
    expect(await seenAt(0)).toBe(2)
  })
})
