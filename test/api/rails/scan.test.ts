import { describe, expect, test } from 'vitest'
import { createScan, type Discovered } from '../../../api/rails/evm/scan.ts'
import { MAX_MARKS } from '../../../api/rails/evm/scanned.ts'
import type { EvmChain } from '../../../api/rails/records.ts'
import { createFakeChain, TOKEN, US } from './fakeChain.ts'

const PAYER = 0x77
const FIRST = 100_000
/** Blocks that are read again each time on Base. */
const OVERLAP = 8

function follow(chain: EvmChain = 'base') {
  const fake = createFakeChain()
  const { network, clock } = fake
  const scan = createScan({ network, clock, chain, asset: TOKEN, receivers: [US] })
  const fromMs = fake.timeMs(FIRST - 20_000)
  return {
    fake,
    look: (): Promise<Discovered[]> => scan.since(fromMs),
    pay: (block: number, value = 5_000_000n) =>
      fake.mine(block, [{ kind: 'transfer', from: PAYER, to: US, value }]),
  }
}

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
    ['base', 999], //  as FINALITY may ask; 450 without
    ['arbitrum', 3_600],
    ['polygon', 999],
    ['ethereum', 999],
  ]
  const cases = deepest.flatMap(([chain, most]) => [
    ...[1, 2, 64, 65, 450, most].map((depth) => [chain, depth, 'gone'] as const),
    [chain, most + 1, 'kept'] as const, //  it has counted for any sum
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
