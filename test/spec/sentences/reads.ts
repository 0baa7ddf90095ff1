import { type NamedTest, sentencesIn } from './sentence.ts'

const READS = 'api/goods/reads.test.ts'
const SPREAD = 'api/goods/spread.test.ts'
const MATCH = 'api/goods/match.test.ts'
const NETS = 'engine/core/boards/nets.test.ts'
const MOVERS = 'engine/core/boards/movers.test.ts'
const HOSTNAME = 'api/goods/utility/dns/hostname.test.ts'
const LOOKUP = 'api/goods/utility/dns/lookup.test.ts'
const REPAIR = 'api/goods/utility/json/repair.test.ts'
const LINT = 'api/goods/utility/specLint/lintSpec.test.ts'
const PASS = 'spec/money/pass.test.ts'
const UTILITY = 'spec/utility.test.ts'
const FLOW: NamedTest = [
  'spec/money/replay.test.ts',
  '402 → sign → 200 with PAYMENT-RESPONSE, echo, txHash and a receipt; the money is on chain',
]
/** Path, SKU, list price, price, query and headers of each of the 24. */
const TABLE: NamedTest = ['api/goods/table.test.ts', '%s']
/** What is charged for each on the chain, and that its answer is what every surface says. */
const CHARGED: NamedTest = [
  'spec/storefront/surfaces.test.ts',
  '%s: a purchase with the published examples moves the published amount',
]
const SURFACES: NamedTest = ['spec/storefront/surfaces.test.ts', '%s']
const row = (name: string, ...tests: NamedTest[]) => ({
  says: `${name}: its parameters and prices`,
  tests: [TABLE, CHARGED, ...tests],
})
const REQUIRED: NamedTest = [UTILITY, '%s at %s: refused, nothing is charged']

