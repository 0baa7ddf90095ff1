import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAuthorizedPlaces } from '../../../api/rails/evm/authorized.ts'
import { tokenRail } from '../../../api/rails/evm/token.ts'
import type { Rail, RailTransfer } from '../../../api/rails/rail.ts'
import { blockAt } from '../../../api/settlement/nodeReads.ts'
import { quietLog } from '../../support/ledger.ts'
import { addressOf, createFakeChain, TOKEN, US, type Written } from './fakeChain.ts'

const [PAYER, ANOTHER] = [0x77, 0x78]
const THIRD = addressOf(0x99)

/** A step of a transaction, and the transfer to us that it makes: `plain` pays an intent, `settled` was an x402 settlement. */
type Step = { written: Written[]; makes: 'plain' | 'settled' | null }
let value = 0n
const move = (from: number, to = US): Written => ({ kind: 'transfer', from, to, value: ++value })
const plain = (from = PAYER): Step => ({ written: [move(from)], makes: 'plain' })
const plainToThird = (from = PAYER): Step => ({ written: [move(from, THIRD)], makes: null })
const settled = (from = PAYER): Step => ({
  written: [{ kind: 'used', from }, move(from)],
  makes: 'settled',
})
const settledToThird = (from = PAYER): Step => ({
  written: [{ kind: 'used', from }, move(from, THIRD)],
  makes: null,
})
/** A settlement with a log of another contract between the use and its transfer. */
const settledLate = (from = PAYER): Step => ({
  written: [{ kind: 'used', from }, { kind: 'other' }, move(from)],
  makes: 'settled',
})
/** A use whose own transfer comes after a plain one of another payer. */
const settledAround = (): Step => ({
  written: [{ kind: 'used', from: ANOTHER }, move(PAYER), move(ANOTHER)],
  makes: null,
})
const other = (): Step => ({ written: [{ kind: 'other' }], makes: null })

/** Each list of steps is a transaction; all are in one block. */
async function shown(...transactions: Step[][]): Promise<{ byHash: string[]; since: string[] }> {
  const fake = createFakeChain()
  const { network, clock } = fake
  const record = { id: 'usdc_base', receiverAddress: US, alternateReceivers: [] } as unknown as Rail
  const rail = tokenRail({
    record,
    chain: 'base',
    decimals: 6,
    token: TOKEN,
    network,
    clock,
    log: quietLog,
  })
  const hashes = transactions.map((steps) =>
    fake.mine(
      fake.head() - 5,
      steps.flatMap(({ written }) => written),
    ),
  )
  const found = await Promise.all(hashes.map((tx) => rail.byHash(tx) as Promise<RailTransfer[]>))
  const kind = ({ byAuthorization }: RailTransfer) => (byAuthorization ? 'settled' : 'plain')
  const byHash = found.flat()
  const since = await rail.since(fake.timeMs(fake.head() - 100))
  //  discovery names each plain transfer as a look by its hash does
  expect(since).toEqual(byHash.filter(({ byAuthorization }) => !byAuthorization))
  return { byHash: byHash.map(kind), since: since.map(kind) }
}

describe('CLS-11: each log of a transaction is judged by itself: an authorization takes one transfer with it', () => {
  test.each<[string, Step[], string[]]>([
    ['a plain payment', [plain()], ['plain']],
    ['a settlement', [settled()], ['settled']],
    ['an authorization pays somebody else, then its payer us', [settledToThird(), plain()], ['plain']],
    ['the other way round', [plain(), settledToThird()], ['plain']],
    ['a settlement, then a plain payment of the same payer', [settled(), plain()], ['settled', 'plain']],
    ['the other way round', [plain(), settled()], ['plain', 'settled']],
    ['a plain one between two', [settled(), plain(), settled()], ['settled', 'plain', 'settled']],
    ['other logs in between', [settledToThird(), other(), plainToThird(), plain()], ['plain']],
    ['the authorization of another payer', [settled(ANOTHER), plain()], ['settled', 'plain']],
    ['something written between the two', [settledLate(), plain()], ['settled', 'plain']],
    ['somebody else paid between the two', [settledAround()], ['plain', 'settled']],
    ['another payer right behind the use', [settledToThird(ANOTHER), plain()], ['plain']],
  ])('%s', async (_, steps, kinds) => {
    const plainOnes = kinds.filter((kind) => kind === 'plain')
    expect(await shown(steps)).toEqual({ byHash: kinds, since: plainOnes })
    //  and behind other transactions of its block, where the two numbers of a log differ
    const behind = [plainToThird(), other(), settledToThird()]
    expect(await shown(behind, steps, behind)).toEqual({ byHash: kinds, since: plainOnes })
  })

  test('an authorization of another transaction takes none', async () => {
    expect(await shown([settledToThird()], [plain()], [settled()])).toEqual({
      byHash: ['plain', 'settled'],
      since: ['plain'],
    })
  })

  test('as many payers, and as many transactions to be told apart, as take several questions', async () => {
    const payers = Array.from({ length: 401 }, (_, nth) => settled(0x1000 + nth))
    expect(await shown(payers)).toEqual({ byHash: payers.map(() => 'settled'), since: [] })
    const mixed = Array.from({ length: 20 }, () => [settledToThird(), settledLate(), plain()])
    expect(await shown(...mixed)).toEqual({
      byHash: mixed.flatMap(() => ['settled', 'plain']),
      since: mixed.map(() => 'plain'),
    })
  })

  test('property: whatever the order, what no authorization made is plain', async () => {
    const payer = fc.constantFrom(PAYER, ANOTHER)
    const step = fc.oneof(
      ...[plain, plainToThird, settled, settledToThird, settledLate].map((make) => payer.map(make)),
      fc.constant(null).map(other),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 4 }), async (transactions) => {
        const kinds = transactions.flat().flatMap(({ makes }) => makes ?? [])
        expect((await shown(...transactions)).byHash).toEqual(kinds)
      }),
    )
  })
})

