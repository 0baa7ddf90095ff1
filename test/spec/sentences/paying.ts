import { type NamedTest, sentencesIn } from './sentence.ts'

const REPLAY = 'spec/money/replay.test.ts'
const VALUES = 'spec/money/values.test.ts'
const CREDITS = 'spec/money/credits.test.ts'
const CLASSIC = 'spec/money/classic.test.ts'
const RECEIPTS = 'spec/receipts.test.ts'
const FLOW: NamedTest = [
  REPLAY,
  '402 → sign → 200 with PAYMENT-RESPONSE, echo, txHash and a receipt; the money is on chain',
]
const UNPAID: NamedTest = [VALUES, '7. unpaid calls get 402 before parameters are looked at › ping%s']
const LEGACY: NamedTest = [
  REPLAY,
  '402 → transfer → X-PAYMENT → 200, once; resent: the same bytes; another request: 409',
]
const CLASSIC_ON_CHAIN: NamedTest = [
  'api/classic/chain.test.ts',
  'open, send USDC, fulfil by hash: the receipt verifies, the other process gives the same bytes',
]

/** Section 5: how access is paid for. */
export const PAYING = [
  ...sentencesIn('5', [
    {
      says: 'no account, key or login on the reads',
      tests: [FLOW, ['spec/money/v1Client.test.ts', 'in version 2 from the header, whatever the body says']],
    },
    {
      says: 'access is gated by payment',
      tests: [
        UNPAID,
        FLOW,
        ['api/goods/sold.test.ts', 'unpaid calls get 402 before parameters are looked at'],
        [VALUES, '%s with a payment: %d, and nothing is settled'],
        ['spec/money/fuzz.test.ts', 'after all of it: same process, nothing claimed, nothing moved'],
      ],
    },
  ]),
  ...sentencesIn('5.1', [
    { says: 'the client asks', tests: [UNPAID] },
    {
      says: '402 with PAYMENT-REQUIRED: accepts[] of USDC on Base, scheme exact',
      tests: [
        UNPAID,
        ['api/storefront/selfAudit.test.ts', 'all of them, every good on each'],
        ['spec/paymentTerms.test.ts', 'the unchanged offer, signed for its full time, is accepted'],
        [
          'api/goods/table.test.ts',
          '4.1 the table of paid reads: price A is listed, price B is charged › %s',
        ],
      ],
    },
    {
      says: 'the client signs an EIP-3009 transfer',
      tests: [
        FLOW,
        [
          REPLAY,
          'RPL-11 the same nonce signed twice over different terms: the first wins, the other gets 409',
        ],
        ['spec/money/signatures.test.ts', 'SIG-10 the right key, the wrong %s'],
      ],
    },
    {
      says: 'the same GET again with PAYMENT-SIGNATURE, base64 of a PaymentPayload',
      tests: [
        ['spec/paymentHeader.test.ts', '5.1 a base64 PaymentPayload is read into canonical form'],
        [REPLAY, 'RPL-06 on another path of its own price or any other: 409, and the first answer stays'],
        [
          REPLAY,
          'RPL-07 with another query: 409; RPL-08 the same query spelled otherwise: the stored answer',
        ],
        [REPLAY, 'RPL-09 another spelling of the header is the same payment'],
        [
          'spec/paymentHeader.test.ts',
          'VAL-11, VAL-13, VAL-14 one dialect; everything else is refused, nothing throws › %s',
        ],
        [REPLAY, 'RPL-02, RPL-03 64 copies at once over two processes settle once and answer the same bytes'],
      ],
    },
    {
      says: '200 with PAYMENT-RESPONSE and the envelope',
      tests: [
        FLOW,
        [REPLAY, 'RPL-01 the same payment again: byte-identical answer, nothing moves'],
        ['spec/money/crash.test.ts', '%s, %s: the resend is answered once, the money moves once'],
        [
          'storm/storm.test.ts',
          'faults.md 4, 5: kills, stops and faulty networks: chain, journal and buyers agree to the last unit',
        ],
      ],
    },
    {
      says: 'a facilitator verifies and settles',
      tests: [
        [
          'spec/money/facilitator.test.ts',
          '5.1 the facilitator verifies and settles; the answer carries its transaction',
        ],
        [
          'spec/money/facilitator.test.ts',
          'an unknown outcome is 503 "the same payment again", never 402 (I5) › %s: paid once, delivered once',
        ],
        ['spec/money/facilitator.test.ts', 'a facilitator that lies gets nothing delivered › %s'],
        [
          'spec/money/facilitator.test.ts',
          'RPL-11, FAC-09 the payer has spent the nonce elsewhere, and %s: nothing is delivered, whoever is asked later',
        ],
        [
          'spec/money/facilitator.test.ts',
          'RPL-02, RPL-03 64 copies over two processes: one settle call, one transfer, the same bytes',
        ],
        [
          'spec/money/facilitatorFailover.test.ts',
          'FAC-16 the first settles and its reply is lost, the second answers too: one transfer, one delivery',
        ],
      ],
    },
    {
      says: 'what else stands in offers and payloads is open',
      tests: [
        ['spec/extensions.test.ts', 'PAYMENT-REQUIRED stays within 6 KiB (x402-v2 1.8), in ASCII'],
        ['spec/paymentTerms.test.ts', 'addresses may differ in letter case, and a client may add to extra'],
      ],
      aside: 'open in the specification; our contents are tested',
    },
  ]),
  ...sentencesIn('5.2', [
    {
      says: 'the reply names intentId and payTo',
      tests: [
        LEGACY,
        [
          REPLAY,
          'CLS-03, I4 %s by its hash alone: after %d seconds in which nobody else claims it, at once when its sender signs',
        ],
        UNPAID,
        [
          'api/payment/intentId.test.ts',
          'the tagged amount never exceeds the advertised price and is at least nine tenths of it',
        ],
        [
          'api/payment/legacyPayments.test.ts',
          'property: an id of ours for its very amount, no older than 20 ms, each once, all of one width',
        ],
      ],
    },
    {
      says: 'send USDC, then X-PAYMENT with intentId, txHash and rail',
      tests: [
        LEGACY,
        ['api/payment/legacy.test.ts', '5.2 which transfer pays a legacy intent › %s'],
        [
          REPLAY,
          'RPL-15 the transaction of an x402 payment buys nothing here, even with an intent over its exact amount',
        ],
        [
          REPLAY,
          'CLS-01, CLS-03, CLS-06 another amount, another receiver, an older transfer, a second intent: refused',
        ],
        [
          REPLAY,
          'an intent of %d minutes ago that is paid now: %d; it is good for 15, its money may be an hour late',
        ],
        [
          REPLAY,
          '64 legacy claims of one transfer for two requests over two processes: one request is answered',
        ],
      ],
    },
  ]),
  ...sentencesIn('5.3', [
    {
      says: 'intent, payment on the quoted rail or another quoted one, fulfil',
      tests: [
        CLASSIC_ON_CHAIN,
        [CLASSIC, 'another quoted rail may be used, by its own amount'],
        [CLASSIC, 'the same transfer for two intents, one after the other and at once on two processes'],
        [CLASSIC, 'a transfer that a legacy or x402 claim has taken pays no intent'],
        ['api/classic/amounts.test.ts', 'CLS-01 signed by its sender for two intents at once: it pays one'],
        ['api/classic/amounts.test.ts', 'delivered once, the second transfer is store credit'],
      ],
    },
  ]),
  ...sentencesIn('5.4', [
    {
      says: 'x-agent-id is optional and stable; buyerId is the same',
      tests: [
        FLOW,
        [CLASSIC, 'buyerId and x-agent-id are one identifier: two different ones are refused'],
        [CREDITS, 'CRD-06 agent ids differ by case; an address is the same in any'],
      ],
    },
    {
      says: 'creditSpendAuth: invented at the first spend, its digest locked for good, the same ever after',
      tests: [
        [CREDITS, 'CRD-03 %s: refused, nothing is debited'],
        [
          CREDITS,
          'CRD-04 bought without a secret: only the claim code opens it, once, with the secret that is then locked',
        ],
        [
          CREDITS,
          'a claim code brought with another secret changes no lock: refused, and the code stays good',
        ],
        [
          CREDITS,
          'a purchase for an agent id that is locked with another secret is refused before money moves',
        ],
        [CREDITS, '5.4, OPS-05 no secret and no claim code is in the ledger or in any output'],
        ['api/classic/credit.test.ts', 'another secret spends nothing: 402 credit_refused'],
      ],
    },
    {
      says: 'credit that covers the SKU makes the payable amount 0',
      tests: [
        [
          'api/classic/credit.test.ts',
          '200 with the result; the credit is debited once; /fulfill gives the same result',
        ],
        [
          'api/classic/credit.test.ts',
          'payable is price less balance, to the unit; both are spent when the rest comes',
        ],
      ],
    },
    {
      says: 'X-Service-Pass carries the pass',
      tests: [
        [
          'spec/money/pass.test.ts',
          'the token is sent as X-Service-Pass: an answer in the usual envelope, a call less, no money moves',
        ],
        ['spec/money/pass.test.ts', 'a token that is %s is answered 402 and says so'],
      ],
    },
    {
      says: 'X-Service-Feed-Token carries the feed token',
      tests: [
        [
          'spec/feed.test.ts',
          'is bought once and read at once, at every process, by polling, server-sent events and WebSocket',
        ],
      ],
    },
    {
      says: 'receipts verify with the published key',
      tests: [
        [RECEIPTS, 'by the published key; the descriptor and did.json publish the same'],
        ['api/receipts/attestation.test.ts', 'an independent strict verifier accepts exactly these bytes'],
        [
          'api/receipts/attestation.test.ts',
          'RCP-01 every byte of the payload and every bit of the signature counts',
        ],
      ],
    },
  ]),
]
