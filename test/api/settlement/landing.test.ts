import { type Address, type Hex, pad, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { matchJobs } from '../../../api/settlement/landing.ts'
import type { ChainLog } from '../../../api/settlement/nodeReads.ts'
import type { SettleJob } from '../../../api/settlement/port.ts'
import { AUTHORIZATION_USED, TRANSFER } from '../../../api/settlement/tokenCalls.ts'
import { authorization, signatureOf, USDC } from './vectors.ts'

const terms = authorization()
const { from, to, value, nonce } = terms
const job: SettleJob = {
  key: 'k',
  createdMs: 0,
  txs: [],
  elsewhere: false,
  payment: {
    chainId: 8453,
    asset: USDC,
    authorization: terms,
    signature: signatureOf(1n, 1n, 27),
    signer: 'ecdsa',
  },
}
const log = (logIndex: number, topics: Hex[], data: Hex, address: Address = USDC): ChainLog => ({
  address,
  topics,
  data,
  logIndex,
  blockIndex: logIndex,
  transactionHash: nonce,
})
const used = (payer = from, spent = nonce) => log(4, [AUTHORIZATION_USED, pad(payer), spent], '0x')
const moved = (payee = to, amount = value, address = USDC) =>
  log(5, [TRANSFER, pad(from), pad(payee)], toHex(amount, { size: 32 }), address)
const other: Address = `0x${'77'.repeat(20)}`

describe('which jobs a receipt settles', () => {
  test.each<[string, ChainLog[], boolean, number | null]>([
    ['its use and its transfer', [used(), moved()], true, 5],
    ['the same in a reverted transaction (CLS-13)', [used(), moved()], false, null],
    ['nothing', [], true, null],
    ['a use without a transfer', [used()], true, null],
    ['a transfer without a use', [moved()], true, null],
    ['the use of another nonce', [used(from, `0x${'01'.repeat(32)}`), moved()], true, null],
    ['the use by another payer', [used(other), moved()], true, null],
    ['a transfer to somebody else', [used(), moved(other)], true, null],
    ['a transfer of less', [used(), moved(to, value - 1n)], true, null],
    ['a transfer of more', [used(), moved(to, value + 1n)], true, null],
    ['a transfer of another token (CLS-12)', [used(), moved(to, value, other)], true, null],
  ])('%s', (_, logs, succeeded, logIndex) => {
    expect(matchJobs([job], { logs, succeeded })).toEqual([[job, logIndex]])
  })
})