test('CLS-12: a node that passes over the filter: only what came to us, from whoever paid without an authorization', async () => {
  const fake = createFakeChain()
  const { network, clock } = fake
  const record = { id: 'usdc_base', receiverAddress: US, alternateReceivers: [] } as unknown as Rail
  const rail = tokenRail({
    record,
    chain: 'base',
    decimals: 6,
    token: TOKEN,
    network,
    clock,
    log: quietLog,
  })
  fake.listEverything()
  const mine = (...written: Written[]) => fake.mine(fake.head() - 5, written)
  const tx = mine(move(PAYER), move(PAYER, THIRD), move(ANOTHER, addressOf(0x43)))
  mine({ kind: 'used', from: ANOTHER }, move(ANOTHER))
  const found = await rail.since(fake.timeMs(fake.head() - 100))
  expect(found.map((one) => [one.tx, one.from, one.to])).toEqual([[tx, addressOf(PAYER), US]])
})

describe('a transaction whose logs have to be told apart is read once, however often one looks', () => {
  const world = () => {
    const fake = createFakeChain()
    const { network, clock } = fake
    const record = { id: 'usdc_base', receiverAddress: US, alternateReceivers: [] } as unknown as Rail
    const rail = tokenRail({
      record,
      chain: 'base',
      decimals: 6,
      token: TOKEN,
      network,
      clock,
      log: quietLog,
    })
    const look = () => rail.since(fake.timeMs(fake.head() - 100))
    const doubtful = (block: number) =>
      fake.mine(
        block,
        [settledToThird(), settledLate(), plain()].flatMap(({ written }) => written),
      )
    return { fake, look, doubtful }
  }

  test('in the newest blocks, which are read again at each look', async () => {
    const { fake, look, doubtful } = world()
    doubtful(fake.head())
    const first = await look()
    expect(first).toHaveLength(1)
    const read = fake.receipts()
    expect(read).toBe(2) //  one to tell two transfers apart, one for the place of the transfer that pays
    for (let again = 0; again < 5; again++) expect(await look()).toEqual(first)
    expect(fake.receipts()).toBe(read)
  })

  test('x402 settlements, which are most of what arrives, are told by the lists alone', async () => {
    const { fake, look } = world()
    for (let nth = 0; nth < 20; nth++)
      fake.mine(
        fake.head() - nth,
        [settled(), settled(ANOTHER)].flatMap(({ written }) => written),
      )
    expect(await look()).toEqual([])
    expect(fake.receipts()).toBe(0)
  })

  test('CHN-04 one that the node lists and has no receipt of is an outage: what made its transfers is not known', async () => {
    const { fake, doubtful } = world()
    const block = fake.head()
    const { hash: blockHash } = (await fake.network.read('block', (rpc) => blockAt(rpc, BigInt(block))))!
    doubtful(block)
    const transactionHash = `0x${'ab'.repeat(32)}` as const
    const listed = { transactionHash, blockHash, blockIndex: 1, from: addressOf(PAYER) }
    const read = fake.network.read('transfers', (rpc) => createAuthorizedPlaces()(rpc, TOKEN, listed))
    await expect(read).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  test('CHN-02 in another block it is another one', async () => {
    const { fake, look, doubtful } = world()
    const block = fake.head()
    doubtful(block)
    const before = await look()
    fake.rewrite(block)
    fake.mine(
      block,
      [settledLate(), settledToThird()].flatMap(({ written }) => written),
    )
    expect(before).toHaveLength(1)
    expect(await look()).toEqual([])
  })

  test('sixty-four of them are remembered, and the one that was read first is forgotten first', async () => {
    const { fake, doubtful } = world()
    const places = createAuthorizedPlaces()
    const block = fake.head()
    const blockHash = fake.network.read('transfers', async (rpc) => (await blockAt(rpc, BigInt(block)))!.hash)
    const all = Array.from({ length: 65 }, () => doubtful(block))
    const look = async (transactionHash: `0x${string}`) => {
      const listed = { transactionHash, blockHash: await blockHash, blockIndex: 1, from: addressOf(PAYER) }
      const before = fake.receipts()
      await fake.network.read('transfers', (rpc) => places(rpc, TOKEN, listed))
      return fake.receipts() - before
    }
    for (const tx of all) expect(await look(tx)).toBe(1)
    expect([await look(all[1]!), await look(all[64]!), await look(all[0]!)]).toEqual([0, 0, 1])
  })

  test('CHN-02 in another block by the time its logs are read: places in that one say nothing of this', async () => {
    const { fake, doubtful } = world()
    const listed = { transactionHash: doubtful(fake.head()), blockIndex: 1, from: addressOf(PAYER) }
    const blockHash = `0x${'ab'.repeat(32)}` as const
    const read = fake.network.read('transfers', (rpc) =>
      createAuthorizedPlaces()(rpc, TOKEN, { ...listed, blockHash }),
    )
    await expect(read).rejects.toMatchObject({ code: 'chain_unavailable' })
  })
})
