import type { Clock } from '../../ops/clock.ts'
import { assert, UnavailableError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../ops/units.ts'
import { tokenKindOf } from '../entitlements/issue.ts'
import { digestOfToken, tokenOf } from '../entitlements/token.ts'
import { isProblem, PROBLEMS, type Problem } from '../errors.ts'
import type { Draft, GoodPorts } from '../goods/good.ts'
import { sellableOfSku } from '../goods/index.ts'
import {
  type CardLedger,
  CHECKOUT_LIFETIME_MS,
  type Checkout,
  cardKey,
  UNPAID_KEPT_MS,
  type Undone,
} from '../ledger/cards.ts'
import type { StrayReason } from '../ledger/strays.ts'
import type { AnswerPorts } from '../payment/answer.ts'
import { draftOf } from '../payment/draftOf.ts'
import { isOutdated } from '../payment/outdated.ts'
import { centsOf } from './order.ts'
import type { CardProvider, CardSession, CardTruth } from './provider.ts'
import { type Drawn, requestHashOf, reversalOf, saleOf } from './sale.ts'
import { isUndrawn } from './show.ts'
import { mayBecome, refuseTruth } from './truth.ts'

export type RefreshPorts = {
  cards: CardLedger
  provider: CardProvider
  goods: GoodPorts | null // null: no boards here; the opening's draft is sold while it is young enough
  answers: Pick<AnswerPorts, 'secret' | 'publicUrl' | 'mode'>
  clock: Clock //  as the one that dated the checkouts
  log: Log
}

/** The input as parsed for the good, and as sent. */
export type LateInput = { input: unknown; payload: unknown }

const YOUNG_MS = 10 * MINUTE
/** By then nobody can pay any more: what has neither been paid nor ended is still at its bank, which sends an event. */
const SLOW_MS = 2 * CHECKOUT_LIFETIME_MS
/** A refusal may be a slip of the provider's: for this long the worker looks again, ever less often. */
const REFUSED_FOLLOWED_MS = 1 * DAY
const REFUSED_AGAIN_MS = 2 * MINUTE
/** Retry-After for the provider, when it has to send an event again. */
export const TOLD_AGAIN_S = 60

/** How soon the worker looks again, by the age of a checkout: most people pay at once or never. */
export function againAfterMs(ageMs: number): number {
  if (ageMs < YOUNG_MS) return 10 * SECOND
  return ageMs < SLOW_MS ? MINUTE : HOUR
}

/**
 * Asks the provider about a checkout and books what is new. Every path that learns of a payment (event, status poll,
 * worker) calls this, so it does not matter which of them comes first, twice or not at all.
 * @param gapMs does not ask again if the last look was this recent.
 * @param late input of the good, if it only comes now; also as the buyer sent it.
 */
export async function refresh(
  checkout: Checkout,
  { gapMs, late }: { gapMs: number; late?: LateInput },
  ports: RefreshPorts,
): Promise<Checkout | Problem> {
  const { cards, provider, clock, log } = ports
  const { digest } = checkout
  const look = await cards.look(digest, gapMs, againAfterMs(clock.nowMs() - checkout.createdMs))
  if (look === null) return checkout
  const truth = await provider.truth(checkout.sessionId)
  const refusal = refuseTruth({ digest, cents: centsOf(checkout.amountMicroUsdc) ?? 0 }, truth)
  if (refusal !== null) {
    if (checkout.status === 'paid' || checkout.status === 'refunded')
      throw new UnavailableError(
        'card_provider_unavailable',
        `the provider contradicts what it said of this payment before: ${refusal}`,
      )
    const { sku, sessionId } = checkout
    const kept = await strayOf({ sessionId, reference: digest, sku }, refusal, truth, ports)
    if (kept === 'full') return { problem: 'busy', retryAfterS: TOLD_AGAIN_S }
    await followRefused(checkout, ports)
    return checkout
  }
  if (!mayBecome(checkout.status, truth.status)) {
    await leaveIfOver(checkout, ports)
    return checkout
  }
  const undone = undoneOf(checkout, truth, look, ports.answers)
  if (truth.status === 'paid') {
    const draft = checkout.claimed ? null : await drawn(checkout, late, ports)
    if (isProblem(draft)) return draft
    if (draft === null && isUndrawn({ ...checkout, status: 'paid' }))
      log.warn({ sku: checkout.sku }, 'a paid checkout waits for data that is young enough')
    const sale = draft === null ? null : saleOf(checkout, draft, truth, ports.answers)
    await cards.paid(checkout, look, sale, undone)
  } else if (truth.status !== 'open') await cards.end(checkout, look, truth.status, undone)
  if (truth.status !== 'open') await cards.leave(checkout)
  await followStray(checkout, truth.status, ports)
  return (await cards.find(digest)) ?? checkout
}

/**
 * A refused payment that the provider names rightly later is sold then, also if its checkout had ended. The time between
 * looks grows with the time since the first refusal, so that a day has a dozen; afterwards only events and polls look.
 */
async function followRefused(
  checkout: Checkout,
  { cards, clock }: Pick<RefreshPorts, 'cards' | 'clock'>,
): Promise<void> {
  const { digest, sessionId } = checkout
  const keptMs = await cards.strayKeptMs(sessionId)
  if (keptMs === null) return await leaveIfOver(checkout, { cards, clock }) //  nobody has paid
  const nowMs = clock.nowMs()
  const sinceMs = nowMs - keptMs
  if (sinceMs >= REFUSED_FOLLOWED_MS) await cards.unlook(digest)
  else await cards.lookAgain(digest, nowMs + Math.max(REFUSED_AGAIN_MS, sinceMs))
}

/** A look that says nothing new, so long after the end that no bank has the money any more, is the worker's last. */
async function leaveIfOver(
  { digest, expiresMs }: Checkout,
  { cards, clock }: Pick<RefreshPorts, 'cards' | 'clock'>,
): Promise<void> {
  if (clock.nowMs() >= expiresMs + UNPAID_KEPT_MS) await cards.unlook(digest)
}

/** Books on a stray, if there is one, that its money went back or returned. @returns whether that changes anything. */
async function moveStray(
  { sessionId, sku }: { sessionId: string; sku: string },
  status: CardTruth['status'],
  { cards, clock, log }: Pick<RefreshPorts, 'cards' | 'clock' | 'log'>,
): Promise<boolean> {
  if (status === 'paid') return await cards.strayReturned(sessionId)
  if (status !== 'refunded') return false
  const moved = await cards.strayBack(sessionId, clock.nowMs())
  if (moved === 'credited')
    log.error({ sku }, 'card money has gone back for which credit was granted by hand')
  return moved !== 'known'
}

/** The same, where its checkout takes this truth; asked again until what was booked still holds, as by `strayOf`. */
async function followStray(
  { sessionId, sku }: Checkout,
  status: CardTruth['status'],
  ports: RefreshPorts,
): Promise<void> {
  let [said, was]: [CardTruth['status'], CardTruth['status'] | null] = [status, null]
  while (said !== was && (await moveStray({ sessionId, sku }, said, ports)))
    [said, was] = [(await ports.provider.truth(sessionId)).status, said]
}

/**
 * Keeps a card payment that bought nothing: a row for an operator once money has moved, closed when it goes back, and
 * opened again if credit was granted by then. No look orders these truths, of which one may have come late: whoever
 * books one asks whether it still holds.
 */
export async function strayOf(
  session: CardSession & { sku: string },
  why: StrayReason,
  { status, paymentId, cents, currency }: CardTruth,
  ports: Pick<RefreshPorts, 'cards' | 'clock' | 'log' | 'provider'>,
): Promise<'kept' | 'known' | 'full' | 'none'> {
  const { cards, log, provider } = ports
  const { sessionId, reference, sku } = session
  const stillHolds = async () => {
    const now = await provider.truth(sessionId)
    return now.status === status ? null : await strayOf(session, why, now, ports)
  }
  const nowMs = ports.clock.nowMs()
  if (await moveStray(session, status, ports)) return (await stillHolds()) ?? 'none'
  if (status !== 'paid') return 'none'
  const kept = await cards.keepStray({ sessionId, reference, sku, why, paymentId, cents, currency }, nowMs)
  if (kept !== 'known') log.error({ sku, reason: why }, 'a card has paid for nothing that is sold here')
  const changed = kept === 'kept' ? await stillHolds() : null
  return changed ?? kept
}

/** What this sale's answer has issued, or will: a function of the checkout, so that it can be taken back. */
function undoneOf(
  checkout: Checkout,
  truth: CardTruth,
  look: number,
  answers: RefreshPorts['answers'],
): Undone {
  const good = sellableOfSku(checkout.sku)
  const kind = good === undefined ? null : tokenKindOf(good)
  const token = kind === null ? '' : tokenOf(answers.secret, kind, cardKey(checkout.digest))
  return {
    issued: kind === null ? null : { kind, digest: digestOfToken(token) },
    entry: reversalOf(checkout, truth, look, answers),
  }
}

/**
 * The answer from the current boards, else as it was when the checkout was opened; null: there is none yet, because the
 * input is missing, or the draft has grown too old to be sold (I17): the next look by a process with boards composes
 * it.
 */
async function drawn(
  checkout: Checkout,
  late: LateInput | undefined,
  { goods, clock }: Pick<RefreshPorts, 'goods' | 'clock'>,
): Promise<Drawn | Problem | null> {
  const good = sellableOfSku(checkout.sku)
  assert(good !== undefined, 'every good that was ever sold is still known')
  const { sku, digest, draft, requestHash } = checkout
  const isLate = draft === null && checkout.input === null && late !== undefined
  const again = isLate ? late.input : checkout.input === null ? undefined : JSON.parse(checkout.input)
  if (again !== undefined && goods !== null) {
    const fresh = await draftOf(good, again, goods)
    if (!isProblem(fresh)) {
      const cents = centsOf(checkout.amountMicroUsdc) ?? 0
      return {
        text: JSON.stringify(fresh),
        snapshotVersion: fresh.snapshotVersion,
        requestHash: isLate ? requestHashOf({ digest, sku, cents }, late.payload) : requestHash,
      }
    }
    if (isLate) return oncePaid(fresh)
  }
  if (draft === null) return null
  const opened = JSON.parse(draft) as Draft
  if (isOutdated(opened, clock.nowMs() - checkout.createdMs)) return null
  return { text: draft, snapshotVersion: opened.snapshotVersion, requestHash }
}

const AGAIN =
  'What was paid for it is kept; do not pay again. Send the same input once more after Retry-After, or a shorter one.'

/** A good that has no answer now says that nothing was charged: here its buyer has paid. */
const oncePaid = (refusal: Problem): Problem =>
  PROBLEMS[refusal.problem].status < 500 ? refusal : { ...refusal, extra: { ...refusal.extra, next: AGAIN } }
