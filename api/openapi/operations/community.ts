import { z } from 'zod'
import { usdcNumber } from '../../../ops/units.ts'
import {
  FEEDBACK_MAX_BYTES,
  FEEDBACK_PATH,
  FeedbackBody,
  FeedbackDeleted,
  FeedbackKept,
  INTAKE_KEEPS,
  INTAKE_PATH,
} from '../../community/feedback.ts'
import { PATRON_MAX_BYTES, PATRON_PATH, PatronBody, Patrons } from '../../community/patron.ts'
import { REFERRAL_SHARE_PCT, REFERRALS_PATH, Referrals } from '../../community/referrals.ts'
import { REMINDERS_MAX_BYTES, REMINDERS_PATH, Reminders, RemindersBody } from '../../community/reminders.ts'
import type { ProblemCode } from '../../errors.ts'
import { TIP_MAX_MICRO_USDC, TIP_MIN_MICRO_USDC, tip } from '../../goods/services/tip.ts'
import { referralShare } from '../../ledger/cards.ts'
import { AGENT_ID, atMost, json, type Operation } from '../operation.ts'

const Deleted = FeedbackDeleted
const DELETED = { ok: true, deleted: true }
const Intake = z.object({
  ok: z.literal(true),
  send: z.object({ method: z.string(), path: z.string(), schema: z.unknown() }),
  kept: z.array(z.string()),
  keptForADay: z.array(z.string()),
  notKept: z.array(z.string()),
  days: z.int(),
  delete: z.string(),
})
const Named = z.object({ ok: z.literal(true), attestationId: z.string(), deleteToken: z.string() })
const RemindersKept = z.object({
  ok: z.literal(true),
  reminderToken: z.string(),
  dueAt: z.string(),
  keptUntil: z.string(),
})

const ID = 'EXAMPLEEXAMPLEEXAMPLE0'
const CHECKOUT = `checkout_${ID}`
const UNTIL = '2026-11-23T12:00:00.000Z'
const POSTING: readonly ProblemCode[] = [
  'malformed_request',
  'invalid_parameter',
  'body_too_large',
  'rate_limited',
  'kept_unknown',
  'shelf_full',
  'ledger_unavailable',
]
const READING: readonly ProblemCode[] = ['rate_limited', 'ledger_unavailable']

