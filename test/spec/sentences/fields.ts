import { type NamedTest, sentencesIn } from './sentence.ts'

const SURFACES = 'spec/storefront/surfaces.test.ts'
const CATALOG = 'api/catalog/catalog.test.ts'
const CARDS = 'api/goods/cards.test.ts'
const GRANTS = 'spec/money/grants.test.ts'
const PASS = 'spec/money/pass.test.ts'
const RAILS = 'api/rails/rails.test.ts'
const SETTLER = 'api/storefront/settlerRecord.test.ts'
const CARDPAY = 'spec/cardpay.test.ts'
const SALE = 'api/classic/sale.test.ts'
/** Every good's answer against its schema, and without any one of its names. */
const SHAPE: NamedTest[] = [
  ['api/goods/outputs.test.ts', '%s: %s, nothing less and nothing that is not described'],
  ['api/goods/outputs.test.ts', '%s: %s without any one of its names is refused'],
]
const FLOW: NamedTest = [
  'spec/money/replay.test.ts',
  '402 → sign → 200 with PAYMENT-RESPONSE, echo, txHash and a receipt; the money is on chain',
]
const BOUGHT: NamedTest = [SURFACES, '%s: a purchase with the published examples moves the published amount']
const DESCRIBED: NamedTest = ['spec/openapi.test.ts', '%s']
const CARD: NamedTest = [
  CARDS,
  'botFuel {gap, edge, riskFlags, suggestedAction} and the whole card, with generatedAt',
]
const CATALOG_FIELDS: NamedTest = [CATALOG, 'each with every field of the specification, and each SKU once']
const RAIL_TABLE: NamedTest = [RAILS, 'id, chain, asset and default as the table has them']
const railRow = (id: string) => ({ says: `${id}: its chain, asset and default`, tests: [RAIL_TABLE] })

