import { randomInt } from 'node:crypto'
import { MICRO_PER_USDC } from '../../ops/units.ts'
import { isProblem, type Problem } from '../errors.ts'
import { GOODS } from '../goods/index.ts'
import type { AmountVerdict, WantedAmount } from '../ledger/intents.ts'
import { legacyTagSpan } from '../payment/intentId.ts'
import type { Rail, RailId } from '../rails/rail.ts'
import { RAIL_SPECS } from '../rails/records.ts'
import { isRound, slackMs } from './attribute.ts'
import type { Quoted } from './intent.ts'

/** Amounts that one price can be asked in on one rail: enough for everybody who may have an intent open. */
const MAX_TAGS = 20_000n
/** Fewer than these are soon all reserved, and two hundred steps are less than what sending a dear coin costs. */
const FEW_TAGS = 200n
/**
 * The tag is taken off the price, so that nobody pays more than advertised: at most a fifth of it; of a dollar and more
 * a fiftieth, if that leaves enough amounts. A buyer may open twenty intents and pay the cheapest: a fifth off credit
 * would be a fifth off everything.
 */
function roomOf(plain: bigint, step: bigint, priceMicro: bigint): bigint {
  const [fifth, fiftieth, few] = [plain / 5n, plain / 50n, FEW_TAGS * step]
  if (priceMicro < MICRO_PER_USDC || fifth < few) return fifth
  return fiftieth < few ? few : fiftieth
}
const TRIES = 16

/** A price on one rail: its quote, and how many amounts it can be asked in there; some may be a legacy intent's. */
export type Priced = { quote: Quoted; kinds: number }

/** What a price costs on each rail that can be quoted now, untagged. */
export async function priceOnAll(
  rails: readonly Rail[],
  priceMicro: bigint,
): Promise<{ priced: Priced[]; problems: Map<RailId, Problem> }> {
  const problems = new Map<RailId, Problem>()
  const priced: Priced[] = []
  const answers = await Promise.allSettled(rails.map((rail) => rail.quote(priceMicro)))
  answers.forEach((answer, at) => {
    const { id: rail, receiverAddress, alternateReceivers } = rails[at]!
    const receivers = [receiverAddress, ...alternateReceivers]
    if (answer.status === 'rejected') problems.set(rail, { problem: 'rail_unavailable' })
    else if (isProblem(answer.value)) problems.set(rail, answer.value)
    else priced.push(pricedAt(priceMicro, { rail, plain: answer.value.atomic, receivers, ...answer.value }))
  })
  return { priced, problems }
}

export function pricedAt(priceMicro: bigint, quote: Quoted): Priced {
  const step = stepOn(quote.rail)
  const room = roomOf(quote.plain, step, priceMicro) / step
  return { quote, kinds: Number(room < MAX_TAGS ? room : MAX_TAGS) }
}

const stepOn = (rail: RailId): bigint => RAIL_SPECS[rail].tagStep

/** @param tag 1 to `kinds`. */
const amountAt = ({ rail, plain }: Quoted, tag: number): bigint => plain - BigInt(tag) * stepOn(rail)

/**
 * The same quotes, each with a randomly drawn amount that only one open intent asks for; the ledger says when one is
 * taken. A rail whose price leaves no room for such an amount is left out.
 */
export const tagged = (all: readonly Priced[]): Priced[] =>
  all.flatMap((priced) => {
    const atomic = drawn(priced)
    return atomic === null ? [] : [{ ...priced, quote: { ...priced.quote, atomic } }]
  })

/** One of the amounts that classic intents may ask for at this price; null: there is none. */
function drawn({ quote, kinds }: Priced): bigint | null {
  const isOwn = (atomic: bigint) => !isLegacyAmount(quote.rail, atomic) && !isRound({ ...quote, atomic })
  for (let tries = 0; kinds > 0 && tries < TRIES; tries++) {
    const atomic = amountAt(quote, randomInt(1, kinds + 1))
    if (isOwn(atomic)) return atomic
  }
  //  rare: most of the amounts are excluded
  const own = Array.from({ length: kinds }, (_, tag) => amountAt(quote, tag + 1)).filter(isOwn)
  return own.length === 0 ? null : own[randomInt(own.length)]!
}

/**
 * What to reserve in the ledger: an amount stays reserved until no earlier transfer can be taken for a later intent's.
 */
export const wantedOf = (priced: Priced, graceUntilMs: number): WantedAmount => ({
  amount: amountName(priced.quote),
  untilMs: graceUntilMs + slackMs(priced.quote.rail),
  kinds: priced.kinds - legacyKinds(priced),
})

/** How many of a price's amounts are excluded because a legacy intent could ask for them. */
function legacyKinds({ quote, kinds }: Priced): number {
  if (quote.rail !== 'usdc_base') return 0
  const spans = GOODS.map(({ priceMicroUsdc: price }) => ({ from: price - legacyTagSpan(price), to: price }))
  let [counted, below] = [0n, amountAt(quote, kinds) - 1n] //  amounts up to `below` are counted
  for (const { from, to } of spans.sort((a, b) => Number(a.from - b.from))) {
    const top = to < quote.plain ? to : quote.plain - 1n
    const bottom = from > below ? from : below
    if (top <= bottom) continue
    counted += top - bottom
    below = top
  }
  return Number(counted)
}

/**
 * Redraws the quotes whose amount the ledger refused. A rail where this address has used up its share is left out, and
 * with `isLast` also one whose amounts are nearly all taken: scarcity on one rail must not block the others.
 */
export const redrawn = (
  all: readonly Priced[],
  verdicts: readonly AmountVerdict[],
  isLast: (rail: RailId) => boolean,
): Priced[] =>
  all.flatMap((priced, at) => {
    if (verdicts[at] === 'free') return [priced]
    return verdicts[at] === 'share' || isLast(priced.quote.rail) ? [] : tagged([priced])
  })

/** The name under which the ledger reserves an amount. */
export const amountName = ({ rail, atomic }: Pick<Quoted, 'rail' | 'atomic'>): string => `${rail}:${atomic}`

/**
 * Legacy intents (spec 5.2) are not stored, so their amounts cannot be reserved: a classic intent never asks for an
 * amount that a legacy one could ask for.
 */
export const isLegacyAmount = (rail: RailId, atomic: bigint): boolean =>
  rail === 'usdc_base' &&
  GOODS.some(
    ({ priceMicroUsdc }) =>
      atomic <= priceMicroUsdc && atomic > priceMicroUsdc - legacyTagSpan(priceMicroUsdc),
  )
