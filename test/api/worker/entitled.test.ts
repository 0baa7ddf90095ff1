import { describe, expect, test } from 'vitest'
import { digestOfToken, tokenOf } from '../../../api/entitlements/token.ts'
import type { Claim } from '../../../api/ledger/ledger.ts'
import { REFUND_HEAD } from '../../../api/payment/refundMark.ts'
import type { PaidPart } from '../../../api/receipts/attestation.ts'
import { type EntitledPorts, entitledOf, reversalOf } from '../../../api/worker/entitled.ts'
import { someTerms } from '../../support/ledger.ts'

const ports: EntitledPorts = { secret: Buffer.alloc(32, 7), mode: 'sandbox' }
const claimOf = (sku: string, body: string) =>
  ({ ...someTerms({ sku }), key: 'auth:8453:0xa:0xb:1', answer: { body, paymentResponse: '' } }) as Claim
const digest = digestOfToken(tokenOf(ports.secret, 'credit', 'auth:8453:0xa:0xb:1'))

describe('CHN-03 what a sale gave, to be taken back when its money leaves the chain', () => {
  test.each([
    ['a read', 'SKU_AG_PING_01', '{"ok":true,}', null],
    ['credit', 'SKU_AG_CREDITS_02', '{"ok":true,}', 2_000_000n],
    ['a read that was refunded: the credit it became', 'SKU_AG_PING_01', `${REFUND_HEAD}}`, 1_000n],
    ['a token that was refunded', 'SKU_AG_HOUR_PASS_01', `${REFUND_HEAD}}`, 1_000n],
    ['credit that was refunded: what was paid', 'SKU_AG_CREDITS_02', `${REFUND_HEAD}}`, 1_000n],
    ['a good that is no longer known, refunded', 'SKU_GONE', `${REFUND_HEAD}}`, 1_000n],
  ])('%s', (_, sku, body, micro) => {
    const { token, lot } = entitledOf(claimOf(sku, body), ports)
    expect([token, lot && { digest: lot.digest, micro: lot.micro }]).toEqual([
      null,
      micro === null ? null : { digest, micro },
    ])
  })
})

test.each([
  ['eip155:8453', 8453],
  ['eip155:137', 137],
  ['bitcoin', 0],
  ['store_credit', 0],
])('the entry of money that left %s names the chain it was on', (network, chainId) => {
  const settled = { tx: '0x1' as const, logIndex: 0, blockNumber: 1n, blockMs: 1 }
  const claim = { ...claimOf('SKU_AG_PING_01', '{}'), network, settled }
  expect(reversalOf(claim, 'reversed', ports, 'mark').chainId).toBe(chainId)
})

test.each<['reversed' | 'restored', string, string]>([
  ['reversed', '-1000', '-400'],
  ['restored', '1000', '400'],
])(
  'the entry of a sale that was %s has the sign of its amount also on the part that was credit',
  (change, amountMicroUsdc, creditMicroUsdc) => {
    const settled = { tx: '0x1' as const, logIndex: 0, blockNumber: 1n, blockMs: 1 }
    const paid = [
      { network: 'eip155:8453', amountAtomic: '600' },
      { network: 'store-credit', amountAtomic: '400' },
    ] as PaidPart[]
    const claim = { ...claimOf('SKU_AG_PING_01', '{}'), paid, settled }
    expect(reversalOf(claim, change, ports, 'mark')).toMatchObject({ amountMicroUsdc, creditMicroUsdc })
    const alone = { ...claimOf('SKU_AG_PING_01', '{}'), settled }
    expect(reversalOf(alone, change, ports, 'mark')).toMatchObject({ amountMicroUsdc, creditMicroUsdc: '0' })
  },
)
