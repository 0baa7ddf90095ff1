import { describe, expect, test } from 'vitest'
import { pays } from '../../../api/payment/legacy.ts'
import type { TokenTransfer } from '../../../api/settlement/port.ts'

const ISSUED_MS = 1_790_000_000_000
const SLACK_MS = 15_000
const intent = { issuedMs: ISSUED_MS, amountMicroUsdc: 993n }
const RECEIVER = '0x00000000000000000000000000000000000000Ee'
const SENDER = `0x${'ab'.repeat(20)}` as const
const transfer = (differs: Partial<TokenTransfer> = {}) =>
  ({
    to: RECEIVER.toLowerCase(),
    from: SENDER,
    value: 993n,
    blockMs: ISSUED_MS,
    byAuthorization: false,
    ...differs,
  }) as TokenTransfer

describe('5.2 which transfer pays a legacy intent', () => {
  test.each<[string, Partial<TokenTransfer>, boolean]>([
    ['the exact amount to us, after the intent', {}, true],
    ['CLS-01 a unit less', { value: 992n }, false],
    ['CLS-01 a unit more', { value: 994n }, false],
    ['CLS-03 to somebody else', { to: SENDER }, false],
    ['RPL-15 the settlement of an x402 payment', { byAuthorization: true }, false],
    ['CLS-06 mined as long before the intent as clocks may differ', { blockMs: ISSUED_MS - SLACK_MS }, true],
    ['CLS-06 older than that', { blockMs: ISSUED_MS - SLACK_MS - 1 }, false],
  ])('%s', (_, differs, does) => {
    expect(pays(transfer(differs), intent, RECEIVER, '')).toBe(does)
  })

  test.each([
    ['the account that sent it', SENDER.toUpperCase().replace('0X', '0x'), true],
    ['another account', `0x${'cd'.repeat(20)}`, false],
    ['a name that is no account', 'annie', true],
  ])('x-agent-id is %s', (_, agentId, does) => {
    expect(pays(transfer(), intent, RECEIVER, agentId)).toBe(does)
  })
})
