import { type NamedTest, sentencesIn } from './sentence.ts'

const STRANGER = 'spec/storefront/stranger.test.ts'
const GRANTS = 'spec/money/grants.test.ts'
const MARKETS: NamedTest = ['api/goods/sold.test.ts', '%s%s costs %d']
const UTILITIES: NamedTest = ['spec/utility.test.ts', '%s: %s is sold']
const BOUGHT: NamedTest = [
  STRANGER,
  'finds a read by /llms.txt and the listing, buys it, and verifies its receipt by published keys and by the oracle',
]
const FLOW: NamedTest = [
  'spec/money/replay.test.ts',
  '402 → sign → 200 with PAYMENT-RESPONSE, echo, txHash and a receipt; the money is on chain',
]
const TRANSFER: NamedTest = [
  'spec/money/replay.test.ts',
  '64 legacy claims of one transfer for two requests over two processes: one request is answered',
]
const CLASSIC: NamedTest = [
  'api/classic/chain.test.ts',
  'open, send USDC, fulfil by hash: the receipt verifies, the other process gives the same bytes',
]

/** Sections 1, 6 and 9: what is sold, events, and versions. */
export const SELLING = [
  ...sentencesIn('1', [
    { says: 'small paid reads for agents that hold a wallet', tests: [BOUGHT] },
    {
      says: 'x402 version 2, USDC on eip155:8453, exact',
      tests: [FLOW, ['spec/storefront/surfaces.test.ts', '%s']],
    },
    { says: 'all goods inline in the body of the 200', tests: [FLOW, MARKETS, UTILITIES] },
    { says: 'no e-mail and no human step', tests: [BOUGHT] },
    { says: 'heading of what is sold', tests: [], aside: 'a heading' },
    {
      says: 'market data of both venues',
      tests: [MARKETS, ['api/goods/cards.test.ts', '%d cards qualify: the five best, each once']],
    },
    { says: 'feed tokens of a day and a week', tests: [[GRANTS, '%s']] },
    { says: 'utility reads', tests: [UTILITIES] },
    { says: 'ping returns a signed attestation', tests: [FLOW] },
    {
      says: 'an hour pass of 600 calls',
      tests: [
        ['spec/money/pass.test.ts', 'costs 0.50 and returns token, expiresAt in an hour, callsRemaining 600'],
      ],
    },
    {
      says: 'credits of 2, 5 and 10 USD',
      tests: [['spec/money/credits.test.ts', '%s returns storeCredit {creditUsdc, balanceUsdc, spendHint}']],
    },
    {
      says: 'permits, redeemed at GET /api/v1/tor-call-permit',
      tests: [
        ['spec/money/pass.test.ts', 'sells a permit for one call that is redeemed once at its redeemUrl'],
      ],
    },
    {
      says: 'a receipt oracle signs and verifies',
      tests: [
        [
          'spec/receipts.test.ts',
          'a hash: attestation {attestationId, signature, payload, verifyUrl}, for 0.10',
        ],
        [
          'spec/receipts.test.ts',
          'RCP-02 every combination of id, payload and signature: true only when all that is given agrees',
        ],
      ],
    },
    {
      says: 'three free samples',
      tests: [
        [
          'api/free/routes.test.ts',
          'every process shows the same wire, with when it was taken and when the next comes',
        ],
        ['api/free/routes.test.ts', 'the preview shows nothing until its delay has passed'],
        [
          'api/free/previews.test.ts',
          'of any board, no free row holds a number, or a text that is a paid value',
        ],
        ['api/free/surfaceAudit.test.ts', 'neither payer, nor transaction, nor amount, nor receipt'],
      ],
    },
    { says: 'heading of the paths of purchase', tests: [], aside: 'a heading' },
    { says: 'preferred: x402 version 2', tests: [FLOW] },
    { says: 'legacy: a transfer, then X-PAYMENT', tests: [TRANSFER] },
    { says: 'classic: purchase-intent, pay, fulfill', tests: [CLASSIC] },
  ]),
  ...sentencesIn('6', [
    {
      says: 'events are open',
      tests: [
        [
          'spec/feed.test.ts',
          'is bought once and read at once, at every process, by polling, server-sent events and WebSocket',
        ],
      ],
      aside: 'open in the specification; ours are those of the feed',
    },
  ]),
  ...sentencesIn('9', [
    { says: 'paid reads below /x402/v1', tests: [['api/goods/table.test.ts', '%s']] },
    {
      says: 'x402 version 2',
      tests: [
        FLOW,
        [
          'spec/storefront/surfaces.test.ts',
          '/x402/services.json: list price beside the charged one, the spend cap of match, the hour pass',
        ],
      ],
    },
    {
      says: 'interface description 1.0.0, OpenAPI 3.1.0',
      tests: [['api/openapi/document.test.ts', 'a validator of the OpenAPI schema accepts it']],
    },
    {
      says: 'catalog manifest 2.12',
      tests: [
        [
          'spec/storefront/surfaces.test.ts',
          '/agent-store.json: manifest 2.12, the whole catalog, the opening sale, the stated floor',
        ],
      ],
    },
    {
      says: 'cards are botFuel.v2',
      tests: [
        [
          'api/goods/cards.test.ts',
          'botFuel {gap, edge, riskFlags, suggestedAction} and the whole card, with generatedAt',
        ],
      ],
    },
    {
      says: 'receipts are service-receipt-v1',
      tests: [
        ['api/receipts/attestation.test.ts', 'an independent strict verifier accepts exactly these bytes'],
        [
          'spec/storefront/surfaces.test.ts',
          '/.well-known/receipt-oracle.json: the fields of 2.5, with the format, the algorithm and the key',
        ],
      ],
    },
    { says: 'legacy and classic keep working beside x402', tests: [FLOW, TRANSFER, CLASSIC] },
    {
      says: 'alternatives are labelled, bot-fuel is favoured',
      tests: [
        ['api/catalog/catalog.test.ts', 'the bot-fuel goods are favoured, the alternatives are not (9)'],
      ],
    },
    { says: 'the policy of deprecation is open', tests: [], aside: 'open in the specification' },
  ]),
]
