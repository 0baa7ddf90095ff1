import { describe, expect, test } from 'vitest'
import type { Claim } from '../../../api/ledger/ledger.ts'
import { createFinalityGate } from '../../../api/settlement/finalityGate.ts'
import { isOnChain, type LocateChain, locate } from '../../../api/settlement/locate.ts'
import type { AuthorizationFate, TokenTransfer, UsedAuthorization } from '../../../api/settlement/port.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { parseFinality } from '../../../ops/finalityPolicy.ts'
import { someSettled, someTerms } from '../../support/ledger.ts'

const settled = someSettled(5)
const terms = someTerms({ amountMicroUsdc: 2_000_000n })
const { payer, payTo, amountMicroUsdc: value } = terms
const [from, to] = [payer, payTo] as [`0x${string}`, `0x${string}`]
const other = `0x${'99'.repeat(20)}` as const
const claimOf = (key: string) => ({ ...terms, key, settled })
const byAuthorization = claimOf(`auth:8453:${terms.asset}:${from}:0x${'22'.repeat(32)}`)
const byTransfer = claimOf(`tx:8453:${settled.tx}:log${settled.logIndex}`)

let finalBlock = 50n
const used = (over: Partial<UsedAuthorization> = {}): UsedAuthorization => ({
  kind: 'used',
  to,
  value,
  ...settled,
  ...over,
})
const transfer = (over: Partial<TokenTransfer> = {}): TokenTransfer => ({
  from,
  to,
  value,
  byAuthorization: false,
  blockIndex: 0,
  ...settled,
  ...over,
})
const world = ({
  fateIn = null,
  fate = { kind: 'unused', blockNumber: 99n, blockMs: 0 },
  transfers = null,
}: {
  fateIn?: UsedAuthorization | null
  fate?: AuthorizationFate
  transfers?: TokenTransfer[] | 'reverted' | null
}): LocateChain => ({
  fateIn: async () => fateIn,
  fate: async () => fate,
  transfers: async () => transfers,
  head: async (which) => ({ number: which === 'latest' ? 99n : finalBlock, hash: '0x1', timeMs: 0 }),
})

describe('CHN-02, CHN-03, RPL-11 where the money of an authorization is', () => {
  const later = { tx: `0x${'b'.repeat(64)}`, blockNumber: 80n, blockMs: 7, logIndex: 1 } as const
  test.each<[string, Parameters<typeof world>[0], object | null]>([
    ['where it was', { fateIn: used() }, settled],
    ['by another transaction', { fate: used(later) }, later],
    ['its nonce has paid somebody else since', { fate: used({ ...later, to: other }) }, null],
    ['it has paid us another sum since', { fate: used({ ...later, value: value - 1n }) }, null],
    ['cancelled since', { fate: { kind: 'cancelled', tx: later.tx } }, null],
    ['nowhere', {}, null],
  ])('%s', async (_, chain, place) => {
    expect(await locate(world(chain), byAuthorization)).toEqual(place)
  })
})

test('RPL-11 its use is looked for from where it was on', async () => {
  const asked: unknown[][] = []
  const fate = async (...terms: unknown[]): Promise<AuthorizationFate> => {
    asked.push(terms)
    return used()
  }
  const shout = (address: string) => `0x${address.slice(2).toUpperCase()}`
  const asset = `0x${'ab'.repeat(20)}`
  const claim = { ...byAuthorization, asset: shout(asset), payTo: shout(payTo) }
  expect(await locate({ ...world({}), fate }, claim)).toEqual(settled)
  expect(asked).toEqual([[asset, from, `0x${'22'.repeat(32)}`, settled.blockMs]])
})

test.each<[string, boolean]>([
  ['auth:8453:', true],
  ['tx:8453:', true],
  ['auth:1:', false],
  ['tx:1:', false],
  ['auth:84532:', false],
  ['tx:84532:', false],
  ['solana:8453:', false],
])('CLS-15 only money that came over it is looked for on a chain: %s… %s', (key, isThere) => {
  expect(isOnChain(`${key}0xab`, 8453)).toBe(isThere)
})

test('CHN-04 used, and no log shows where: it is not known to be gone', async () => {
  const chain = world({ fate: { kind: 'earlier', blockNumber: 99n, blockMs: 0 } })
  await expect(locate(chain, byAuthorization)).rejects.toMatchObject({ code: 'chain_unavailable' })
})

describe('CHN-02, CHN-03 where the money of a transfer is', () => {
  const moved = { blockNumber: 80n, blockMs: 7 }
  test.each<[string, TokenTransfer[] | 'reverted' | null, object | null]>([
    ['where it was', [transfer()], settled],
    ['in another block', [transfer(moved)], { ...settled, ...moved }],
    ['the second of two alike', [transfer({ logIndex: 1 }), transfer()], settled],
    ['at another place of its transaction', [transfer({ logIndex: 1 })], { ...settled, logIndex: 1 }],
    ['it came from somebody else', [transfer({ from: other })], null],
    ['it went to somebody else', [transfer({ to: other })], null],
    ['it was another sum', [transfer({ value: value + 1n })], null],
    ['reverted', 'reverted', null],
    ['nowhere', null, null],
  ])('%s', async (_, transfers, place) => {
    expect(await locate(world({ transfers }), byTransfer)).toEqual(place)
  })
})

test('CHN-04 a node that comes to its block between two questions is asked again', async () => {
  let asked = 0
  const transfers = async () => (asked++ === 0 ? null : [transfer()])
  expect(await locate({ ...world({}), transfers }, byTransfer)).toEqual(settled)
})

describe('CHN-06 deep enough where it was, and asked once more', () => {
  test.each<[string, Parameters<typeof world>[0], boolean]>([
    ['still there', { fateIn: used() }, true],
    ['in a later block by now: that one has to be as deep', { fateIn: used({ blockNumber: 98n }) }, false],
    [
      'by another transaction by now: the answer would name the one that is gone',
      { fate: used({ tx: `0x${'b'.repeat(64)}` }) },
      false,
    ],
    ['gone', {}, false],
  ])('%s: %s', async (_, now, reached) => {
    const gate = createFinalityGate({
      chain: world(now),
      chainId: 8453,
      policy: parseFinality('1:3'),
      waitMs: 0,
    })
    expect(await gate.reached(byAuthorization as unknown as Claim)).toBe(reached)
  })

  test.each([
    [settled.blockNumber - 1n, false],
    [settled.blockNumber, true],
  ])('a large one: only what the node calls final counts, up to block %d: %s', async (block, reached) => {
    finalBlock = block
    const policy = parseFinality('1:finalized')
    const gate = createFinalityGate({
      chain: world({ fateIn: used() }),
      chainId: 8453,
      policy,
      waitMs: 0,
    })
    expect(await gate.reached(byAuthorization as unknown as Claim)).toBe(reached)
  })
})

test.each([
  ['of one pass is not asked again: a hundred claims wait no longer than one', true, 1],
  ['of requests is asked by each', false, 3],
])('CHN-06 a node that does not answer, %s', async (_, isForOnePass, most) => {
  let asked = 0
  const head = async () => {
    asked++
    throw new UnavailableError('chain_unavailable', 'the test has cut the chain off')
  }
  const gate = createFinalityGate({
    chain: { ...world({}), head },
    chainId: 8453,
    policy: parseFinality('1:3'),
    waitMs: 0,
    isForOnePass,
  })
  for (let claims = 0; claims < 3; claims++)
    await expect(gate.reached(byAuthorization as unknown as Claim)).rejects.toMatchObject({
      code: 'chain_unavailable',
    })
  expect(asked).toBe(most)
})
