import type { Good } from '../../../api/goods/good.ts'
import { ping } from '../../../api/goods/ping.ts'
import { createChallenge, offerOf } from '../../../api/payment/challenge.ts'
import type { Call } from '../../../api/payment/input.ts'
import { listingOf } from '../../../api/payment/listing.ts'
import type { X402Ports } from '../../../api/payment/sale.ts'
import { newKey } from '../receipts/keys.ts'

/** How tests of payments are paid. */
export const terms = {
  publicUrl: 'https://here.example',
  network: 'eip155:8453',
  asset: `0x${'83'.repeat(20)}`,
  payTo: `0x${'ee'.repeat(20)}`,
  tokenName: 'USD Coin',
  tokenVersion: '2',
  maxTimeoutSeconds: 300,
  mode: 'sandbox' as const,
  secret: Buffer.alloc(32, 7),
  receiptKey: newKey(),
}
export const answers = { ...terms, chainId: 8453 } as unknown as X402Ports['answers']

/** A good on those terms. */
export const soldAs = (good: Good<unknown>) => ({
  good,
  offer: offerOf(good, terms),
  challenge: createChallenge(good, terms),
  listing: listingOf(good, `${terms.publicUrl}${good.path}`),
})
export const soldPing = soldAs({ ...ping, answer: () => ({ result: { pong: true }, snapshotVersion: 1 }) })

export const callOf = (payerSignature = ''): Call =>
  ({ rawQuery: '', payload: '', agentId: '', creditAuth: '', payerSignature }) as Call
