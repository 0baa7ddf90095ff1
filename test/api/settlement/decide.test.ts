import { describe, expect, test } from 'vitest'
import type { Claim, Ledger } from '../../../api/ledger/ledger.ts'
import { decide } from '../../../api/settlement/decide.ts'
import type {
  AuthorizationFate,
  ChainRefusal,
  PaymentChain,
  SettleJob,
  SettleLedger,
} from '../../../api/settlement/port.ts'
import { type Rpc, RpcError } from '../../../api/settlement/rpc.ts'
import { settleLedgerOf } from '../../../api/worker/settleLedger.ts'
import { somePayment, someSettled, someTerms } from '../../support/ledger.ts'

const payment = somePayment(3)
const { to, value } = payment.authorization
const unused: AuthorizationFate = { kind: 'unused', blockNumber: 9n, blockMs: 0 }
const used: AuthorizationFate = { kind: 'used', to, value, ...someSettled(3) }
const TX = `0x${'ab'.repeat(32)}` as const

/** @param node what it says of a transaction. */
async function decided({
  fate = unused,
  reason = 'insufficient_funds',
  job = {},
  isSpent = false,
  node = async () => null,
  outcome = 'recorded',
}: {
  fate?: AuthorizationFate
  reason?: ChainRefusal
  job?: Partial<SettleJob>
  isSpent?: boolean
  node?: (method: string) => Promise<unknown>
  outcome?: 'recorded' | 'taken'
}) {
  const written: string[] = []
  const ledger = {
    recordSettled: async () => {
      written.push('settled')
      return outcome
    },
    recordRefused: async (_, why) => void written.push(why),
  } as Partial<SettleLedger> as SettleLedger
  const chain = { fate: async () => fate, fateIn: async () => null } as Partial<PaymentChain> as PaymentChain
  const claim = { key: 'k', payment, createdMs: 0, txs: [], elsewhere: false, ...job }
  const rpc: Rpc = { call: node, close: async () => {} }
  return [await decide(claim, reason, { rpc, chain, ledger, isSpent: () => isSpent }), ...written]
}

/** A node with a receipt for every transaction, in block 9. @param hash of its block 9; null: it has no such block. */
const mined = (hash: string | null) => async (method: string) => {
  const block = { number: '0x9', hash, timestamp: '0x1' }
  if (method === 'eth_getBlockByNumber') return hash === null ? null : block
  const receipt = { transactionHash: TX, blockNumber: '0x9', blockHash: '0xaa', status: '0x1' }
  return { ...receipt, gasUsed: '0x1', logs: [] }
}

describe('I5, RPL-13 a payment that would not go through now: the chain says what became of it', () => {
  const refuses = () => Promise.reject(new RpcError('eth_getTransactionReceipt', -32000, null, ''))
  test.each<[string, Parameters<typeof decided>[0], string[]]>([
    ['unused, and nothing of ours was sent', {}, ['refused', 'insufficient_funds']],
    ['it has paid us, whoever sent it', { fate: used }, ['settled', 'settled']],
    ['what it paid us bought something else', { fate: used, outcome: 'taken' }, ['taken', 'settled']],
    ['it has paid somebody else', { fate: { ...used, to: '0x99' } }, ['refused', 'nonce_used']],
    ['cancelled', { fate: { kind: 'cancelled', tx: TX } }, ['refused', 'nonce_used']],
    ['said to be used, and unused: that block is gone again', { reason: 'nonce_used' }, ['later']],
    ['not valid yet: it will be', { reason: 'not_yet_valid' }, ['later']],
    ['a facilitator was asked to send it before', { job: { elsewhere: true } }, ['later']],
    ['ours may still land', { job: { txs: [TX] } }, ['later']],
    ['the node does not say whether ours has landed', { job: { txs: [TX] }, node: refuses }, ['later']],
    [
      'ours has landed and did not move it',
      { job: { txs: [TX] }, node: mined('0xaa') },
      ['refused', 'insufficient_funds'],
    ],
    ['ours is in a block that is not sealed yet', { job: { txs: [TX] }, node: mined(null) }, ['later']],
    ['ours was in a block that is none of the chain', { job: { txs: [TX] }, node: mined('0xbb') }, ['later']],
    [
      'ours is in a block that came after the one whose state was asked',
      { fate: { ...unused, blockNumber: 8n }, job: { txs: [TX] }, node: mined('0xaa') },
      ['later'],
    ],
    ['the nonce of ours is spent', { job: { txs: [TX] }, isSpent: true }, ['refused', 'insufficient_funds']],
  ])('%s', async (_, world, expected) => {
    expect(await decided(world)).toEqual(expected)
  })
})

test('5.1 the settler takes up what is open, and knows what a facilitator may have sent', async () => {
  const claim = { ...someTerms(), key: 'own', state: 'settling', payment, createdMs: 7, txs: [TX] } as Claim
  const listed: Claim[] = [
    claim,
    { ...claim, key: 'sent', via: 'facilitator' },
    { ...claim, key: 'decided meanwhile', state: 'refused' },
    { ...claim, key: 'forgotten', payment: null },
  ]
  const ledger = { list: async () => listed } as Partial<Ledger> as Ledger
  const job = { payment, createdMs: 7, txs: [TX] }
  expect(await settleLedgerOf(ledger, 8453, '1').pending(10)).toEqual([
    { ...job, key: 'own', elsewhere: false },
    { ...job, key: 'sent', elsewhere: true },
  ])
})
