import { beforeEach, describe, expect, test } from 'vitest'
import type { FinalityLedger, WatchedClaim } from '../../../api/ledger/finality.ts'
import type { ChainHead, ChainView, PaymentChain, UsedAuthorization } from '../../../api/settlement/port.ts'
import {
  BATCH,
  createFinalityWatch,
  type FinalityPorts,
  GRACE_MS,
  LOST_AFTER_MS,
  UNANSWERED_BLOCKS,
} from '../../../api/worker/watchFinality.ts'
import { quietLog, someTerms } from '../../support/ledger.ts'

/**
 * CHN-03 with more claims than are read at once. A world in memory: claims lie lowest block first, one block each; the
 * chain drops what lies in `fork` or above.
 */
const FINAL_BLOCKS = 1_000_000
const hex = (n: number) => `0x${n.toString(16).padStart(64, '0')}` as const

let claims: WatchedClaim[]
let fork: number
let away: boolean
let newest: number | null // block of the head; null: above all claims
let finalized: number | null | 'untold' // newest final block; null: the head
let searched: number
let untold: (nonce: string) => boolean // whether no node can say where a displaced claim is
let suspended: string[]
let reopened: string[]
let reads: string[][]
let ranges: [from: bigint, until: bigint][] // blocks that were asked about
let forgotten: string[]
let found: UsedAuthorization | null // where a displaced claim was found
let watch: ReturnType<typeof createFinalityWatch>
beforeEach(() => {
  fork = Number.POSITIVE_INFINITY
  away = false
  newest = null
  finalized = null
  searched = 0
  untold = () => false
  suspended = []
  reopened = []
  reads = []
  ranges = []
  forgotten = []
  found = null
  watch = createFinalityWatch(ports)
})

function world(count: number, answered = false) {
  claims = Array.from({ length: count }, (_, index) => ({
    ...someTerms(),
    key: `auth:8453:0xa:0xb:${index}`,
    state: 'settled',
    reason: null,
    payment: null,
    txs: [],
    createdMs: 0,
    settledMs: 0,
    leaseMs: null,
    validBefore: null,
    isAnswered: answered,
    settled: { tx: hex(index), logIndex: 0, blockNumber: BigInt(index), blockMs: 0 },
    missing: false,
    suspended: false,
  }))
}
const isGone = ({ settled }: WatchedClaim) => Number(settled.blockNumber) >= fork
const claimOf = (key: string) => claims.find((claim) => claim.key === key)!

const blockAt = async (number: bigint): Promise<ChainHead> => ({
  number,
  timeMs: 0,
  hash: hex(Number(number) * 2 + (Number(number) >= fork ? 1 : 0)),
})
const chain = {
  head: async (which) => {
    if (which === 'finalized' && finalized === 'untold') throw new Error('no such block')
    const number = newest ?? claims.length + 1
    return blockAt(BigInt(which === 'finalized' ? (finalized ?? number) : number))
  },
  blockAt,
  inflows: async (_asset, _to, from, until) => {
    if (away) throw new Error('no node answers')
    ranges.push([from, until])
    return claims
      .filter((claim) => !isGone(claim) && claim.settled.blockNumber >= from)
      .filter(({ settled }) => settled.blockNumber <= until)
      .map(({ settled }) => ({ ...settled, blockIndex: 0, from: '0xa', value: 1n }) as const)
  },
  fateIn: async (_asset, _from, nonce) => {
    searched++
    if (untold(nonce)) throw new Error('no node says')
    return found
  },
  fate: async () => ({ kind: 'unused', blockNumber: BigInt(newest ?? claims.length + 1), blockMs: 0 }),
} as Partial<PaymentChain & ChainView> as PaymentChain & ChainView

const finality = {
  unfinal: async (max) => claims.slice(0, max === 'all' ? undefined : max).map(({ key }) => key),
  watched: async (keys) => {
    reads.push([...keys])
    const wanted = new Set(keys)
    return { claims: claims.filter(({ key }) => wanted.has(key)), broken: [] }
  },
  forget: async (keys) => {
    forgotten.push(...keys)
    return keys.length
  },
  final: async (seen) => {
    forgotten.push(...seen.map(({ key }) => key))
    return seen.length
  },
  move: async (key, { tx, logIndex, blockNumber, blockMs }) => {
    const there = { settled: { tx, logIndex, blockNumber, blockMs }, missing: false }
    claims = claims.map((claim) => (claim.key === key ? { ...claim, ...there } : claim))
    return 'moved'
  },
  find: async (key) => ({ ...claimOf(key), draft: '', answer: { body: '{}', paymentResponse: '' } }),
  gone: async (key) => {
    if (!claimOf(key).isAnswered) {
      reopened.push(key)
      return 'reopened'
    }
    claimOf(key).missing = true
    return 0
  },
  suspend: async (key) => {
    claimOf(key).suspended = true
    suspended.push(key)
    return 'suspended'
  },
  lost: async () => false,
} as Partial<FinalityLedger> as FinalityLedger

