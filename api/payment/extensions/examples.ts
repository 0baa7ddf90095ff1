/**
 * What `result` looks like, shortened: every name in an example is in real answers too, with the same type. For
 * catalogues; a test holds the examples against what the goods answer.
 */
const TOPIC = 'Fed cuts rates in December 2026'
const VENUE_A = { yesPrice: 0.435, slug: 'fed-december-2026' }
const VENUE_B = { yesPrice: 0.505, ticker: 'KXFED-26DEC-C25' }
const TRADE = { netCents: 6, edgeCents: 3.02, buyVenue: 'a', sellVenue: 'b', suggestedAction: 'buy_a_sell_b' }
const CARD = { topic: TOPIC, yesPriceA: 0.435, yesPriceB: 0.505, gapCents: 7, ...TRADE }
const EXPIRES = '2026-11-22T12:00:00.000Z'
const FEED = {
  token: 'feed_...',
  expiresAt: EXPIRES,
  feedAccess: { feedToken: 'feed_...', expiresAt: EXPIRES, jsonFeedUrl: '.../api/v1/alpha-feed' },
}
const credit = (usdc: number) => ({
  storeCredit: { creditUsdc: usdc, balanceUsdc: usdc, spendHint: 'Spend it on any GET ...' },
})

type Example = Readonly<Record<string, unknown>>

const EXAMPLES: Readonly<Record<string, Example>> = {
  SKU_AG_PING_01: { ping: { ok: true, echo: 'hello', txHash: '0x...' } },
  SKU_AG_SPREAD_01: {
    spread: { found: true, topic: TOPIC, gapCents: 7, cheaperVenue: 'a', venueA: VENUE_A, venueB: VENUE_B },
  },
  SKU_AG_MATCH_01: {
    match: { found: true, topic: TOPIC, cheaperVenue: 'a', gapBucket: { fromCents: 0, toCents: 10 } },
  },
  SKU_AG_NET_01: {
    net: {
      found: true,
      netCents: 6,
      executable: true,
      rows: [{ topic: TOPIC, netCents: 6, executable: true }],
    },
  },
  SKU_AG_MOVE_01: {
    move: {
      found: true,
      window: 'day',
      rows: [{ venue: 'a', topic: TOPIC, changeCents: -4.5, volume24h: 1000 }],
    },
  },
  SKU_AG_BOOK_01: {
    book: { found: true, rows: [{ venue: 'a', topic: TOPIC, volume: 1000, bid: 0.43, ask: 0.44 }] },
  },
  SKU_AG_EDGE_01: { edge: { topic: TOPIC, ...TRADE, link: 'https://...' } },
  SKU_AG_EDGE_PACK_01: { edges: [{ topic: TOPIC, ...TRADE, link: 'https://...' }] },
  SKU_AG_BOT_FUEL_01: {
    botFuel: { schema: 'botFuel.v2', gap: { gapCents: 7 }, ...CARD, riskFlags: ['settles_differently'] },
  },
  SKU_AG_BOT_FUEL_PACK_05: {
    botFuel: { schema: 'botFuel.v2', cards: [CARD], riskFlags: ['settles_differently'] },
  },
  SKU_AG_BOT_FUEL_24H: FEED,
  SKU_AG_ALPHA_24H: FEED,
  SKU_AG_ALPHA_7D: FEED,
  SKU_AG_HOUR_PASS_01: { token: 'pass_...', expiresAt: EXPIRES, callsRemaining: 600 },
  SKU_AG_TOR_CALL_01: {
    torCallPermit: { token: 'permit_...', callsRemaining: 1, redeemUrl: '.../api/v1/tor-call-permit' },
  },
  SKU_AG_CREDITS_02: credit(2),
  SKU_AG_CREDITS_05: credit(5),
  SKU_AG_CREDITS_10: credit(10),
  SKU_AG_SNIFF_01: {
    sniff: { score: 96, flagged: true, findings: [{ family: 'instruction_override', count: 1 }] },
  },
  SKU_AG_PII_01: { pii: { score: 79, total: 2, counts: { card: 1, email: 1 } } },
  SKU_AG_SPEC_LINT_01: {
    specLint: { score: 100, checks: { version: true, path: true, success2xx: true }, issues: [] },
  },
  SKU_AG_JSON_01: {
    json: {
      ok: true,
      repaired: '{"a": true,  "b": [1, 2]}',
      changes: [{ kind: 'quote', offset: 1 }],
      value: { a: true, b: [1, 2] },
    },
  },
  SKU_AG_SCAN_01: {
    scan: {
      failureClass: 'connection_refused',
      area: 'network',
      retryable: true,
      nextAction: 'Start the service ...',
      sensitive: { score: 15, total: 1 },
    },
  },
  SKU_AG_DNS_01: { dns: { name: 'example.com' } },
  SKU_RECEIPT_ORACLE_01: {
    attestation: {
      attestationId: 'st_...',
      signature: 'base64',
      payload: {
        format: 'service-statement-v1',
        subject: { sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
      },
      verifyUrl: '.../api/receipt-oracle/verify?id=st_...',
    },
  },
}

/** @throws for a good that has none: nothing is sold undescribed. */
export function exampleOf(sku: string): Example {
  const example = EXAMPLES[sku]
  if (example === undefined) throw new Error(`no example of ${sku}`)
  return example
}
