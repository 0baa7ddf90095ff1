import { describe, expect, test } from 'vitest'
import { PROBLEMS, type ProblemCode } from '../../../api/errors.ts'

/** Published: clients decide by it whether to sign again. Status, whether the same request may succeed later, codes. */
const TABLE: [number, boolean, string][] = [
  [
    400,
    false,
    'malformed_payment unsupported_payment two_payments malformed_request invalid_parameter intent_invalid not_sold_by_card webhook_refused consent_missing',
  ],
  [401, false, 'permit_missing feed_token_missing feed_token_unknown feed_token_expired feed_token_revoked'],
  [
    402,
    true,
    'payment_required offer_mismatch bad_signature wrong_recipient wrong_amount expired not_yet_valid window_too_long insufficient_funds nonce_used wallet_not_supported transfer_failed redemption_missing underpaid token_paused',
  ],
  [
    402,
    false,
    'blocked_party pass_unknown pass_expired pass_revoked pass_used_up pass_not_covering credit_refused credit_short credit_not_covering',
  ],
  [403, true, 'refund_unproven payer_unproven'],
  [404, false, 'not_found receipt_unknown checkout_unknown kept_unknown sku_unknown intent_unknown'],
  [405, false, 'method_not_allowed'],
  [
    409,
    false,
    'permit_refused credit_frozen credit_auth_mismatch bound_elsewhere already_paid payment_id_bound transfer_mismatch intent_expired rail_mismatch intent_lapsed sale_over',
  ],
  [410, false, 'answer_expired'],
  [413, false, 'body_too_large'],
  [422, false, 'undeliverable amount_too_small'],
  [426, false, 'upgrade_required'],
  [429, true, 'too_many_streams rate_limited too_many_intents too_many_checkouts too_many_open'],
  [500, true, 'internal'],
  [
    503,
    true,
    'settlement_pending payer_unproven_yet payment_not_found feed_unavailable stale_data no_data not_enough_data resolver_unavailable utility_timeout busy no_room ledger_unavailable ledger_full chain_unavailable facilitator_unavailable restarting card_provider_unavailable shelf_full price_unavailable rail_unavailable',
  ],
  [503, false, 'card_checkout_off'],
]
const codes = Object.keys(PROBLEMS) as ProblemCode[]

describe('7, x402-v2 1.6 the closed table of problems', () => {
  test.each(TABLE)('%d, may succeed later: %s', (status, retryable, names) => {
    const found = codes.filter(
      (code) => PROBLEMS[code].status === status && PROBLEMS[code].retryable === retryable,
    )
    expect(found.sort()).toEqual(names.split(' ').sort())
  })

  test('and no other', () => {
    expect(codes.sort()).toEqual(TABLE.flatMap(([, , names]) => names.split(' ')).sort())
  })
})

describe('503R: where the money of a payment may have moved nobody is told that it has not, or to sign anew', () => {
  test.each<ProblemCode>([
    ...([
      'settlement_pending',
      'ledger_unavailable',
      'chain_unavailable',
      'facilitator_unavailable',
    ] as const),
    ...(['restarting', 'no_room', 'internal', 'card_provider_unavailable', 'payment_not_found'] as const),
  ])('%s: the same again', (code) => {
    const { next, status } = PROBLEMS[code]
    expect(status).toBeGreaterThanOrEqual(500)
    expect(next).toMatch(/[Ss]end the same request( with the same payment)? again/)
    expect(next).not.toMatch(/nothing was charged|charged nothing/)
  })
})

test.each<ProblemCode>(['too_many_intents', 'too_many_checkouts'])(
  '%s: a place is free once one is paid, so the words name the same time as the header',
  (code) => {
    expect(PROBLEMS[code].next).toContain(
      'Pay one of those that are open, then send the same request again after Retry-After',
    )
    expect(PROBLEMS[code].next).not.toContain('try again when')
  },
)

test('5.4 who is refused with a secret of his own invention is told what one looks like', () => {
  expect(PROBLEMS.credit_refused.next).toContain('16 to 256 visible ASCII characters')
})

test('who pays in version 1, which has no place for a redemption secret, is told what has one', () => {
  expect(PROBLEMS.redemption_missing.next).toContain('version 2 payment (PAYMENT-SIGNATURE)')
})