/** What agents may leave with the service, and ask for later (spec 4.2). */
export const COMMUNITY: readonly Operation[] = [
  {
    method: 'POST',
    path: FEEDBACK_PATH,
    id: 'feedback',
    tag: 'community',
    summary: 'Leaves feedback with consent, or deletes it',
    parameters: [
      AGENT_ID,
      {
        in: 'query',
        name: 'consent',
        description: 'Instead of consent in the body',
        example: true,
        schema: z.literal(true).optional(),
      },
    ],
    body: {
      schema: FeedbackBody,
      example: { consent: true, message: 'The edge pack saved me a day.', rating: 5, sku: tip.sku },
      limit: atMost(FEEDBACK_MAX_BYTES),
    },
    answers: {
      200: { description: 'Deleted', content: json(Deleted, DELETED) },
      201: {
        description: 'Kept; deleteToken deletes it',
        content: json(FeedbackKept, {
          ok: true,
          feedbackId: 'EXAMPLEEXAMPLE00',
          deleteToken: 'delete_...',
          keptUntil: '2027-05-20T12:00:00.000Z',
        }),
      },
    },
    problems: [...POSTING, 'consent_missing'],
  },
  {
    method: 'GET',
    path: INTAKE_PATH,
    id: 'feedbackIntake',
    tag: 'community',
    summary: 'What feedback is kept, for how long, and how it is deleted',
    answers: {
      200: {
        description: 'The rules',
        content: json(Intake, {
          ok: true,
          send: { method: 'POST', path: FEEDBACK_PATH, schema: {} },
          ...INTAKE_KEEPS,
        } satisfies z.infer<typeof Intake>),
      },
    },
    problems: READING,
  },
  {
    method: 'GET',
    path: PATRON_PATH,
    id: 'patrons',
    tag: 'community',
    summary: 'Who tipped and wanted to be named',
    answers: {
      200: {
        description: 'Newest first',
        content: json(Patrons, {
          ok: true,
          mode: 'sandbox',
          tip: {
            sku: tip.sku,
            minUsdc: usdcNumber(TIP_MIN_MICRO_USDC),
            maxUsdc: usdcNumber(TIP_MAX_MICRO_USDC),
            how: 'POST /purchase-intent with this sku ...',
          },
          patrons: [{ name: 'agent-7f3c' }],
        }),
      },
    },
    problems: READING,
  },
  {
    method: 'POST',
    path: PATRON_PATH,
    id: 'namePatron',
    tag: 'community',
    summary: 'Puts a name on the list, paid for by a tip, or takes it off',
    body: {
      schema: PatronBody,
      example: { consent: true, attestationId: ID, name: 'agent-7f3c' },
      limit: atMost(PATRON_MAX_BYTES),
    },
    answers: {
      200: { description: 'Taken off', content: json(Deleted, DELETED) },
      201: {
        description: 'Named',
        content: json(Named, { ok: true, attestationId: ID, deleteToken: 'delete_...' }),
      },
    },
    problems: POSTING,
  },
  {
    method: 'GET',
    path: REFERRALS_PATH,
    id: 'referrals',
    tag: 'community',
    summary: 'What a referral code has earned',
    parameters: [
      {
        in: 'query',
        name: 'code',
        required: true,
        description:
          'Your stable id, which buyers name as referralCode of a purchase intent or a card checkout',
        example: 'agent-7f3c',
      },
    ],
    answers: {
      200: {
        description: 'Earnings of paid sales',
        content: json(Referrals, {
          ok: true,
          mode: 'sandbox',
          code: 'agent-7f3c',
          sharePct: REFERRAL_SHARE_PCT,
          settledSales: 1,
          earningsUsdc: usdcNumber(referralShare(12_350_000n)),
          paidOutUsdc: 0,
          payout: 'Booked here; paid out by the operator on request.',
        }),
      },
    },
    problems: [...READING, 'invalid_parameter'],
  },
  {
    method: 'POST',
    path: REMINDERS_PATH,
    id: 'keepReminders',
    tag: 'community',
    summary: 'Keeps a list of card checkouts to be reminded of, or ends one',
    body: {
      schema: RemindersBody,
      example: { checkoutIds: [CHECKOUT], remindAfterS: 600 },
      limit: atMost(REMINDERS_MAX_BYTES),
    },
    answers: {
      200: { description: 'Ended', content: json(Deleted, DELETED) },
      201: {
        description: 'Kept; nothing is sent anywhere: ask with the token',
        content: json(RemindersKept, {
          ok: true,
          reminderToken: 'reminders_...',
          dueAt: '2026-11-21T12:10:00.000Z',
          keptUntil: UNTIL,
        }),
      },
    },
    problems: POSTING,
  },
  {
    method: 'GET',
    path: REMINDERS_PATH,
    id: 'reminders',
    tag: 'community',
    summary: 'Where the checkouts of a list stand',
    parameters: [
      {
        in: 'query',
        name: 'token',
        required: true,
        description: 'reminderToken of the list',
        example: 'reminders_...',
      },
    ],
    answers: {
      200: {
        description: 'In the order they were named',
        content: json(Reminders, {
          ok: true,
          dueAt: '2026-11-21T12:10:00.000Z',
          reminders: [
            {
              position: 0,
              sku: 'SKU_TOR_MCP_PRO',
              status: 'open',
              due: true,
              checkoutUrl: 'https://...',
              expiresAt: '2026-11-22T12:00:00.000Z',
            },
          ],
        }),
      },
    },
    problems: [...READING, 'invalid_parameter', 'kept_unknown'],
  },
]
