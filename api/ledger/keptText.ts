import { DAY } from '../../ops/units.ts'
import { FEEDBACK_KEPT_MS, FEEDBACK_MAX } from '../community/feedback.ts'
import { ATTESTATION_TTL_MS, OPERATION_KEPT_MS, PAID_KEPT_MS } from './redis.ts'

/** A buyer's own words or signature, kept as sent. */
export type KeptText = {
  what: string
  keys: RegExp //          of the ledger, by the words they begin with
  keptMs: number //        at most; 0: until the work they are for is done
  bound: string
  why: string
}

/**
 * Everything kept as sent. Anything not named here is kept as a digest, or not at all: names of buyers, accounts,
 * agents and referrers, secrets, tokens, intent and checkout ids, texts that were asked about. Nothing of this is in
 * logs, metrics, queues or ClickHouse. A store that logs its writes has them in that log until it rewrites it.
 */
export const KEPT_TEXT = {
  answer: {
    what: 'text that is part of its answer',
    keys: /^claim:(auth|tx|intent|credit|card)$/,
    keptMs: PAID_KEPT_MS, // of a card sale that its buyer has not fetched; else ANSWER_TTL_MS, a day
    bound: 'one answer a sale',
    why: 'A buyer who lost his answer can fetch it again; what it repeats of the question is in it. What a card has paid for is kept with its checkout until he comes.',
  },
  call: {
    what: 'text that is part of an answer by a pass',
    keys: /^call\b/,
    keptMs: OPERATION_KEPT_MS,
    bound: 'one answer a call that its buyer gave an Idempotency-Key; none in the last tenth of the store',
    why: 'A buyer who lost the answer of such a call can fetch it again; what it repeats of the question is in it.',
  },
  signature: {
    what: 'signature of a settled payment',
    keys: /^claim:auth$/,
    keptMs: 0,
    bound: 'one a payment that is being settled',
    why: 'The settler needs it until the payment is settled, also after a crash; from then on it stands on the chain.',
  },
  input: {
    what: 'input of a purchase',
    keys: /^(intent|card:checkout)\b/,
    keptMs: PAID_KEPT_MS, // of a card checkout that is paid and whose answer nobody fetches; never paid: 31 days
    bound: '4 KiB an intent, 100,000 unpaid ones; the body of a card checkout, 20,000 unpaid ones',
    why: 'It comes with the order and is answered when it is paid; the step that claims the sale drops it.',
  },
  statement: {
    what: 'statement that is attested',
    keys: /^(attestation|claim:auth)\b/,
    keptMs: ATTESTATION_TTL_MS,
    bound: 'one a sale of the receipt oracle',
    why: 'It was bought to be kept and shown.',
  },
  feedback: {
    what: 'feedback with consent',
    keys: /^community:feedback$/,
    keptMs: FEEDBACK_KEPT_MS,
    bound: `${FEEDBACK_MAX} of 2,000 characters`,
    why: 'Its sender asked for it to be kept, and can delete it.',
  },
  patron: {
    what: 'name of a patron',
    keys: /^community:patrons$/,
    keptMs: 365 * DAY,
    bound: '5,000 of 40 characters',
    why: 'Its sender asked for it to be published, and can delete it.',
  },
} as const satisfies Record<string, KeptText>
