import { describe, expect, test } from 'vitest'
import type { EvmNetwork } from '../../../api/rails/evm/network.ts'
import { createScan, type Discovered, firstBlockSince } from '../../../api/rails/evm/scan.ts'
import { MAX_KEPT, MAX_MARKS } from '../../../api/rails/evm/scanned.ts'
import type { EvmChain } from '../../../api/rails/records.ts'
import { latestBlock } from '../../../api/settlement/nodeReads.ts'
import type { Rpc } from '../../../api/settlement/rpc.ts'
import { agreeing } from '../../../api/settlement/twoNodes.ts'
import { DAY, HOUR, SECOND } from '../../../ops/units.ts'
import { createFakeChain, TOKEN, US } from './fakeChain.ts'

const PAYER = 0x77
const FIRST = 100_000
/** Blocks that are read again each time on Base. */
const OVERLAP = 8

/** @param laterMs how far our clock is ahead of the newest block. */
function follow(chain: EvmChain = 'base', laterMs: () => number = () => 0) {
  const fake = createFakeChain()
  const { network } = fake
  const clock = { nowMs: () => fake.clock.nowMs() + laterMs() }
  const scan = createScan({ network, clock, chain, asset: TOKEN, receivers: [US] })
  return {
    fake,
    look: (from = FIRST - 20_000): Promise<Discovered[]> => scan.since(fake.timeMs(from)),
    through: (from: number) => scan.through(fake.timeMs(from)),
    pay: (block: number, value = 5_000_000n) =>
      fake.mine(block, [{ kind: 'transfer', from: PAYER, to: US, value }]),
  }
}