/** Section 4 and 4.1: the paid reads and their rules. */
export const READS_AND_RULES = [
  ...sentencesIn('4', [
    {
      says: 'GET, no security, the envelope on 200, 402 when unpaid',
      tests: [
        ['spec/openapi.test.ts', '%s'],
        [
          'api/openapi/document.test.ts',
          'nothing else has a price, and nothing but bought tokens opens anything',
        ],
      ],
    },
    {
      says: '402 before parameters are checked',
      tests: [
        [UTILITY, 'unpaid calls get 402 before parameters are looked at'],
        ['api/goods/sold.test.ts', 'unpaid calls get 402 before parameters are looked at'],
      ],
    },
  ]),
  ...sentencesIn('4.1', [
    {
      says: 'price A is that of the interface description',
      tests: [TABLE, ['api/openapi/document.test.ts', '%s']],
    },
    { says: 'price B is that of the service listing', tests: [TABLE, SURFACES] },
    {
      says: 'which is charged is open',
      tests: [CHARGED],
      aside: 'open in the specification; we charge price B, and every surface says so',
    },
    { says: 'listed as exact on eip155:8453', tests: [SURFACES, FLOW] },
    row('ping', FLOW),
    row('spread', [SPREAD, 'without q: the top live gap, with every field the catalog names']),
    row('match', [MATCH, 'q is required and bounded: %o']),
    row('bot-fuel'),
    row('bot-fuel-pack'),
    row('bot-fuel-day', ['spec/money/grants.test.ts', '%s']),
    row('edge'),
    row('edge-pack'),
    row('alpha-day', ['spec/money/grants.test.ts', '%s']),
    row('alpha-7d', ['spec/money/grants.test.ts', '%s']),
    row(
      'scan',
      ['api/goods/utility/scan/scan.test.ts', 'accepted: case %#'],
      [UTILITY, 'the sample in the header is what is scanned, and what the receipt is about'],
    ),
    row('tor-call'),
    row('hour-pass'),
    row('sniff', REQUIRED, ['api/goods/utility/sniff/sniff.test.ts', 'q is required and bounded: case %#']),
    row('pii', REQUIRED, ['api/goods/utility/pii/pii.test.ts', 'q is required and bounded: case %#']),
    row('spec-lint', REQUIRED, ['api/goods/utility/specLint/good.test.ts', 'q %s is refused before payment']),
    row('credits-2', [
      'spec/money/credits.test.ts',
      '%s returns storeCredit {creditUsdc, balanceUsdc, spendHint}',
    ]),
    row('credits-5', [
      'spec/money/credits.test.ts',
      '%s returns storeCredit {creditUsdc, balanceUsdc, spendHint}',
    ]),
    row('credits-10', [
      'spec/money/credits.test.ts',
      '%s returns storeCredit {creditUsdc, balanceUsdc, spendHint}',
    ]),
    row('json', REQUIRED, ['api/goods/utility/json/good.test.ts', 'q %s is refused before payment']),
    row('dns', REQUIRED),
    row('book', [
      READS,
      'without q: the liquid board, venues by turns, because their volumes do not compare',
    ]),
    row('net', [READS, 'without q: the largest nets, at most 20']),
    row('move', [READS, 'without window: day'], [READS, 'window %j is refused before any charge']),
    { says: 'heading of the rules', tests: [], aside: 'a heading' },
    {
      says: 'ping echoes, and its attestation is verified by the published key',
      tests: [
        FLOW,
        ['spec/inputs.test.ts', '%s come back as they are'],
        ['spec/receipts.test.ts', 'by the published key; the descriptor and did.json publish the same'],
      ],
    },
    {
      says: 'ping is no market data',
      tests: [
        [
          'spec/money/values.test.ts',
          'stale data: 503 with Retry-After before any money moves, and the payment is still good later',
        ],
      ],
    },
    {
      says: 'spread: exact yes prices, the gap of the mids',
      tests: [
        [SPREAD, 'without q: the top live gap, with every field the catalog names'],
        [SPREAD, 'half a basis point survives in dollars'],
      ],
    },
    {
      says: 'match: buckets of ten cents, no exact price',
      tests: [
        [MATCH, '%d cents'],
        [
          MATCH,
          'two pairs that differ in every price but share bucket and cheaper venue give the same bytes',
        ],
      ],
    },
    {
      says: 'net: executable only when names match and closes are within 48 hours; a gap may be zero',
      tests: [
        [NETS, 'closes %d ms apart: %s (VEN-10)'],
        [NETS, 'not executable, but shown: %s'],
        [READS, 'net %d, executable %s, gap %s'],
      ],
    },
    {
      says: 'net: q filters, without it the largest',
      tests: [
        [READS, 'with q it filters; without a hit it says so'],
        [READS, 'without q: the largest nets, at most 20'],
      ],
    },
    {
      says: 'move: A by its own figure, B by last trade less previous price',
      tests: [
        [MOVERS, '%s: %d cents'],
        [MOVERS, '%s: %s'],
      ],
    },
    {
      says: 'move: previous price 0 and fewer than 25 contracts are dropped',
      tests: [
        [MOVERS, '%s: %s'],
        [MOVERS, 'a day of %d dollars: %s'],
      ],
    },
    {
      says: 'move: B has a day only',
      tests: [
        [MOVERS, 'hour and week hold no row of B, and nobody is counted as dropped there'],
        [READS, 'window %s is echoed, and venue B is in day only and the answer says so'],
      ],
    },
    {
      says: 'book: one shared word is enough; without q the liquid board',
      tests: [
        [READS, 'q keeps markets that share a word with the topic, one is enough'],
        [READS, 'without q: the liquid board, venues by turns, because their volumes do not compare'],
      ],
    },
    {
      says: 'book is no matched pair',
      tests: [['api/goods/matchPrecision.test.ts', 'not where no pair is: %s']],
    },
    {
      says: 'dns: the hostname of a URL, a public resolver, refused names, no connection',
      tests: [
        [HOSTNAME, '%s → %s'],
        [HOSTNAME, '%s is a single label'],
        [HOSTNAME, '%s: bare, in a URL, with port, user and path'],
        [HOSTNAME, 'below a refused name nothing is ever let through'],
        [LOOKUP, 'in the api one file speaks DNS, and it never uses the system resolver'],
        [LOOKUP, 'a name whose address is this machine, asked as a URL with the port of a trap'],
        [UTILITY, 'a URL with the port of a trap on an address the name resolves to'],
      ],
    },
    {
      says: 'json: what is repaired, commas in strings stay, ok false invents nothing',
      tests: [
        [REPAIR, 'all together'],
        [REPAIR, '%s is unchanged'],
        [
          'api/goods/utility/json/refusals.test.ts',
          'the answer has no repaired text, no value and no change, but a sentence about the reason',
        ],
      ],
    },
    {
      says: 'spec-lint: three checks only',
      tests: [
        [LINT, '%j passes'],
        [LINT, '%j: none, so no operation either'],
        [LINT, 'response %s: %s'],
      ],
    },
    {
      says: 'sniff and pii: counts and score, nothing stored, nothing redacted, no verdict',
      tests: [
        ['api/goods/utility/sniff/sniff.test.ts', 'INP-10: no word of the text is in the answer'],
        ['api/goods/utility/pii/pii.test.ts', 'INP-10: nothing found is in the answer'],
        [UTILITY, 'not in logs, metrics, the pipeline, or the journal'],
        [UTILITY, 'rules 10, 11: of sniff, pii and scan not even the stored answer holds the text'],
        [
          'api/goods/utility/sniff/sniff.test.ts',
          'it answers in the published shape, with the rates, and says it is no verdict',
        ],
        [
          'api/goods/utility/pii/pii.test.ts',
          'it answers in the published shape, with the rates, and says it redacts nothing',
        ],
      ],
    },
    {
      says: 'scan: the sample is stored nowhere',
      tests: [[UTILITY, 'rules 10, 11: of sniff, pii and scan not even the stored answer holds the text']],
    },
    {
      says: 'hour-pass: token, end, calls; sent as X-Service-Pass',
      tests: [
        [PASS, 'costs 0.50 and returns token, expiresAt in an hour, callsRemaining 600'],
        [
          PASS,
          'the token is sent as X-Service-Pass: an answer in the usual envelope, a call less, no money moves',
        ],
      ],
    },
    {
      says: 'tor-call: redeemed at GET /api/v1/tor-call-permit',
      tests: [[PASS, 'sells a permit for one call that is redeemed once at its redeemUrl']],
    },
    {
      says: 'credit packs: spent with creditSpendAuth',
      tests: [
        ['spec/money/credits.test.ts', 'a read is paid with it: no money moves, a receipt comes along'],
      ],
    },
    {
      says: 'the payload of the header is open',
      tests: [['api/goods/utility/scan/scan.test.ts', 'INP-09 refused: case %#']],
      aside: 'open in the specification; ours is described in the interface description',
    },
  ]),
]