const ports = {
  finality,
  chain,
  answers: { secret: Buffer.alloc(32, 7), mode: 'sandbox' },
  chainId: 8453,
  finalBlocks: FINAL_BLOCKS,
  log: quietLog,
} satisfies FinalityPorts

describe('CHN-03 a reorganisation drops the highest blocks, and every claim is looked at', () => {
  test.each([1, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH + 1])('of %i claims the highest', async (count) => {
    world(count)
    await watch(0)
    fork = count - 1
    expect((await watch(0)).reopened).toBe(1)
    expect(reopened).toEqual([`auth:8453:0xa:0xb:${count - 1}`])
  })

  test('of more than are read at once, all that were dropped, highest batch first', async () => {
    world(BATCH + 10)
    await watch(0)
    fork = 5
    reads = []
    expect((await watch(0)).reopened).toBe(BATCH + 5)
    expect(reads.map(({ length }) => length)).toEqual([BATCH, 10])
    expect(reads[0]![0]).toBe(claims.at(-1)!.key)
  })

  test('after a day of standing still no block is asked about twice, however many batches there are', async () => {
    world(BATCH + 10)
    newest = 2 * BATCH
    await watch(0)
    expect(ranges).toEqual([
      [10n, BigInt(BATCH + 9)],
      [0n, 9n],
    ])
  })

  test('of a block that came and went between two passes: looked at in the next, and no more', async () => {
    world(1)
    newest = 3
    await watch(0)
    const [first] = claims
    const late = { tx: hex(9), logIndex: 0, blockNumber: 4n, blockMs: 0 }
    claims.push({ ...first!, key: 'auth:8453:0xa:0xb:9', settled: late })
    fork = 4
    newest = 5
    expect((await watch(0)).reopened).toBe(1)
    expect(reopened).toEqual(['auth:8453:0xa:0xb:9'])
    claims.pop()
    newest = 6
    ranges = []
    await watch(0)
    expect(ranges).toEqual([])
  })

  test('of blocks between new claims and those that are deep enough nothing is asked', async () => {
    world(1)
    newest = 3
    await watch(0)
    const late = { tx: hex(9), logIndex: 0, blockNumber: BigInt(FINAL_BLOCKS), blockMs: 0 }
    claims.push({ ...claims[0]!, key: 'auth:8453:0xa:0xb:9', settled: late })
    newest = FINAL_BLOCKS
    ranges = []
    expect((await watch(0)).final).toBe(1)
    expect(ranges).toEqual([
      [0n, 0n],
      [BigInt(FINAL_BLOCKS), BigInt(FINAL_BLOCKS)],
    ])
  })

  test('while the chain goes on one batch is read', async () => {
    world(BATCH + 1)
    await watch(0)
    reads = []
    await watch(0)
    expect(reads.map(({ length }) => length)).toEqual([BATCH])
  })

  test('one above the first batch that is missing is looked at again until it is taken back', async () => {
    world(BATCH + 1, true)
    await watch(0)
    fork = BATCH
    expect((await watch(0)).suspended).toBe(0)
    expect((await watch(GRACE_MS - 1)).suspended).toBe(0)
    expect((await watch(GRACE_MS)).suspended).toBe(1)
    expect(suspended).toEqual([`auth:8453:0xa:0xb:${BATCH}`])
  })

  test('a pass that broke off is made again, also when the chain went on meanwhile', async () => {
    world(BATCH + 1)
    await watch(0)
    fork = BATCH
    away = true
    await expect(watch(0)).rejects.toThrow('no node answers')
    away = false
    expect((await watch(0)).reopened).toBe(1)
  })

  test('what was taken back is counted at once, for the alarm: a pass that breaks off later does not lose it', async () => {
    world(BATCH + 1, true)
    const told: unknown[] = []
    const counting = createFinalityWatch({
      ...ports,
      onOutcome: (...outcome) => {
        told.push(outcome)
        away = true
      },
    })
    await counting(0)
    fork = BATCH
    await expect(counting(GRACE_MS)).rejects.toThrow('no node answers')
    expect(told).toEqual([['suspended', 1]])
  })

  test('one of which no node can tell keeps the batches below it waiting in no pass', async () => {
    world(BATCH + 1)
    await watch(0)
    fork = 0
    untold = (nonce) => nonce === `${BATCH}`
    expect(await watch(0)).toMatchObject({ reopened: BATCH, unsure: 1 })
  })

  test('one above the first batch of which no node could tell is looked at in the next pass', async () => {
    world(BATCH + 1, true)
    await watch(0)
    fork = BATCH
    await watch(0)
    untold = () => true
    for (let pass = 0; pass < 2; pass++) expect(await watch(0)).toMatchObject({ suspended: 0, unsure: 1 }) //  each time, for the alarm
    untold = () => false
    expect((await watch(GRACE_MS)).suspended).toBe(1)
    expect(suspended).toEqual([`auth:8453:0xa:0xb:${BATCH}`])
  })
})