describe('CHN-04 what was asked for, oldest first, whatever the node does', () => {
  test('it lists logs in another order', async () => {
    const { fake, look } = follow()
    const pays = (value: bigint) => ({ kind: 'transfer', from: PAYER, to: US, value }) as const
    fake.mine(FIRST - 3, [{ kind: 'other' }, { kind: 'other' }, pays(1n), pays(2n)])
    fake.mine(FIRST - 2, [pays(3n)])
    fake.listBackwards()
    expect((await look()).map(({ value }) => value)).toEqual([1n, 2n, 3n])
  })

  test('from the first block of that time on', async () => {
    const { look, pay } = follow()
    pay(FIRST - 101)
    const txs = [pay(FIRST - 100), pay(FIRST)]
    expect((await look(FIRST - 100)).map(({ tx }) => tx)).toEqual(txs)
  })

  test('a node has dropped blocks before that: they are none of that time', async () => {
    const { fake, look, pay } = follow()
    const tx = pay(FIRST - 20_000)
    fake.forget(FIRST - 30_000)
    expect(await look()).toMatchObject([{ tx }])
    expect(fake.asked().from).toBe(FIRST - 20_000)
  })

  test.each([
    ['the newest', 0],
    ['the one after the first step', 63],
    ['the first step', 64],
    ['one of a day ago', 43_200],
    ['the first', FIRST],
  ])(
    'one of two nodes has dropped what is far older than the block that is looked for: %s',
    async (_, back) => {
      const { network, timeMs } = createFakeChain()
      const oldest = FIRST - 2 * back - 64
      const shorter = (rpc: Rpc): Rpc => ({
        ...rpc,
        call: async (method, params) => (Number(params[0]) < oldest ? null : rpc.call(method, params)),
      })
      const both: EvmNetwork = {
        ...network,
        read: (what, ask) => network.read(what, (rpc) => ask(agreeing(rpc, shorter(rpc)))),
      }
      const head = await both.read('head', latestBlock)
      expect(await firstBlockSince(both, head, timeMs(FIRST - back))).toBe(BigInt(FIRST - back))
    },
  )

  test('from earlier than what is known', async () => {
    const { look, pay } = follow()
    const txs = [pay(FIRST - 100), pay(FIRST - 50)]
    expect((await look(FIRST - 60)).map(({ tx }) => tx)).toEqual(txs.slice(1))
    expect((await look(FIRST - 100)).map(({ tx }) => tx)).toEqual(txs)
  })

  const DAY_BLOCKS = DAY / (2 * SECOND)
  test.each([
    ['as our clock has it', 0, 0],
    ['CHN-07 the chain has stood still for hours: as it has it', 3 * HOUR, 0],
    ['our clock is behind: as that has it', -1 * HOUR, HOUR / (2 * SECOND)],
  ])('a day back at most, %s', async (_, laterMs, moreBlocks) => {
    const { look, pay } = follow('base', () => laterMs)
    const oldest = FIRST - DAY_BLOCKS - moreBlocks
    pay(oldest - 1)
    const tx = pay(oldest)
    expect(await look(FIRST - 90_000)).toMatchObject([{ tx }])
  })

  test('I4 thousands of dust transfers hide no payment after them', async () => {
    const { fake, look, pay } = follow()
    const dust = { kind: 'transfer', from: PAYER, to: US, value: 1n } as const
    fake.mine(FIRST - 50, Array(5_000).fill(dust))
    const tx = pay(FIRST - 49)
    const found = await look()
    expect(found).toHaveLength(5_001)
    expect(found.at(-1)).toMatchObject({ tx })
  })

  test('more than are kept is an outage, not an answer without the oldest', async () => {
    const { fake, look, pay } = follow()
    pay(FIRST - 100)
    const one = { kind: 'transfer', from: PAYER, to: US, value: 1n } as const
    fake.mine(FIRST - 50, Array(MAX_KEPT).fill(one))
    await expect(look()).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(await look(FIRST - 99)).toHaveLength(MAX_KEPT)
  })

  test('I23 a node that takes its time is an outage; the next look goes on where that ended', async () => {
    let laterMs = 0
    let stepMs = 4 * SECOND
    const { fake, look, pay } = follow('base', () => (laterMs += stepMs))
    const tx = pay(FIRST - 19_999)
    await expect(look()).rejects.toMatchObject({ code: 'chain_unavailable' })
    const { from } = fake.asked()
    stepMs = 0
    expect(await look()).toMatchObject([{ tx }])
    expect(fake.asked().from).toBeGreaterThan(from)
  })

  test('two looks at once read no block twice', async () => {
    const [one, two] = [follow(), follow()]
    await one.look()
    await one.look()
    await Promise.all([two.look(), two.look()])
    expect(two.fake.asked()).toEqual(one.fake.asked())
  })

  test.each([
    ['base', OVERLAP],
    ['arbitrum', 40],
    ['polygon', 64],
    ['ethereum', 12],
  ] as const)('%s: the newest %d blocks are read again', async (chain, overlap) => {
    const { fake, look } = follow(chain)
    await look()
    fake.asked()
    await look()
    expect(fake.asked().from).toBe(FIRST - overlap + 1)
  })
})

