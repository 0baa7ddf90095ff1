import { describe, expect, test } from 'vitest'
import type { AuthorizationFate } from '../../../api/settlement/port.ts'
import { type FateVerdict, verdictOfFate } from '../../../api/settlement/verdictOfFate.ts'
import { HOUR, MINUTE } from '../../../ops/units.ts'
import { somePayment, someSettled } from '../../support/ledger.ts'

const payment = somePayment(3)
const { to, value, validBefore } = payment.authorization
const END_MS = Number(validBefore) * 1_000
const settled = someSettled(3)
const used = { kind: 'used', to, value, ...settled } as const
const unused = (blockMs: number) => ({ kind: 'unused', blockNumber: 9n, blockMs }) as const
const earlier = (blockMs: number) => ({ kind: 'earlier', blockNumber: 9n, blockMs }) as const
const other = `0x${'99'.repeat(20)}` as const

describe('I5, I10 what the chain says of an authorization, by its own clock', () => {
  const lost: FateVerdict = { kind: 'void', reason: 'nonce_used' }
  test.each<[string, AuthorizationFate, FateVerdict]>([
    ['it has paid us exactly', used, { kind: 'settled', settled }],
    [
      'the same, as a node spells us',
      { ...used, to: `0x${to.slice(2).toUpperCase()}` },
      { kind: 'settled', settled },
    ],
    ['it has paid somebody else', { ...used, to: other }, lost],
    ['it has paid us less', { ...used, value: value - 1n }, lost],
    ['it has paid us more', { ...used, value: value + 1n }, lost],
    ['cancelled', { kind: 'cancelled', tx: settled.tx }, lost],
    ['unused at its end', unused(END_MS), { kind: 'open' }],
    ['unused a minute later: that block may be replaced', unused(END_MS + MINUTE), { kind: 'open' }],
    ['unused after that', unused(END_MS + MINUTE + 1), { kind: 'void', reason: 'expired' }],
    ['used, and no log says by whom, an hour after its end', earlier(END_MS + HOUR), { kind: 'unknown' }],
    ['the same after that', earlier(END_MS + HOUR + 1), lost],
  ])('%s', (_, fate, verdict) => {
    expect(verdictOfFate(fate, payment)).toEqual(verdict)
  })
})