describe('CHN-02, CHN-03 one claim, from block to block', () => {
  test('back in its place within the grace: missing no more, and the next loss has a grace of its own', async () => {
    world(1, true)
    await watch(0)
    fork = 0
    await watch(0)
    expect(claims[0]!.missing).toBe(true)
    fork = Number.POSITIVE_INFINITY
    expect((await watch(1)).moved).toBe(1)
    expect(claims[0]!.missing).toBe(false)
  })

  test('mined again in a later block: watched until that one is deep enough', async () => {
    world(1)
    newest = FINAL_BLOCKS - 1
    const { payTo, amountMicroUsdc: value, settled } = claims[0]!
    found = { ...settled, kind: 'used', to: payTo as `0x${string}`, value, blockNumber: 10n }
    fork = 0
    expect(await watch(0)).toMatchObject({ moved: 1, final: 0 })
    newest += 10
    fork = Number.POSITIVE_INFINITY
    expect((await watch(0)).final).toBe(1)
  })

  test('gone for a day: booked as lost once, and watched no more', async () => {
    world(1, true)
    await watch(0)
    fork = 0
    await watch(0)
    expect((await watch(GRACE_MS)).suspended).toBe(1)
    expect((await watch(LOST_AFTER_MS - 1)).lost).toBe(0)
    forgotten = []
    expect([(await watch(LOST_AFTER_MS)).lost, forgotten]).toEqual([1, [claims[0]!.key]])
  })
})

describe('CHN-04 a node that is behind', () => {
  test('is asked about no block above its newest; those are looked at when it has come so far, however high', async () => {
    world(BATCH + 1)
    fork = BATCH
    newest = BATCH - 1
    expect([(await watch(0)).reopened, (await watch(0)).reopened, searched]).toEqual([0, 0, 0])
    newest = BATCH
    expect((await watch(0)).reopened).toBe(1)
    expect(reopened).toEqual([`auth:8453:0xa:0xb:${BATCH}`])
  })
})

describe('CHN-03, CHN-06 what may wait for finality is watched until then', () => {
  /** @returns whether it is watched no more. */
  const isOver = async (depth: number) => {
    newest = depth - 1
    forgotten = []
    await watch(0)
    return forgotten.length === 1
  }
  beforeEach(() => {
    watch = createFinalityWatch({ ...ports, finalBlocks: 64 })
    finalized = -1
  })

  test('not answered: not by depth; as soon as its block is final', async () => {
    world(1)
    expect([await isOver(64), await isOver(65), await isOver(700)]).toEqual([false, false, false])
    finalized = 0
    expect(await isOver(701)).toBe(true)
  })

  test('dropped beyond that depth: it is opened again, or would wait for its answer for ever', async () => {
    world(1)
    expect(await isOver(700)).toBe(false)
    fork = 0
    newest = 701
    expect((await watch(0)).reopened).toBe(1)
  })

  test('answered: by depth alone', async () => {
    world(1, true)
    expect([await isOver(63), await isOver(64)]).toEqual([false, true])
  })

  test('bounded: a day of blocks, also where the node does not say what is final', async () => {
    world(1)
    finalized = 'untold'
    const most = Number(UNANSWERED_BLOCKS)
    expect([await isOver(64), await isOver(most - 1), await isOver(most)]).toEqual([false, false, true])
  })
})