describe('CHN-05 of any time, however long ago: a day at once, and up to when that is', () => {
  const DAY_BLOCKS = DAY / (2 * SECOND)
  test('one after the other, until the newest block; none is read twice but the newest of each', async () => {
    const { fake, through, pay } = follow()
    const OLDEST = FIRST - 2 * DAY_BLOCKS - 100
    pay(OLDEST - 1)
    const txs = [OLDEST, OLDEST + DAY_BLOCKS - 1, OLDEST + DAY_BLOCKS, FIRST - 50].map((block) => pay(block))
    const looks: [string[], number, number][] = []
    for (let from = OLDEST; from < FIRST; ) {
      const { found, untilMs } = await through(from)
      const until = fake.head() - (fake.timeMs(fake.head()) - untilMs) / (2 * SECOND)
      looks.push([found.map(({ tx }) => tx), until, fake.asked().from])
      from = until
    }
    expect(looks).toEqual([
      [txs.slice(0, 2), OLDEST + DAY_BLOCKS, OLDEST],
      [txs.slice(2, 3), OLDEST + 2 * DAY_BLOCKS, OLDEST + DAY_BLOCKS - OVERLAP],
      [txs.slice(3), FIRST, OLDEST + 2 * DAY_BLOCKS],
    ])
  })

  test('what nobody asks for any more is not read: a search that rested begins anew', async () => {
    const { fake, through, pay } = follow()
    const from = FIRST - DAY_BLOCKS - 4_000
    await through(FIRST - 2 * DAY_BLOCKS - 9_000)
    fake.asked()
    const tx = pay(from)
    expect((await through(from)).found).toMatchObject([{ tx }])
    expect(fake.asked().from).toBe(from)
  })

  test('what is asked of the newest day meanwhile costs neither its place', async () => {
    const { fake, through, look } = follow()
    await through(FIRST - 3 * DAY_BLOCKS)
    await look(FIRST - 100)
    fake.asked()
    await through(FIRST - 2 * DAY_BLOCKS - 100)
    expect(fake.asked().from).toBe(FIRST - 2 * DAY_BLOCKS - OVERLAP)
    await look(FIRST - 100)
    expect(fake.asked().from).toBe(FIRST - OVERLAP + 1)
  })

  test('I23 a node that takes its time is an outage; the next call goes on where that ended', async () => {
    let laterMs = 0
    let stepMs = 4 * SECOND
    const { fake, through, pay } = follow('base', () => (laterMs += stepMs))
    const tx = pay(FIRST - 2 * DAY_BLOCKS + 100)
    await expect(through(FIRST - 2 * DAY_BLOCKS)).rejects.toMatchObject({ code: 'chain_unavailable' })
    fake.asked()
    stepMs = 0
    expect((await through(FIRST - 2 * DAY_BLOCKS)).found).toMatchObject([{ tx }])
    expect(fake.asked().from).toBeGreaterThan(FIRST - 2 * DAY_BLOCKS)
  })

  test('CHN-07 the chain has stood still for hours: up to its newest block, not until now', async () => {
    const { fake, through } = follow('base', () => 3 * HOUR)
    expect((await through(FIRST - 100)).untilMs).toBe(fake.timeMs(FIRST))
  })

  test.each([100, DAY_BLOCKS, 2 * DAY_BLOCKS])(
    'a node that has dropped the blocks of %d blocks ago is an outage: there may have been something in them',
    async (ago) => {
      const { fake, through, pay } = follow()
      pay(FIRST - ago + 10)
      fake.forget(FIRST - ago + 20)
      await expect(through(FIRST - ago)).rejects.toMatchObject({ code: 'chain_unavailable' })
    },
  )
})

describe('CHN-04: a head that steps back costs the newest blocks, not the whole range', () => {
  test.each([1, 2, 3, 5])('by %d', async (back) => {
    const { fake, look, pay } = follow()
    const tx = pay(FIRST - 50)
    for (const number of [0, 1, 2, 3, 4, 5]) {
      fake.move(FIRST + number)
      await look()
    }
    fake.asked()
    fake.move(FIRST + 5 - back)
    expect(await look()).toMatchObject([{ tx, confirmations: 51 + 5 - back }])
    expect(fake.asked()).toEqual({ blocks: 1, from: FIRST + 5 - back - OVERLAP + 1 })
    fake.move(FIRST + 6)
    expect(await look()).toMatchObject([{ tx, confirmations: 57 }])
    expect(fake.asked()).toEqual({ blocks: 2, from: FIRST + 5 - back - OVERLAP + 1 })
  })

  test('below every block whose hash is kept: what is not final', async () => {
    const { fake, look, pay } = follow()
    const tx = pay(FIRST - 2_000)
    for (let number = 0; number < MAX_MARKS + 20; number++) {
      fake.move(FIRST + number)
      await look()
    }
    fake.asked()
    fake.move(FIRST + 1)
    expect(await look()).toMatchObject([{ tx, confirmations: 2_002 }])
    expect(fake.asked()).toEqual({ blocks: 1, from: FIRST + 1 - 999 + 1 })
  })
})

