import { type NamedTest, sentencesIn } from './sentence.ts'

const CLASSIC = 'spec/money/classic.test.ts'
const CARDPAY = 'spec/cardpay.test.ts'
const RECEIPTS = 'spec/receipts.test.ts'
const COMMUNITY = 'spec/community.test.ts'
const COMBINATIONS: NamedTest = [
  RECEIPTS,
  'RCP-02 every combination of id, payload and signature: true only when all that is given agrees',
]

/** Section 4.2: the classic and supporting endpoints, by row, then what the rows leave open. */
export const BUYING = sentencesIn('4.2', [
  {
    says: 'purchase-intent: sku, buyer, rail, tip, credit; 402 with payment and agentPricing',
    tests: [
      [CLASSIC, 'every documented field, an option for each rail, an amount just below the price'],
      [CLASSIC, 'another rail may be chosen'],
      [CLASSIC, 'buyerId and x-agent-id are one identifier: two different ones are refused'],
      ['api/classic/input.test.ts', 'paid, it brings thanks and a receipt over its amount'],
      [
        'api/classic/credit.test.ts',
        '200 with the result; the credit is debited once; /fulfill gives the same result',
      ],
    ],
  },
  {
    says: 'fulfill: by hash or by intentId alone; 200 with the result inline and a receipt',
    tests: [
      [
        CLASSIC,
        'by hash: 200 with the result inline and a receipt; a resend gives the same bytes, on any process',
      ],
      [CLASSIC, 'intentId alone suffices on a stable rail'],
      [
        'api/classic/chain.test.ts',
        'open, send USDC, fulfil by hash: the receipt verifies, the other process gives the same bytes',
      ],
      [
        'api/classic/input.test.ts',
        'it may come with /fulfill; another one afterwards is refused, none gives the same answer',
      ],
      [
        'api/classic/input.test.ts',
        'SKU_TOR_MCP_PRO returns result.torUnlock.unlockKey inline; the ledger holds its digest only',
      ],
    ],
  },
  {
    says: 'checkout/settle is polled for the settlement',
    tests: [
      [CLASSIC, 'POST /checkout/settle polls: New, then Confirmed, then Delivered'],
      [CLASSIC, 'fulfil on both processes, settle and the worker at once: one sale'],
    ],
  },
  {
    says: 'quote: a price for a sku and a buyer',
    tests: [[CLASSIC, 'POST /quote prices a SKU on all rails and opens nothing']],
  },
  {
    says: 'cardpay/checkout: human SKUs only; URL at the agent price, and checkoutId',
    tests: [
      [
        CARDPAY,
        '2.3, 4.2 POST /cardpay/checkout: for human SKUs only, at the agent price › %s costs %i cents',
      ],
      [CARDPAY, 'CLS-19 %s is refused with 400, and nobody is sent to pay'],
      ['api/checkout/order.test.ts', 'CLS-19 nothing that is sold on /x402/v1 is'],
    ],
  },
  {
    says: 'cardpay/checkout-status: paid returns what was bought inline',
    tests: [
      [CARDPAY, 'open first; paid once the card has paid, without any event'],
      [CARDPAY, 'the thirty-day feed comes as feedAccess'],
      [CARDPAY, 'a service comes as result; its input may come after the payment'],
      [CARDPAY, 'duplicated, from two processes at once: one unlock, one sale'],
    ],
  },
  {
    says: 'alpha-feed: for a feed token, or the token of the thirty days',
    tests: [
      [
        'spec/feed.test.ts',
        'is bought once and read at once, at every process, by polling, server-sent events and WebSocket',
      ],
      ['spec/feed.test.ts', 'no other secret of ours is a feed token'],
      [
        'api/classic/input.test.ts',
        'SKU_SIGNAL_FEED_29: a feed token for 30 days, sent as X-Marketplace-Token',
      ],
    ],
  },
  {
    says: 'tor-call-permit redeems a permit',
    tests: [
      ['spec/money/pass.test.ts', 'sells a permit for one call that is redeemed once at its redeemUrl'],
      ['spec/money/pass.test.ts', 'I13, ENT-13 64 at once over two processes: one is granted'],
    ],
  },
  {
    says: 'verify by GET: id of an attestation',
    tests: [
      [RECEIPTS, 'by the published key; the descriptor and did.json publish the same'],
      [RECEIPTS, 'RCP-07 a payment that did not go through has no receipt'],
    ],
  },
  {
    says: 'verify by POST: id, payload and signature, each optional',
    tests: [COMBINATIONS, [RECEIPTS, 'RCP-03 a key or an algorithm that the caller names is ignored']],
  },
  {
    says: 'three free samples',
    tests: [
      [
        'api/free/routes.test.ts',
        'every process shows the same wire, with when it was taken and when the next comes',
      ],
      [
        'api/free/previews.test.ts',
        'of any board, no free row holds a number, or a text that is a paid value',
      ],
    ],
  },
  {
    says: 'feedback with consent',
    tests: [[COMMUNITY, 'is kept for half a year with nothing that was not sent']],
    aside: 'no money',
  },
  {
    says: 'referral earnings by code',
    tests: [
      [COMMUNITY, '%s has earned nothing before a sale of his is settled (ENT-17)'],
      [CARDPAY, 'opened: nothing; paid: 5 %; told again: the same; refunded: nothing'],
    ],
  },
  {
    says: 'the shapes of the community paths are open',
    tests: [
      [COMMUNITY, 'who tipped may be named, once, as plain text, and unnamed again'],
      [COMMUNITY, 'one list for many checkouts, due after the time that was named and only while open'],
    ],
    aside: 'open in the specification; our shapes are tested',
  },
  {
    says: 'the discovery documents',
    tests: [
      ['api/goods/table.test.ts', '4.1 the table of paid reads: price A is listed, price B is charged › %s'],
    ],
    aside: 'no money; what the 402 of each path asks for is what the list of paid reads says',
  },
])
