import { type Address, type Hex, pad, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { ChainLog } from '../../../api/settlement/nodeReads.ts'
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED, TRANSFER } from '../../../api/settlement/tokenCalls.ts'
import { authorizationUses, transferLogs } from '../../../api/settlement/tokenLogs.ts'
import { USDC } from './vectors.ts'

const [A, B, US]: Address[] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`, `0x${'ee'.repeat(20)}`]
const NONCE = (n: number): Hex => toHex(n, { size: 32 })
let next = 0
const log = (topics: Hex[], data: Hex = '0x', address: Address = USDC): ChainLog => ({
  address,
  topics,
  data,
  blockIndex: 40 + next,
  logIndex: next++,
  transactionHash: NONCE(1),
})
const used = (from: Address, nonce: Hex, address?: Address) =>
  log([AUTHORIZATION_USED, pad(from), nonce], '0x', address)
const moved = (from: Address, to: Address, value: bigint, address?: Address) =>
  log([TRANSFER, pad(from), pad(to)], toHex(value, { size: 32 }), address)

describe('CLS-12: only the pinned token moves money', () => {
  test('a look-alike’s Transfer is not seen', () => {
    const [fake, real] = [moved(A!, US!, 10_000n, B!), moved(A!, US!, 10_000n)]
    expect(transferLogs([fake, real], USDC)).toEqual([
      { from: A, to: US, value: 10_000n, logIndex: real.logIndex, blockIndex: real.blockIndex },
    ])
  })

  test.each([
    ['three topics are not there', log([TRANSFER, pad(A!)], toHex(1n, { size: 32 }))],
    ['four topics (an NFT)', log([TRANSFER, pad(A!), pad(US!), NONCE(1)])],
    ['the value is cut', log([TRANSFER, pad(A!), pad(US!)], '0x01')],
    ['another event', log([AUTHORIZATION_CANCELED, pad(A!), NONCE(1)])],
  ])('%s: no transfer', (_, one) => expect(transferLogs([one], USDC)).toEqual([]))

  test('a Transfer of nothing is one of value 0, for the caller to refuse', () => {
    expect(transferLogs([moved(A!, US!, 0n)], USDC)).toMatchObject([{ value: 0n }])
  })
})

describe('RPL-17: which Transfer belongs to which authorization', () => {
  test('several of one wallet and of others in one transaction', () => {
    const logs = [
      used(A!, NONCE(1)),
      moved(A!, US!, 1n),
      moved(A!, B!, 99n), //  an ordinary transfer in between belongs to nobody
      used(B!, NONCE(2)),
      moved(B!, US!, 2n),
      used(A!, NONCE(3)),
      moved(A!, US!, 3n),
    ]
    expect(authorizationUses(logs, USDC).map(({ nonce, transfer }) => [nonce, transfer?.value])).toEqual([
      [NONCE(1), 1n],
      [NONCE(2), 2n],
      [NONCE(3), 3n],
    ])
  })

  test('by the order in the block, whatever the order of the answer', () => {
    const logs = [used(A!, NONCE(1)), moved(A!, US!, 1n), used(A!, NONCE(2)), moved(A!, US!, 2n)]
    expect(authorizationUses(logs.toReversed(), USDC).map(({ transfer }) => transfer?.value)).toEqual([
      1n,
      2n,
    ])
  })

  test('a Transfer before its use, by another wallet or of another token does not count', () => {
    const logs = [moved(A!, US!, 1n), used(A!, NONCE(1)), moved(B!, US!, 1n), moved(A!, US!, 1n, B!)]
    expect(authorizationUses(logs, USDC)).toEqual([{ from: A, nonce: NONCE(1), transfer: null }])
  })

  test('a look-alike’s AuthorizationUsed is not seen', () => {
    expect(authorizationUses([used(A!, NONCE(1), B!), moved(A!, US!, 1n)], USDC)).toEqual([])
  })
})
