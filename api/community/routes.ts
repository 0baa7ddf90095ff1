import type { Redis } from 'ioredis'
import type { Clock } from '../../ops/clock.ts'
import { buyerDigest } from '../entitlements/credit.ts'
import type { Problem } from '../errors.ts'
import { answering } from '../http/answering.ts'
import type { HttpRequest, Reply } from '../http/exchange.ts'
import { RATE_LIMITS } from '../http/limits.ts'
import { createRateLimit, neighbourhood } from '../http/rateLimit.ts'
import type { Route } from '../http/router.ts'
import type { CardLedger } from '../ledger/cards.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createReferralLedger } from '../ledger/referrals.ts'
import { createFeedback, FEEDBACK_PATH, INTAKE_PATH } from './feedback.ts'
import { createPatrons, PATRON_PATH } from './patron.ts'
import { REFERRALS_PATH, referralsOf } from './referrals.ts'
import { createReminders, REMINDERS_PATH } from './reminders.ts'

/** Feedback, patrons, referrals and reminders (spec 4.2). What is kept can be deleted by its sender. */
export function communityRoutes({
  redis,
  ledger,
  cards,
  clock,
  secret,
  mode,
}: {
  redis: Redis //  the ledger's
  ledger: Pick<Ledger, 'attestation' | 'revokedMs'>
  cards: Pick<CardLedger, 'find'>
  clock: Clock
  secret: Buffer
  mode: string
}): Route[] {
  const placeOf = (address: string) => buyerDigest(secret, `shelf|${neighbourhood(address)}`)
  const feedback = createFeedback(redis, clock, placeOf)
  const patrons = createPatrons(redis, ledger, mode)
  const reminders = createReminders(redis, cards, clock, placeOf)
  const limits = {
    POST: createRateLimit(RATE_LIMITS.kept, clock),
    GET: createRateLimit(RATE_LIMITS.community, clock),
  }
  type Answer = (request: HttpRequest) => Reply | Problem | Promise<Reply | Problem>
  const route = (method: Route['method'], path: string, answer: Answer): Route => ({
    method,
    path,
    limit: limits[method],
    handler: answering(answer),
  })
  return [
    route('POST', FEEDBACK_PATH, feedback.post),
    route('GET', INTAKE_PATH, feedback.intake),
    route('GET', PATRON_PATH, patrons.list),
    route('POST', PATRON_PATH, patrons.post),
    route('GET', REFERRALS_PATH, referralsOf(createReferralLedger(redis), mode)),
    route('POST', REMINDERS_PATH, reminders.post),
    route('GET', REMINDERS_PATH, reminders.list),
  ]
}
