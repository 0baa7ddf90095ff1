import { describe, expect, test } from 'vitest'
import type { ExactPayment } from '../../api/payment/payload.ts'
import { type Offer, refuseTerms, type TermsRefusal } from '../../api/payment/terms.ts'

const NOW = 1_790_000_000n
const offer: Offer = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '1000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0xAbCdEf0123456789abcdef0123456789ABCDEF01',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
}
type Accepted = ExactPayment['accepted']
type Signed = ExactPayment['authorization']
const judge = (accepted: Partial<Accepted> = {}, signed: Partial<Signed> = {}): TermsRefusal | null =>
  refuseTerms(
    {
      accepted: { ...offer, ...accepted },
      signature: '0x',
      authorization: {
        from: '0x1111111111111111111111111111111111111111',
        to: offer.payTo.toLowerCase() as `0x${string}`,
        value: 1_000n,
        validAfter: 0n,
        validBefore: NOW + 300n,
        nonce: `0x${'22'.repeat(32)}`,
        ...signed,
      },
    },
    offer,
    NOW,
  )

test('the unchanged offer, signed for its full time, is accepted', () => {
  expect(judge()).toBeNull()
})

describe('VAL-01, VAL-02, VAL-07, VAL-11, VAL-12 the offer must be ours, word for word', () => {
  test.each<[string, Partial<Accepted>]>([
    ['test network', { network: 'eip155:84532' }],
    ['mainnet', { network: 'eip155:1' }],
    ['v1 name', { network: 'base' }],
    ['upper case', { network: 'EIP155:8453' }],
    ['another token', { asset: '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA' }],
    ['one nibble of payTo', { payTo: '0xAbCdEf0123456789abcdef0123456789ABCDEF02' }],
    ['a cheaper price', { amount: '999' }],
    ['the same number, other text', { amount: '01000' }],
    ['another scheme', { scheme: 'upto' }],
    ['token name', { extra: { name: 'USDC', version: '2' } }],
    ['token version', { extra: { name: 'USD Coin', version: '1' } }],
    ['no extra', { extra: undefined }],
    ['permit2', { extra: { name: 'USD Coin', version: '2', assetTransferMethod: 'permit2' } }],
    ['another timeout', { maxTimeoutSeconds: 600 }],
  ])('%s', (_, change) => {
    expect(judge(change)).toBe('offer_mismatch')
  })

  test('addresses may differ in letter case, and a client may add to extra', () => {
    expect(judge({ asset: offer.asset.toLowerCase(), payTo: offer.payTo.toLowerCase() })).toBeNull()
    expect(judge({ extra: { name: 'USD Coin', version: '2', note: 1 } })).toBeNull()
  })
})

describe('VAL-03, VAL-04, VAL-06 what is signed counts, not what is claimed', () => {
  test.each<[string, Partial<Signed>, TermsRefusal]>([
    ['one nibble', { to: '0xabcdef0123456789abcdef0123456789abcdef02' }, 'wrong_recipient'],
    ['zero address', { to: `0x${'00'.repeat(20)}` }, 'wrong_recipient'],
    ['one unit less', { value: 999n }, 'wrong_amount'],
    ['one unit more', { value: 1_001n }, 'wrong_amount'],
    ['nothing', { value: 0n }, 'wrong_amount'],
    ['everything', { value: (1n << 256n) - 1n }, 'wrong_amount'],
  ])('%s', (_, change, refusal) => {
    expect(judge({}, change)).toBe(refusal)
  })
})

describe('VAL-09 the window is strict: validAfter < now < validBefore, with 6 s to land and no far future', () => {
  test.each<[string, Partial<Signed>, TermsRefusal | null]>([
    ['valid from this second: too early', { validAfter: NOW }, 'not_yet_valid'],
    ['valid since a second', { validAfter: NOW - 1n }, null],
    ['valid in an hour', { validAfter: NOW + 3_600n }, 'not_yet_valid'],
    ['over', { validBefore: NOW - 1n }, 'expired'],
    ['over now', { validBefore: NOW }, 'expired'],
    ['5 s left', { validBefore: NOW + 5n }, 'expired'],
    ['6 s left', { validBefore: NOW + 6n }, null],
    ['a minute of clock difference', { validBefore: NOW + 360n }, null],
    ['a second more', { validBefore: NOW + 361n }, 'window_too_long'],
    ['for ever', { validBefore: (1n << 256n) - 1n }, 'window_too_long'],
  ])('%s', (_, change, refusal) => {
    expect(judge({}, change)).toBe(refusal)
  })
})