describe('CHN-04, CHN-06: a transfer that a reorganisation dropped stops counting, however deep it lies', () => {
  const deepest: [EvmChain, number][] = [
    ['base', 999], //  the most that FINALITY may ask for; 450 without it
    ['arbitrum', 3_600],
    ['polygon', 999],
    ['ethereum', 999],
  ]
  const cases = deepest.flatMap(([chain, most]) => [
    ...[1, 2, 64, 65, 450, most].map((depth) => [chain, depth, 'gone'] as const),
    [chain, most + 1, 'kept'] as const, //  deep enough to count for any sum
  ])
  test.each(cases)('%s, %d deep, with all blocks from its own on: %s', async (chain, depth, what) => {
    const { fake, look, pay } = follow(chain)
    const block = FIRST - depth + 1
    const stays = pay(FIRST - 5_000)
    const tx = pay(block)
    expect(await look()).toMatchObject([{ tx: stays }, { tx, confirmations: depth }])
    fake.rewrite(block)
    fake.move(FIRST + 1)
    const found = (await look()).map((one) => one.tx)
    expect(found).toEqual(what === 'gone' ? [stays] : [stays, tx])
  })

  test.each([
    ['a longer chain', 21],
    ['one of the same length', 0],
    ['a shorter one: the head steps back', -7],
    ['a shorter one, to below the transfer', -60],
    ['a long silence: blocks enough for any sum lie on top', 5_000],
  ])('%s', async (_, more) => {
    const { fake, look, pay } = follow()
    const tx = pay(FIRST - 50)
    for (const number of [-2, -1, 0]) {
      fake.move(FIRST + number)
      expect(await look()).toMatchObject([{ tx }])
    }
    fake.rewrite(FIRST - 50)
    fake.move(FIRST + more)
    expect(await look()).toEqual([])
    fake.move(FIRST + more + 450)
    expect(await look()).toEqual([])
  })

  test('CHN-02: one that is in another block by then counts from that', async () => {
    const { fake, look, pay } = follow()
    pay(FIRST - 50)
    expect(await look()).toMatchObject([{ confirmations: 51 }])
    fake.rewrite(FIRST - 50)
    const tx = pay(FIRST - 20)
    fake.move(FIRST + 1)
    expect(await look()).toMatchObject([{ tx, blockNumber: BigInt(FIRST - 20), confirmations: 22 }])
  })

  test('one that happens while blocks are read is seen at the next look', async () => {
    const { fake, look, pay } = follow()
    const tx = pay(FIRST - 50)
    fake.after('eth_getTransactionReceipt', () => fake.rewrite(FIRST - 60))
    expect(await look()).toMatchObject([{ tx }])
    fake.move(FIRST + 1)
    expect(await look()).toEqual([])
  })

  test.each([
    ['and the look ends there', HOUR],
    ['and the look goes on', 0],
  ])('nor is it under blocks that were read after it happened, %s', async (_, lateMs) => {
    let laterMs = 0
    const { fake, look, pay } = follow('base', () => laterMs)
    const kept = pay(FIRST - 890)
    pay(FIRST - 800) //  in another range of blocks
    fake.after('eth_getTransactionReceipt', () =>
      fake.after('eth_getTransactionReceipt', () => {
        fake.rewrite(FIRST - 820)
        laterMs = lateMs
      }),
    )
    await expect(look(FIRST - 900)).rejects.toMatchObject({ code: 'chain_unavailable' })
    laterMs = 0
    expect(await look(FIRST - 900)).toMatchObject([{ tx: kept }])
  })

  test('one block replaced: it is read again with the overlap, and nothing older', async () => {
    const { fake, look } = follow()
    for (const number of [0, 1, 2]) {
      fake.move(FIRST + number)
      await look()
    }
    fake.asked()
    fake.rewrite(FIRST + 2)
    fake.move(FIRST + 3)
    await look()
    expect(fake.asked()).toEqual({ blocks: 3, from: FIRST + 1 - OVERLAP + 1 })
  })
})
