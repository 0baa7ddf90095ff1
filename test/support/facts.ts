import { CATALOG } from '../../api/catalog/catalog.ts'
import { GOODS } from '../../api/goods/index.ts'
import { rateLimitsOf } from '../../api/http/limits.ts'
import type { Facts } from '../../api/storefront/facts.ts'
import { matchPrecision } from '../../engine/contract/matchPrecision.ts'
import { newKey, ringOf } from '../api/receipts/keys.ts'

const receiptKey = newKey()

/** What a service says about itself, for tests that run none. */
export const someFacts = (change: Partial<Facts> = {}): Facts => ({
  publicUrl: 'http://127.0.0.1:8402',
  mode: 'sandbox',
  recorded: false,
  goods: GOODS,
  catalog: CATALOG,
  terms: {
    publicUrl: 'http://127.0.0.1:8402',
    network: 'eip155:8453',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payTo: `0x${'22'.repeat(20)}`,
    tokenName: 'USD Coin',
    tokenVersion: '2',
    maxTimeoutSeconds: 300,
    mode: 'sandbox',
    secret: Buffer.alloc(32, 7),
    receiptKey,
  },
  receiptKeys: ringOf(receiptKey),
  rails: { rails: [], unavailable: [], deposits: [] },
  settler: {
    mode: 'self',
    facilitator: { verifies: false, settles: false },
    facilitatorUrl: null,
    settlerAddress: null,
    network: 'eip155:8453',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  },
  marketMaxAgeMs: 90_000,
  answerTtlMs: 86_400_000,
  rates: Object.values(rateLimitsOf(50_000)),
  openingSale: false,
  cardCheckout: true,
  matchPrecision,
  securityContact: null,
  testWallet: change.mode !== 'live',
  ownershipProofs: [],
  ...change,
})
