import { describe, expect, test } from 'vitest'
import { isTheirTrouble, readSettlement } from '../../../api/settlement/facilitatorAnswers.ts'
import type { FacilitatorAsk } from '../../../api/settlement/facilitatorWire.ts'
import { somePayment } from '../../support/ledger.ts'

const payment = somePayment(4)
const TX = `0x${'AB'.repeat(32)}`
const tx = TX.toLowerCase()
const ask = {
  payment,
  listing: {},
  requirements: { network: 'eip155:8453', amount: '1000' },
} as unknown as FacilitatorAsk
const answer = (body: object, status = 200, contentType = 'application/json') =>
  readSettlement(
    {
      status,
      contentType,
      retryAfter: null,
      extensionResponses: null,
      shouldRetry: null,
      text: JSON.stringify(body),
    },
    ask,
  )
const done = { success: true, transaction: TX, network: 'eip155:8453', payer: payment.authorization.from }
const failed = { success: false, transaction: '', errorReason: 'insufficient_funds' }

describe('FAC-05, FAC-07, FAC-09, FAC-14 what an answer to /settle means', () => {
  test.each<[string, object, number, object]>([
    ['done', done, 200, { kind: 'settled', tx }],
    ['done, and an error beside it', done, 400, { kind: 'unknown', tx }],
    [
      'done, where older ones say less',
      { success: true, transaction: TX, network: '' },
      200,
      { kind: 'settled', tx },
    ],
    ['done, in capital letters', { ...done, payer: done.payer.toUpperCase() }, 200, { kind: 'settled', tx }],
    ['done by half a transaction', { ...done, transaction: TX.slice(0, -1) }, 200, { tx: null }],
    ['done by no transaction', { ...done, transaction: '' }, 200, { tx: null }],
    ['done by the transaction of zeros', { ...done, transaction: `0x${'0'.repeat(64)}` }, 200, { tx: null }],
    ['for another payer', { ...done, payer: `0x${'99'.repeat(20)}` }, 200, { tx }],
    ['on another chain', { ...done, network: 'eip155:1' }, 200, { tx }],
    ['of less', { ...done, amount: '999' }, 200, { tx }],
    ['refused', failed, 200, { kind: 'refused', reason: 'insufficient_funds' }],
    ['refused, as a bad request', failed, 400, { kind: 'refused', reason: 'insufficient_funds' }],
    ...(
      [
        ['insufficient_funds', '', false],
        ['invalid_exact_evm_transaction_simulation_failed', '', false],
        ['insufficient_funds', TX, true],
        ['invalid_exact_evm_transaction_failed', '', true],
        ['invalid_transaction_state', TX, true],
      ] as const
    ).map(
      ([errorReason, transaction, isSent]) =>
        [
          `refused with ${errorReason}, transaction ${transaction === '' ? 'none' : 'named'}`,
          ...([{ ...failed, errorReason, transaction }, 200] as const),
          { kind: 'refused', isSent, tx: transaction === '' ? null : tx },
        ] as [string, object, number, object],
    ),
    ['it was asked too often', failed, 429, { kind: 'unknown', tx: null }],
    ['it gave up', failed, 408, { kind: 'unknown', tx: null }],
    ['it is in trouble', failed, 500, { kind: 'unknown', tx: null }],
    [
      'pending',
      { ...failed, errorReason: 'settlement_pending', transaction: TX },
      500,
      { kind: 'pending', tx },
    ],
    ['pending in other words', { ...failed, errorReason: 'transaction_pending' }, 200, { kind: 'pending' }],
  ])('%s', (_, body, status, meant) => {
    const outcome = answer(body, status)
    expect(outcome).toMatchObject(meant)
    if (!('kind' in meant)) expect(outcome).not.toMatchObject({ kind: 'settled' })
  })

  test.each([done, failed])('FAC-13 what calls itself a page says nothing', (body) => {
    expect(answer(body, 200, 'text/html')).toEqual({ kind: 'unknown', tx: null })
  })

  test.each([
    ...[400, 402, 404].map((status) => [status, false] as const),
    ...[408, 429, 500, 503].map((status) => [status, true] as const),
  ])('status %d is about itself: %s', (status, is) => {
    expect(isTheirTrouble(status)).toBe(is)
  })
})
