import { randomBytes } from 'node:crypto'
import type { Redis } from 'ioredis'
import { z } from 'zod'
import type { Clock } from '../../ops/clock.ts'
import { DAY } from '../../ops/units.ts'
import { isProblem, type Problem } from '../errors.ts'
import type { HttpRequest, Reply } from '../http/exchange.ts'
import { readJson } from '../http/readJson.ts'
import { ASK_AGAIN, jsonReply, NO_STORE } from '../http/respond.ts'
import { firstIssue, IN_WORDS } from '../problems/issue.ts'
import { digestOfSecret, newSecret, Secret } from './secret.ts'
import { createShelf } from './shelf.ts'

export const FEEDBACK_PATH = '/feedback'
export const INTAKE_PATH = '/feedback-intake'
export const FEEDBACK_KEPT_MS = 180 * DAY
export const FEEDBACK_MAX = 10_000
/** Per network and day: less than fits in all, even if it goes on. */
const FEEDBACK_PER_DAY = 50
export const MESSAGE_MAX_CHARS = 2_000
export const FEEDBACK_MAX_BYTES = 16 * 1024

const Given = z.strictObject({
  consent: z.literal(true),
  message: z
    .string()
    .max(MESSAGE_MAX_CHARS)
    .refine((text) => text.trim() !== '', 'is empty'),
  rating: z.int().min(1).max(5).optional(),
  sku: z
    .string()
    .regex(/^SKU_[A-Z0-9_]{1,60}$/, 'is not a SKU')
    .optional(),
})
const Withdrawn = z.strictObject({
  consent: z.literal(false),
  feedbackId: z.string().max(64),
  deleteToken: Secret,
})

/** Body of POST /feedback: feedback with consent, or its withdrawal. */
export const FeedbackBody = z.discriminatedUnion('consent', [Given, Withdrawn])

/** Answers of POST /feedback. */
export const FeedbackKept = z.object({
  ok: z.literal(true),
  feedbackId: z.string(),
  deleteToken: z.string(), // send both with consent: false, and it is deleted
  keptUntil: z.string(),
})
export const FeedbackDeleted = z.object({ ok: z.literal(true), deleted: z.literal(true) })

/** What is kept: what was sent, when, and the digest of the token. No address, no agent id. */
const Row = Given.extend({ atMs: z.int(), deleteDigest: z.string() })

/** What /feedback-intake says about it. The digest is listed apart from what was sent. */
export const INTAKE_KEEPS = {
  kept: ['message', 'rating', 'sku', 'time'],
  keptForADay: ['keyed digest of the network your address is in, which counts what comes from there'],
  notKept: ['address', 'x-agent-id'],
  days: FEEDBACK_KEPT_MS / DAY,
  delete: 'POST /feedback {consent: false, feedbackId, deleteToken}',
}

const NeedsConsent = z.looseObject({ consent: z.unknown().optional() })

/** @param placeOf digest of an address. */
export function createFeedback(redis: Redis, clock: Clock, placeOf: (address: string) => string) {
  const shelf = createShelf(redis, {
    name: 'feedback',
    schema: Row,
    ttlMs: FEEDBACK_KEPT_MS,
    max: FEEDBACK_MAX,
    perDay: FEEDBACK_PER_DAY,
  })

  async function give({ consent, ...given }: z.infer<typeof Given>, place: string): Promise<Reply | Problem> {
    const feedbackId = randomBytes(12).toString('base64url')
    const deleteToken = newSecret('delete')
    const atMs = clock.nowMs()
    const row = { consent, ...given, atMs, deleteDigest: digestOfSecret(deleteToken) }
    const kept = await shelf.keep(feedbackId, row, place)
    if (kept === 'share') return { problem: 'rate_limited', retryAfterS: 3_600 }
    if (kept !== 'kept') return { problem: 'shelf_full', retryAfterS: 3_600 }
    const keptUntil = new Date(atMs + FEEDBACK_KEPT_MS).toISOString()
    return jsonReply(201, { ok: true, feedbackId, deleteToken, keptUntil }, [NO_STORE])
  }

  async function withdraw({ feedbackId, deleteToken }: z.infer<typeof Withdrawn>): Promise<Reply | Problem> {
    const row = /^[A-Za-z0-9_-]{16}$/.test(feedbackId) ? await shelf.find(feedbackId) : null
    if (row === null || row.deleteDigest !== digestOfSecret(deleteToken)) return { problem: 'kept_unknown' }
    await shelf.remove(feedbackId)
    return jsonReply(200, { ok: true, deleted: true }, [NO_STORE])
  }

  const intake = jsonReply(
    200,
    {
      ok: true,
      send: { method: 'POST', path: FEEDBACK_PATH, schema: z.toJSONSchema(FeedbackBody) },
      ...INTAKE_KEEPS,
    },
    [ASK_AGAIN],
  )

  return {
    /** Consent may stand in the query too, as the spec writes it. */
    async post(request: HttpRequest): Promise<Reply | Problem> {
      const place = placeOf(request.address)
      const inQuery = request.rawQuery === 'consent=true'
      const read = await readJson(request, NeedsConsent, FEEDBACK_MAX_BYTES)
      if (isProblem(read)) return read
      const asked = inQuery && read.body.consent === undefined ? { ...read.body, consent: true } : read.body
      if (typeof asked.consent !== 'boolean') return { problem: 'consent_missing' }
      const parsed = FeedbackBody.safeParse(asked, IN_WORDS)
      if (!parsed.success)
        return asked.consent === false && !('deleteToken' in asked)
          ? { problem: 'consent_missing' }
          : { problem: 'invalid_parameter', detail: firstIssue(parsed.error) }
      return parsed.data.consent ? give(parsed.data, place) : withdraw(parsed.data)
    },

    /** What is asked, what is kept, for how long, how it is deleted. */
    intake: (): Reply => intake,
  }
}
