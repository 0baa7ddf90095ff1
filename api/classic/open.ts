import type { z } from 'zod'
import { UnavailableError } from '../../ops/errors.ts'
import { formatUsdc, MINUTE } from '../../ops/units.ts'
import { buyerDigest, isWallet } from '../entitlements/credit.ts'
import { isProblem, type Problem } from '../errors.ts'
import { neighbourhood, site } from '../http/rateLimit.ts'
import type { Hold, HoldFor } from '../ledger/credits.ts'
import { priceOnAll, redrawn, tagged, wantedOf } from './amounts.ts'
import { encodeIntent, type Intent, isOver } from './intent.ts'
import type { Item } from './item.ts'
import { type Read, readIntent } from './money.ts'
import { freshOperation, namesOf } from './order.ts'
import type { ClassicPorts } from './ports.ts'
import { type Prepared, prepare } from './prepare.ts'
import type { Asked } from './request.ts'
import type { PurchaseRequest } from './shapes.ts'

export const INTENT_MS = 15 * MINUTE
/** Money in a block by then still buys: transfers take time. Amounts stay reserved that long. */
export const GRACE_MS = 30 * MINUTE
const TAG_TRIES = 16
/** An earlier intent is found, is over, another takes its place: three attempts, and some for concurrent requests. */
const OPEN_TRIES = 8
/** After this many attempts the intent goes without a rail that its buyer did not choose. */
const OTHER_RAIL_TRIES = 4
const SHARE =
  'Too many purchases near this price from this address are waiting for their money on this rail. Pay one, or choose another paymentRail.'

type Names = ReturnType<typeof namesOf>
export type Opened = Names & { intent: Intent }
type Purchase = Asked<z.output<typeof PurchaseRequest>>

const isFree = (intent: Intent): boolean => intent.payableMicro === 0n

/** What one attempt came to, or the operation of the next. */
type Attempt = Opened | Problem | { nextOperation: string }

/**
 * Opens an intent: input checked, answer composed (`prepare`), credit held, amounts reserved (`openAnew`); in this
 * order, so that a refusal leaves nothing behind. A request that was made before, with this key or without getting an
 * answer, gets the intent it opened then (I4, CRD-02), whether or not it could be answered now.
 */
export async function openIntent(
  asked: Purchase,
  item: Item,
  ports: ClassicPorts,
): Promise<Opened | Problem> {
  const prepared = await prepare(asked, item, ports)
  if (isProblem(prepared)) return prepared
  let { operation } = prepared.order
  for (let tries = 0; tries < OPEN_TRIES; tries++) {
    const names = namesOf(ports.answers.secret, operation)
    const nowMs = ports.clock.nowMs()
    const known = prepared.order.isNamed || tries > 0 ? await readIntent(names.name, ports) : null
    const refused = refuseKnown(prepared, known)
    if (refused !== null) return refused
    const attempt =
      known === null
        ? await openAnew(asked, prepared, { ...prepared.order, operation }, names, nowMs, ports)
        : await goOn(prepared, known, names, nowMs, ports)
    if (!('nextOperation' in attempt)) return attempt
    operation = attempt.nextOperation
  }
  return { problem: 'busy', retryAfterS: 1 }
}

/** @param known what has this name already. */
function refuseKnown({ order, isFrozen }: Prepared, known: Read | null): Problem | null {
  if (known !== null && known.intent.question !== order.asks) return { problem: 'bound_elsewhere' }
  const isPaid = known !== null && known.intent.confirmedMs !== null
  return isFrozen && !isPaid ? { problem: 'credit_frozen' } : null
}

/** The intent that the same request opened, unless it has become useless: then another takes its place. */
async function goOn(
  { order, holder }: Prepared,
  { intent }: Read,
  names: Names,
  nowMs: number,
  { credits }: ClassicPorts,
): Promise<Attempt> {
  if (order.isNamed || !isUseless(intent, nowMs)) return { ...names, intent }
  //  no answer ever named it: its credit goes to the one opened now
  if (holder !== null) await credits.endHold(names.name, holder.account, 'released')
  return { nextOperation: freshOperation() }
}

async function openAnew(
  asked: Purchase,
  { input, referral, holder, saleBuyer, refusal, priceMicro, isPack }: Prepared,
  order: HoldFor,
  names: Names,
  nowMs: number,
  ports: ClassicPorts,
): Promise<Attempt> {
  const { credits, answers } = ports
  const wanted = refusal === null ? priceMicro : 0n //  holds nothing, and still finds what the same request opened
  const held: Hold =
    holder === null || isPack || priceMicro === 0n // credit is not bought with credit (CRD-10)
      ? { outcome: 'held', micro: 0n }
      : await credits.hold(names.name, wanted, holder, graceOf(nowMs), order)
  if (held.outcome === 'bound') return { problem: 'bound_elsewhere' }
  if (held.outcome === 'open') return { nextOperation: held.operation }
  if (refusal !== null) return refusal
  const heldMicro = held.outcome === 'held' ? held.micro : 0n
  const intent: Intent = {
    ...newIntent(asked, priceMicro, heldMicro, nowMs, answers.secret),
    question: order.asks,
    input,
    hold: holder === null || heldMicro === 0n ? null : { ...holder, micro: heldMicro },
    creditTo: holder,
    saleBuyer,
    referral,
  }
  const stored = await reserve(names.name, intent, ports).catch(fullOrThrow)
  if (isProblem(stored) && intent.hold !== null && (await readIntent(names.name, ports)) === null)
    await credits.endHold(names.name, intent.hold.account, 'released')
  const outcome = isProblem(stored) ? stored : { ...names, intent: stored }
  return holder === null ? outcome : ((await openedMeanwhile(order, names, nowMs, ports)) ?? outcome)
}