/** Sections 2 and 3: resources, their fields, and their states. */
export const FIELDS = [
  ...sentencesIn('2.1', [
    { says: 'ok is always there', tests: [FLOW, BOUGHT] },
    {
      says: 'protocol says by which path it was bought',
      tests: [
        [
          PASS,
          'the token is sent as X-Service-Pass: an answer in the usual envelope, a call less, no money moves',
        ],
        ['spec/money/credits.test.ts', 'a read is paid with it: no money moves, a receipt comes along'],
      ],
    },
    { says: 'sku of the catalog', tests: [BOUGHT] },
    { says: 'result is an object with more in it', tests: [FLOW, ...SHAPE] },
    { says: '200 is application/json', tests: [FLOW] },
    { says: '402 is the other documented status', tests: [DESCRIBED] },
  ]),
  ...sentencesIn('2.2', [
    { says: 'ping {ok, echo, txHash} and paymentAttestation', tests: [FLOW, ...SHAPE] },
    { says: 'botFuel, generatedAt, botFuel.v2', tests: [CARD] },
    {
      says: 'five cards and the top one',
      tests: [[CARDS, '%d cards qualify: the five best, each once']],
    },
    { says: 'feedAccess with token, end and two URLs', tests: [[GRANTS, '%s'], ...SHAPE] },
    {
      says: 'torCallPermit {token, callsRemaining, redeemUrl}',
      tests: [[PASS, 'sells a permit for one call that is redeemed once at its redeemUrl'], ...SHAPE],
    },
    {
      says: 'attestation {attestationId, signature, payload, verifyUrl}',
      tests: [
        [
          'spec/receipts.test.ts',
          'a hash: attestation {attestationId, signature, payload, verifyUrl}, for 0.10',
        ],
      ],
    },
    {
      says: 'scan: class, counts, next action',
      tests: [
        [
          'api/goods/utility/scan/scan.test.ts',
          'the good answers in the published shape, and stores nothing',
        ],
      ],
    },
    {
      says: 'storeCredit {creditUsdc, balanceUsdc, spendHint}',
      tests: [['spec/money/credits.test.ts', '%s returns storeCredit {creditUsdc, balanceUsdc, spendHint}']],
    },
    {
      says: 'pass: token, expiresAt, callsRemaining',
      tests: [[PASS, 'costs 0.50 and returns token, expiresAt in an hour, callsRemaining 600']],
    },
    { says: 'alpha tokens: token, end, feed URL', tests: [[GRANTS, '%s'], ...SHAPE] },
    {
      says: 'edge: topic, size in cents, link; five in the pack',
      tests: [
        [CARDS, 'one edge, with the link where it is bought'],
        [CARDS, '%d edges: the pack is sold %s'],
      ],
    },
    {
      says: 'spread: prices, gap, cheaper venue, ids and links of both',
      tests: [
        ['api/goods/spread.test.ts', 'without q: the top live gap, with every field the catalog names'],
        ...SHAPE,
      ],
    },
    {
      says: 'match: a hit on each venue, the cheaper one, the bucket',
      tests: [['api/goods/match.test.ts', 'a pair with a price on both sides'], ...SHAPE],
    },
    {
      says: 'net: netCents and executable',
      tests: [['api/goods/reads.test.ts', 'without q: the largest nets, at most 20'], ...SHAPE],
    },
    {
      says: 'move: changeCents of markets, the window echoed',
      tests: [
        ['api/goods/reads.test.ts', 'window %s is echoed, and venue B is in day only and the answer says so'],
        ...SHAPE,
      ],
    },
    {
      says: 'book: the highest volumes with bid and ask',
      tests: [
        ['engine/core/boards/listings.test.ts', 'each venue by itself, highest first, equal ones by id'],
        ...SHAPE,
      ],
    },
    {
      says: 'sniff: score and findings',
      tests: [
        [
          'api/goods/utility/sniff/sniff.test.ts',
          'it answers in the published shape, with the rates, and says it is no verdict',
        ],
      ],
    },
    {
      says: 'pii: score and counts',
      tests: [
        [
          'api/goods/utility/pii/pii.test.ts',
          'it answers in the published shape, with the rates, and says it redacts nothing',
        ],
      ],
    },
    {
      says: 'spec-lint: score and issues',
      tests: [['api/goods/utility/specLint/good.test.ts', 'result specLint holds score and issues']],
    },
    {
      says: 'json: ok, repaired text, changes, value',
      tests: [['api/goods/utility/json/good.test.ts', 'result json holds ok, repaired text, changes, value']],
    },
    {
      says: 'dns: six types of records',
      tests: [['api/goods/utility/dns/lookup.test.ts', 'all six types of an ordinary name']],
    },
    {
      says: 'what a card holds',
      tests: [CARD, ['api/goods/figures.test.ts', 'a gap card, as of its publication'], ...SHAPE],
    },
    {
      says: 'other names of fields are open',
      tests: SHAPE,
      aside: 'open in the specification; ours are those of the output schemas',
    },
    {
      says: 'the body of the feed is open',
      tests: [['spec/openapi.test.ts', 'a feed token reads the feed; none and a wrong one do not']],
      aside: 'open in the specification; ours is described in the interface description',
    },
  ]),
  ...sentencesIn('2.3', [
    { says: 'sku', tests: [CATALOG_FIELDS] },
    { says: 'name, collection, tagline, deliveryNote', tests: [CATALOG_FIELDS] },
    { says: 'type: agent_micro, service, license', tests: [CATALOG_FIELDS] },
    {
      says: 'five flags; stripeEnabled is the card checkout',
      tests: [
        CATALOG_FIELDS,
        [CATALOG, '%s: base %d, agent %d, card checkout allowed'],
        ['api/checkout/order.test.ts', 'they are these, and a card can pay each to the cent'],
      ],
    },
    {
      says: 'prices in USD',
      tests: [
        CATALOG_FIELDS,
        [CATALOG, 'what is charged is what the record says, for everything that can be bought'],
      ],
    },
    {
      says: 'percentages',
      tests: [CATALOG_FIELDS, [CATALOG, '%s: base %d, agent %d, card checkout allowed']],
    },
    { says: 'saleReason or null', tests: [CATALOG_FIELDS] },
    { says: 'delivers or null', tests: [[CATALOG, 'every record of something sold says what it delivers']] },
    { says: 'priority P0 or P1', tests: [CATALOG_FIELDS] },
    { says: 'the micro SKUs and their prices', tests: [[CATALOG, '%s costs %d, from a wallet only']] },
    {
      says: 'the human SKUs, their base and agent prices, the unlock key inline',
      tests: [
        [CATALOG, '%s: base %d, agent %d, card checkout allowed'],
        [
          'api/classic/input.test.ts',
          'SKU_TOR_MCP_PRO returns result.torUnlock.unlockKey inline; the ledger holds its digest only',
        ],
        [
          'api/classic/input.test.ts',
          'SKU_SIGNAL_FEED_29: a feed token for 30 days, sent as X-Marketplace-Token',
        ],
      ],
    },
    {
      says: 'the tip, and the entry of the open-source tool',
      tests: [
        [
          CATALOG,
          'the tip and the open-source tool are listed; the tool is not sold, and 25 uses of it are free (8)',
        ],
        ['api/classic/input.test.ts', 'paid, it brings thanks and a receipt over its amount'],
      ],
    },
    {
      says: 'the record of the opening sale',
      tests: [
        [SURFACES, '/agent-store.json: manifest 2.12, the whole catalog, the opening sale, the stated floor'],
        [SALE, 'one buyer fifty times at once: one free report'],
        [SALE, 'without x-agent-id the report has its price'],
      ],
    },
  ]),
  ...sentencesIn('2.4', [
    {
      says: 'fields of a rail',
      tests: [
        [SURFACES, '/payment-rails: default usdc_base; the token contract; who settles; no secret of a rail'],
      ],
    },
    ...['usdc_base', 'eth_base', 'eth_mainnet', 'usdc_eth', 'usdt_eth', 'usdc_polygon'].map(railRow),
    railRow('usdc_arbitrum'),
    {
      says: 'sol: with one alternate receiver',
      tests: [RAIL_TABLE, [RAILS, 'sol has one alternate receiver, the others have none']],
    },
    railRow('btc'),
    {
      says: 'sol_base is a deposit address; SOL is paid on Solana',
      tests: [['api/rails/receivers.test.ts', 'sol_base is a deposit address and no rail (RAIL-14)']],
    },
    {
      says: 'usdc_base is the default',
      tests: [
        [SURFACES, '/payment-rails: default usdc_base; the token contract; who settles; no secret of a rail'],
      ],
    },
    {
      says: 'the token contract is given',
      tests: [
        [SURFACES, '/payment-rails: default usdc_base; the token contract; who settles; no secret of a rail'],
      ],
    },
    {
      says: 'the record of the settler',
      tests: [
        [SETTLER, 'our own settler: its address, and no facilitator'],
        [SETTLER, 'OPS-05 a facilitator: its origin, never its path or query, which may hold a key'],
      ],
    },
  ]),
  ...sentencesIn('2.5', [
    {
      says: 'fields of the descriptor',
      tests: [
        [
          SURFACES,
          '/.well-known/receipt-oracle.json: the fields of 2.5, with the format, the algorithm and the key',
        ],
        ['spec/receipts.test.ts', 'by the published key; the descriptor and did.json publish the same'],
      ],
    },
    {
      says: 'every fulfil and every card settlement brings a receipt',
      tests: [
        [
          'spec/money/classic.test.ts',
          'by hash: 200 with the result inline and a receipt; a resend gives the same bytes, on any process',
        ],
        [CARDPAY, 'open first; paid once the card has paid, without any event'],
      ],
    },
  ]),
  ...sentencesIn('3', [
    { says: 'heading of the states', tests: [], aside: 'a heading' },
    {
      says: 'hour pass: expiresAt, callsRemaining, an hour, 600 calls',
      tests: [
        [PASS, 'costs 0.50 and returns token, expiresAt in an hour, callsRemaining 600'],
        [
          PASS,
          'ENT-01 1,000 calls at once over two processes: 600 are answered, the others are told it is used up',
        ],
        [PASS, 'used up and expired passes are told apart'],
      ],
    },
    {
      says: 'permit: callsRemaining',
      tests: [[PASS, 'sells a permit for one call that is redeemed once at its redeemUrl']],
    },
    {
      says: 'credit: balanceUsdc; may cover a purchase fully',
      tests: [
        [
          'spec/money/credits.test.ts',
          'an answer says what is left; sent again it is the same answer, and says what is left by now',
        ],
        [
          'api/classic/credit.test.ts',
          '200 with the result; the credit is debited once; /fulfill gives the same result',
        ],
      ],
    },
    {
      says: 'card checkout: paid returns what was bought inline',
      tests: [
        [CARDPAY, 'open first; paid once the card has paid, without any event'],
        [CARDPAY, 'the thirty-day feed comes as feedAccess'],
        [CARDPAY, 'a service comes as result; its input may come after the payment'],
      ],
    },
    {
      says: 'opening sale: not active, not sold out',
      tests: [[SALE, 'the record says so, and who names himself is asked the price']],
    },
    {
      says: 'transitions are open',
      tests: [['api/classic/book.test.ts', 'every state leads somewhere, and only known ones']],
      aside: 'open in the specification; ours are a table',
    },
    {
      says: 'other values of the status of a checkout are open',
      tests: [[CARDPAY, 'expired is expired, and cannot be paid any more']],
      aside: 'open in the specification; ours are described in the interface description',
    },
  ]),
]
