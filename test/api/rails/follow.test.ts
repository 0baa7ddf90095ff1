import { beforeEach, describe, expect, test } from 'vitest'
import type { RailTransfer } from '../../../api/rails/rail.ts'
import { createFollower, type SolanaFollower } from '../../../api/rails/solana/follow.ts'
import { SIGNATURES_AT_ONCE } from '../../../api/rails/solana/node.ts'
import type { SolanaSignature, SolanaTransaction } from '../../../api/rails/solana/wire.ts'
import { DAY, SECOND } from '../../../ops/units.ts'

/** A node in memory, with more transactions than a test gives to a cluster; the oldest comes first. */
const NOW_S = 1_790_000_000
const READS = 500 //  in one call
const MOST_KEPT = 80_000 // transactions
let nowMs: number
let mined: (SolanaSignature & { of?: string })[] //  `of`: the receiver, unless it is the first
let pages: number //  pages of signatures asked for so far
let reads: string[]
let readMs: number //  how long a read takes
let failed: string | null // listed as successful, although its transaction failed
let follower: SolanaFollower
beforeEach(() => {
  nowMs = NOW_S * SECOND
  pages = 0
  reads = []
  readMs = 0
  failed = null
  follower = createFollower({
    receivers: ['us', 'alternate'],
    clock: { nowMs: () => nowMs },
    node: {
      signatures: async (address, before) => {
        pages++
        const newestFirst = mined.filter(({ of = 'us' }) => of === address).toReversed()
        const from = before === null ? 0 : newestFirst.findIndex(({ signature }) => signature === before) + 1
        return newestFirst.slice(from, from + SIGNATURES_AT_ONCE).map((one) => ({ ...one }))
      },
      transaction: async (signature) => {
        reads.push(signature)
        nowMs += readMs
        const { err, blockTime } = mined.find((one) => one.signature === signature)!
        const transaction = { signatures: [signature], message: { accountKeys: ['us'] } }
        const meta = { err: signature === failed ? {} : err, fee: 0, preBalances: [0], postBalances: [1] }
        return { slot: 1, blockTime, transaction, meta } as SolanaTransaction
      },
      oldestMs: async () => 0,
      close: async () => {},
    },
    transfersOf: ({ transaction, blockTime }) =>
      [{ tx: transaction.signatures[0], atMs: (blockTime ?? 0) * SECOND }] as RailTransfer[],
  })
})

/** This many transactions, two per second, the newest a second ago. */
const mine = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({
    signature: `s${nth}`,
    err: null,
    blockTime: NOW_S - Math.ceil((count - nth) / 2),
  }))
const since = async (agoS: number) =>
  (await follower.since((NOW_S - agoS) * SECOND)).transfers.map(({ tx }) => tx)
const upTo = (count: number) => Array.from({ length: count }, (_, nth) => `s${nth}`)

describe('CHN-04 transfers of a receiver, oldest first and without a hole', () => {
  test('more than a page names, and than one call reads: each call goes on where the one before ended', async () => {
    mined = mine(SIGNATURES_AT_ONCE + 200)
    for (const count of [READS, 2 * READS, SIGNATURES_AT_ONCE + 200])
      expect(await since(3_600)).toEqual(upTo(count))
    expect(reads).toHaveLength(SIGNATURES_AT_ONCE + 200)
  })

  test('those that are known already are told behind those before them, not sooner', async () => {
    mined = mine(READS + 10)
    expect(await since(1)).toEqual([`s${READS + 8}`, `s${READS + 9}`])
    expect(await since(3_600)).toEqual(upTo(READS))
    expect(await since(3_600)).toEqual(upTo(READS + 10))
  })

  test('of both receivers in one order, also where an answer is cut short', async () => {
    mined = mine(READS + 100).map((one, nth) => (nth % 3 === 0 ? { ...one, of: 'alternate' } : one))
    expect((await since(3_600)).toSorted()).toEqual(upTo(READS).toSorted())
    expect((await since(3_600)).toSorted()).toEqual(upTo(READS + 100).toSorted())
  })

  test('I23 nor because a call for less ended meanwhile, when more is known than is kept', async () => {
    const all = mine(MOST_KEPT + 20)
    for (let from = 0; from < MOST_KEPT; from += READS) {
      mined = all.slice(from, from + READS)
      await since(DAY / SECOND)
    }
    mined = all.slice(-READS)
    const [wide] = await Promise.all([since(DAY / SECOND), since(1)])
    expect(wide).toEqual(mined.map(({ signature }) => signature))
  })

  test('what is older than asked is not gone through, however much there is of it', async () => {
    mined = mine(SIGNATURES_AT_ONCE + 200)
    expect(await since(1)).toEqual([`s${SIGNATURES_AT_ONCE + 198}`, `s${SIGNATURES_AT_ONCE + 199}`])
    expect(pages).toBe(2) //  one for each receiver
    expect(reads).toHaveLength(2)
  })

  test('however old: what one call reads, and up to when that is all there is', async () => {
    const monthS = (30 * DAY) / SECOND
    mined = mine(READS + 1).map((one, nth) => ({ ...one, blockTime: NOW_S - monthS + nth }))
    const untilMs = async () => (await follower.since((NOW_S - 2 * monthS) * SECOND)).untilMs
    expect(await untilMs()).toBe((NOW_S - monthS + READS) * SECOND)
    expect(await untilMs()).toBe(nowMs)
    expect(await since(2 * monthS)).toEqual(upTo(READS + 1))
  })

  test('what failed is not read', async () => {
    mined = mine(3).map((one, nth) => (nth === 1 ? { ...one, err: { InstructionError: [] } } : one))
    expect([await since(60), reads]).toEqual([
      ['s0', 's2'],
      ['s0', 's2'],
    ])
  })

  test('RAIL-06 nor does it count when only the transaction itself says so', async () => {
    mined = mine(2)
    failed = 's0'
    expect(await since(60)).toEqual(['s1'])
  })

  test('one whose time the node does not say when it names it is read; it counts by its own', async () => {
    const [old, young] = mine(2).map((one) => ({ ...one, blockTime: null as number | null }))
    mined = [old!, young!]
    const asked = since(60)
    Object.assign(old!, { blockTime: NOW_S - 61 })
    Object.assign(young!, { blockTime: NOW_S - 60 })
    expect(await asked).toEqual(['s1'])
  })

  test('nor does such a one come behind those that are younger', async () => {
    mined = mine(3)
    const [{ blockTime }] = mined as [SolanaSignature]
    mined[0]!.blockTime = null
    const asked = since(60)
    mined[0]!.blockTime = blockTime
    expect(await asked).toEqual(upTo(3))
  })

  test('I23 a node that takes its time is an outage; the next call has what was read until then', async () => {
    mined = mine(40)
    readMs = 1 * SECOND
    await expect(since(3_600)).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(reads.length).toBeLessThan(40)
    readMs = 0
    expect(await since(3_600)).toEqual(upTo(40))
    expect(reads).toHaveLength(40)
  })
})