/**
 * What the same request opened under this name meanwhile. Of two such requests one may be refused and the other opened:
 * what the one released is held for the other again. If it has gone into another purchase meanwhile, that one, or a new
 * one, takes the place of this, unless the buyer has named it.
 */
async function openedMeanwhile(
  order: HoldFor,
  names: Names,
  nowMs: number,
  ports: ClassicPorts,
): Promise<Attempt | null> {
  const first = await readIntent(names.name, ports)
  if (first === null) return null
  const { intent } = first
  if (intent.question !== order.asks) return { problem: 'bound_elsewhere' }
  if (intent.hold === null || isOver(intent)) return { ...names, intent }
  const { micro, account } = intent.hold
  const held = await ports.credits.hold(names.name, micro, intent.hold, graceOf(nowMs), order)
  if (order.isNamed || (held.outcome === 'held' && held.micro >= micro)) return { ...names, intent }
  if (held.outcome === 'open') return { nextOperation: held.operation }
  await ports.credits.endHold(names.name, account, 'released')
  return { nextOperation: freshOperation() }
}

/** Whether an intent that no answer ever named is useless to a repetition of its request. */
const isUseless = (intent: Intent, nowMs: number): boolean =>
  isOver(intent) || (intent.state === 'New' && intent.expiresMs <= nowMs)

const graceOf = (nowMs: number): number => nowMs + INTENT_MS + GRACE_MS

/** Credit may have been held at an earlier, higher price: the purchase then costs no less. */
function newIntent(
  { body, buyer, address }: Purchase,
  price: bigint,
  heldMicro: bigint,
  nowMs: number,
  secret: Buffer,
) {
  const near = neighbourhood(address)
  const isCovered = heldMicro >= price
  return {
    state: isCovered ? ('Confirmed' as const) : ('New' as const),
    sku: body.sku,
    buyerDigest: buyerDigest(secret, buyer),
    buyerIsWallet: isWallet(buyer),
    opener: buyerDigest(secret, `opener|${buyer}|${near}`),
    place: buyerDigest(secret, `place|${near}`),
    site: buyerDigest(secret, `site|${site(address)}`),
    rail: body.paymentRail,
    priceMicro: isCovered ? heldMicro : price,
    payableMicro: isCovered ? 0n : price - heldMicro,
    quotes: [],
    createdMs: nowMs,
    expiresMs: nowMs + INTENT_MS,
    graceUntilMs: graceOf(nowMs),
    seen: null,
    transfers: [],
    notes: [],
    confirmedMs: isCovered ? nowMs : null,
    claimed: false,
    failedMs: null,
    suspendedMs: null,
  }
}

/**
 * If the ledger filled up after the hold, nothing of the intent was written.
 * @throws other errors: it may have been written.
 */
function fullOrThrow(error: unknown): Problem {
  if (error instanceof UnavailableError && error.code === 'ledger_full') return { problem: error.code }
  throw error
}

/** Stores the intent with amounts of its own; they are drawn again while one of them is taken. */
async function reserve(
  name: string,
  intent: Intent,
  { rails, intents }: ClassicPorts,
): Promise<Intent | Problem> {
  const { priced, problems } = await priceOnAll(isFree(intent) ? [] : rails, intent.payableMicro)
  const problem = problems.get(intent.rail)
  if (problem !== undefined) return forRest(problem, intent)
  let drawn = tagged(priced)
  for (let tries = 1; tries <= TAG_TRIES; tries++) {
    const chosen = drawn.findIndex(({ quote }) => quote.rail === intent.rail)
    if (!isFree(intent) && chosen < 0) return forRest({ problem: 'amount_too_small' }, intent)
    const own: Intent = { ...intent, quotes: drawn.map(({ quote }) => quote) }
    const outcome = await intents.open(name, encodeIntent(own), {
      graceUntilMs: own.graceUntilMs,
      buyer: own.opener,
      place: own.place,
      site: own.site,
      price: own.payableMicro,
      amounts: drawn.map((one) => wantedOf(one, own.graceUntilMs)),
    })
    if (outcome === 'opened') return own
    if (outcome === 'full') return { problem: 'busy', retryAfterS: 60 }
    if (outcome === 'too_many') return { problem: 'too_many_intents', retryAfterS: 60 }
    if (outcome[chosen] === 'share') return { problem: 'too_many_intents', retryAfterS: 60, detail: SHARE }
    drawn = redrawn(drawn, outcome, (rail) => rail !== intent.rail && tries >= OTHER_RAIL_TRIES)
  }
  return { problem: 'busy', retryAfterS: 10, detail: 'All amounts near this price are reserved now.' }
}

/** Where credit leaves less than can be asked for, another rail may not help: the whole price can still be paid. */
function forRest(refusal: Problem, { hold, payableMicro }: Intent): Problem {
  if (refusal.problem !== 'amount_too_small' || hold === null) return refusal
  const rest = `Store credit pays all but ${formatUsdc(payableMicro)} USDC, which is too little to ask for on this rail.`
  const next =
    'Leave out creditSpendAuth and pay the whole price, or choose another rail; nothing was charged.'
  return { ...refusal, detail: [rest, refusal.detail].filter(Boolean).join(' '), extra: { next } }
}
