import type { Redis } from 'ioredis'
import { z } from 'zod'
import type { Clock } from '../../ops/clock.ts'
import { DAY, SECOND } from '../../ops/units.ts'
import { digestOfCheckout, isCheckoutId } from '../checkout/open.ts'
import { isProblem, type Problem } from '../errors.ts'
import type { HttpRequest, Reply } from '../http/exchange.ts'
import { parseQuery } from '../http/query.ts'
import { readJson } from '../http/readJson.ts'
import { jsonReply, NO_STORE } from '../http/respond.ts'
import { CARD_STATUSES, type CardLedger } from '../ledger/cards.ts'
import { digestOfSecret, newSecret, Secret } from './secret.ts'
import { createShelf } from './shelf.ts'

export const REMINDERS_PATH = '/checkout/reminders'
const KEPT_MS = 2 * DAY
const MAX = 10_000
/** Per network and day: in the two days that lists are kept, at most a tenth of what fits. */
const PER_DAY = 500
const CHECKOUTS_MAX = 20
export const REMINDERS_MAX_BYTES = 8 * 1024

const Asked = z.strictObject({
  checkoutIds: z.array(z.string().refine(isCheckoutId, 'is not a checkoutId')).min(1).max(CHECKOUTS_MAX),
  remindAfterS: z.int().min(0).max(86_400).default(600),
})
const Ended = z.strictObject({ reminderToken: Secret, delete: z.literal(true) })

/** Body of POST /checkout/reminders: a list to be reminded of, or the end of one. */
export const RemindersBody = z.union([Asked, Ended])

/** Answer of GET /checkout/reminders?token=: in the order they were named. Nothing is sent anywhere: the agent asks. */
export const Reminders = z.object({
  ok: z.literal(true),
  dueAt: z.string(),
  reminders: z.array(
    z.object({
      position: z.int(),
      sku: z.string().nullable(),
      status: z.enum([...CARD_STATUSES, 'unknown']),
      due: z.boolean(), //               still open, and time to be reminded
      checkoutUrl: z.string().nullable(), // only while open
      expiresAt: z.string().nullable(),
    }),
  ),
})

const Row = z.object({ digests: z.array(z.string()), dueMs: z.int() })

/** @param placeOf digest of an address. */
export function createReminders(
  redis: Redis,
  cards: Pick<CardLedger, 'find'>,
  clock: Clock,
  placeOf: (address: string) => string,
) {
  const shelf = createShelf(redis, {
    name: 'reminders',
    schema: Row,
    ttlMs: KEPT_MS,
    max: MAX,
    perDay: PER_DAY,
  })
  return {
    async post(request: HttpRequest): Promise<Reply | Problem> {
      const place = placeOf(request.address)
      const read = await readJson(request, RemindersBody, REMINDERS_MAX_BYTES)
      if (isProblem(read)) return read
      if ('delete' in read.body) {
        const id = digestOfSecret(read.body.reminderToken)
        if ((await shelf.find(id)) === null) return { problem: 'kept_unknown' }
        await shelf.remove(id)
        return jsonReply(200, { ok: true, deleted: true }, [NO_STORE])
      }
      const { checkoutIds, remindAfterS } = read.body
      const reminderToken = newSecret('reminders')
      const nowMs = clock.nowMs()
      const dueMs = nowMs + remindAfterS * SECOND
      const row = { digests: checkoutIds.map(digestOfCheckout), dueMs }
      const kept = await shelf.keep(digestOfSecret(reminderToken), row, place)
      if (kept === 'share') return { problem: 'rate_limited', retryAfterS: 3_600 }
      if (kept !== 'kept') return { problem: 'shelf_full', retryAfterS: 3_600 }
      const [dueAt, keptUntil] = [dueMs, nowMs + KEPT_MS].map((ms) => new Date(ms).toISOString())
      return jsonReply(201, { ok: true, reminderToken, dueAt, keptUntil }, [NO_STORE])
    },

    async list(request: HttpRequest): Promise<Reply | Problem> {
      const token = Secret.safeParse(parseQuery(request.rawQuery)?.get('token'))
      if (!token.success)
        return { problem: 'invalid_parameter', detail: 'token: the reminderToken of the list.' }
      const row = await shelf.find(digestOfSecret(token.data))
      if (row === null) return { problem: 'kept_unknown' }
      const checkouts = await Promise.all(row.digests.map((digest) => cards.find(digest)))
      const reminders = checkouts.map((checkout, position) => ({
        position,
        sku: checkout?.sku ?? null,
        status: checkout?.status ?? ('unknown' as const),
        due: checkout?.status === 'open' && clock.nowMs() >= row.dueMs,
        checkoutUrl: checkout?.status === 'open' ? checkout.url : null,
        expiresAt: checkout === null ? null : new Date(checkout.expiresMs).toISOString(),
      }))
      const shown: z.infer<typeof Reminders> = {
        ok: true,
        dueAt: new Date(row.dueMs).toISOString(),
        reminders,
      }
      return jsonReply(200, shown, [NO_STORE])
    },
  }
}
