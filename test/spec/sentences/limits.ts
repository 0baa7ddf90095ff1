import { type NamedTest, sentencesIn } from './sentence.ts'

const PASS = 'spec/money/pass.test.ts'
const UNPAID: NamedTest = [
  'spec/money/values.test.ts',
  '7. unpaid calls get 402 before parameters are looked at › ping%s',
]
const COVERED: NamedTest = [
  PASS,
  'credit packs, feed tokens, permits, another pass and what is dated by its payment are excluded, the rest is covered',
]

/** Sections 7 and 8: errors, and limits. */
export const LIMITS = [
  ...sentencesIn('7', [
    {
      says: '402 before the query is looked at, with PAYMENT-REQUIRED, and a payment object for the legacy path',
      tests: [
        UNPAID,
        ['spec/utility.test.ts', 'unpaid calls get 402 before parameters are looked at'],
        [
          'api/payment/gate.test.ts',
          'is a 402 at once: neither its query nor any store, chain or board is looked at',
        ],
        [PASS, '7. a pass that is none is a 402 before %s is looked at'],
        [
          'spec/money/credits.test.ts',
          '7. credit that pays for nothing is a 402 before the query is looked at',
        ],
        ['spec/money/values.test.ts', 'two hundred at once claim nothing and move nothing'],
        [
          'spec/money/facilitator.test.ts',
          'an unknown outcome is 503 "the same payment again", never 402 (I5) › %s: paid once, delivered once',
        ],
      ],
    },
    { says: 'heading of the rules below', tests: [], aside: 'a heading' },
    {
      says: 'json: what cannot be repaired is a paid 200 with ok false',
      tests: [['spec/utility.test.ts', '%s: %s is sold']],
    },
    {
      says: 'the body of an error is open',
      tests: [['spec/money/fuzz.test.ts', 'any query, paid or not, on any path below the service']],
      aside: 'open in the specification; ours is a problem document with a code',
    },
    {
      says: 'the status of a paid request with a bad parameter or a refused name is open',
      tests: [
        ['spec/utility.test.ts', '%s at %s: refused, nothing is charged'],
        ['spec/utility.test.ts', 'a refused payment can still be used for a name that is looked up'],
      ],
      aside: 'open in the specification; ours is 400, and nothing is charged',
    },
  ]),
  ...sentencesIn('8', [
    {
      says: 'hour pass: an hour, 600 calls, no second one',
      tests: [
        [PASS, 'costs 0.50 and returns token, expiresAt in an hour, callsRemaining 600'],
        [
          PASS,
          'ENT-01 1,000 calls at once over two processes: 600 are answered, the others are told it is used up',
        ],
        [
          PASS,
          'ENT-02, CRA-13 500 calls at once on 300 left, over two processes: one stands still, then is killed',
        ],
        [PASS, 'used up and expired passes are told apart'],
        COVERED,
      ],
    },
    {
      says: 'what a pass does not cover',
      tests: [COVERED, [PASS, 'ENT-04 %s is refused with its own 402, and costs no call']],
    },
    {
      says: 'what a pass covers',
      tests: [COVERED, [PASS, 'gives the very result that is sold for money']],
    },
    {
      says: 'five cards, five edges',
      tests: [
        ['api/goods/cards.test.ts', '%d cards qualify: refused before payment'],
        ['api/goods/cards.test.ts', '%d cards qualify: the five best, each once'],
        ['api/goods/cards.test.ts', '%d edges: the pack is sold %s'],
      ],
    },
    {
      says: 'feed tokens last 24 hours, 24 hours, 7 days',
      tests: [
        ['spec/money/grants.test.ts', '4.1, 8 feed tokens last 24 hours, 24 hours and 7 days › %s'],
        ['spec/money/grants.test.ts', 'an expired token is still known as expired'],
      ],
    },
    {
      says: 'the local tool is free for 25 successful uses',
      tests: [
        [
          'api/catalog/catalog.test.ts',
          'the tip and the open-source tool are listed; the tool is not sold, and 25 uses of it are free (8)',
        ],
      ],
      aside:
        'counted by the tool on its machine; we sell the permit and the licence, and the catalog says it',
    },
    {
      says: 'match: a default spend cap of 0.10',
      tests: [
        [
          'api/goods/table.test.ts',
          '8: the default spend cap of match is 0.10 USD, and no other read has one',
        ],
        ['api/goods/match.test.ts', 'a pair with a price on both sides'],
      ],
    },
    {
      says: 'a stated floor of 0.05, and reads below it',
      tests: [
        [
          'api/goods/table.test.ts',
          '4.1 the table of paid reads: price A is listed, price B is charged › %s',
        ],
        ['api/storefront/selfAudit.test.ts', 'all of them, every good on each'],
      ],
      aside: 'the specification contradicts itself; what is charged is price B',
    },
    {
      says: 'the venue wire is refreshed every 30 minutes',
      tests: [
        [
          'api/free/routes.test.ts',
          'every process shows the same wire, with when it was taken and when the next comes',
        ],
        ['api/free/samples.test.ts', 'at %d the tick %d runs'],
        [
          'api/free/samples.test.ts',
          'a sample does not change within its tick, and a process that starts later shows it',
        ],
      ],
    },
    {
      says: 'movers under 25 contracts are dropped',
      tests: [
        [
          'engine/core/boards/movers.test.ts',
          'spec 4.1 rule 5, venue B: last trade minus previous price, the day only (VEN-12) › %s: %s',
        ],
        [
          'engine/core/boards/movers.test.ts',
          'spec 4.1 rule 5, venue A: the venue’s own change for the window › a day of %d dollars: %s',
        ],
      ],
    },
    {
      says: 'executable within 48 hours',
      tests: [
        [
          'engine/core/boards/nets.test.ts',
          'spec 4.1 rule 4: executable within 48 hours › closes %d ms apart: %s (VEN-10)',
        ],
        [
          'engine/core/boards/nets.test.ts',
          'spec 4.1 rule 4: executable within 48 hours › not executable, but shown: %s',
        ],
      ],
    },
    {
      says: 'match rounds into 10 cents',
      tests: [
        [
          'api/goods/match.test.ts',
          'two pairs that differ in every price but share bucket and cheaper venue give the same bytes',
        ],
      ],
    },
    {
      says: 'opening sale: 100 slots, not active',
      tests: [
        ['api/classic/sale.test.ts', '500 buyers at once for what is left: never more than 100 in all'],
        ['api/classic/sale.test.ts', 'one buyer fifty times at once: one free report'],
        ['api/classic/sale.test.ts', 'unless its operator says otherwise'],
        ['api/classic/sale.test.ts', 'the record says so, and who names himself is asked the price'],
      ],
    },
    {
      says: 'rate limits are open',
      tests: [
        [
          'api/http/rateLimit.test.ts',
          'so many at once, then so many a minute, never more than a full bucket',
        ],
        ['api/classic/limits.test.ts', 'beyond the burst 429 with Retry-After; a second later one more'],
      ],
      aside: 'open in the specification; ours are tested',
    },
    {
      says: 'lengths of q, raw and payload header are open',
      tests: [
        ['spec/utility.test.ts', '%s at %s: refused, nothing is charged'],
        ['spec/utility.test.ts', '%s (INP-09): refused, nothing is charged'],
        ['api/goods/utility/scan/scan.test.ts', 'accepted: case %#'],
        ['api/goods/utility/scan/scan.test.ts', 'INP-09 refused: case %#'],
      ],
      aside: 'open in the specification; ours are tested',
    },
  ]),
]
