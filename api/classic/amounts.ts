import { randomInt } from 'node:crypto'
import { MICRO_PER_USDC } from '../../ops/units.ts'
import { isProblem, type Problem } from '../errors.ts'
import { GOODS } from '../goods/index.ts'
import type { AmountVerdict, WantedAmount } from '../ledger/intents.ts'
import { legacyTagSpan } from '../payment/intentId.ts'
import type { Rail, RailId } from '../rails/rail.ts'
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

/** What a price costs on each rail that can be quoted now, untagged. */
export async function quoteOnAll(
  rails: readonly Rail[],
  microUsdc: bigint,
): Promise<{ quotes: Quoted[]; problems: Map<RailId, Problem> }> {
  const problems = new Map<RailId, Problem>()
  const quotes: Quoted[] = []
  const answers = await Promise.allSettled(rails.map((rail) => rail.quote(microUsdc)))
  answers.forEach((answer, at) => {
    const { id: rail, receiverAddress, alternateReceivers } = rails[at]!
    const receivers = [receiverAddress, ...alternateReceivers]
    if (answer.status === 'rejected') problems.set(rail, { problem: 'rail_unavailable' })
    else if (isProblem(answer.value)) problems.set(rail, answer.value)
    else quotes.push({ rail, plain: answer.value.atomic, receivers, ...answer.value })
  })
  return { quotes, problems }
}

/** How many amounts a price can be asked in on a rail; some of them may be a legacy intent's. */
export function kindsOf(
  { rail, plain }: Pick<Quoted, 'rail' | 'plain'>,
  priceMicro: bigint,
  rails: readonly Rail[],
): number {
  const step = stepOn(rail, rails)
  const room = roomOf(plain, step, priceMicro) / step
  return Number(room < MAX_TAGS ? room : MAX_TAGS)
}

const stepOn = (rail: RailId, rails: readonly Rail[]): bigint =>
  rails.find(({ id }) => id === rail)?.tagStep || 1n

/**
 * The same quotes, each with a randomly drawn amount that only one open intent asks for; the ledger says when one is
 * taken. A rail whose price leaves no room for such an amount is left out.
 */
export const tagged = (quotes: readonly Quoted[], priceMicro: bigint, rails: readonly Rail[]): Quoted[] =>
  quotes.flatMap((quote) => {
    const atomic = drawn(quote, priceMicro, rails)
    return atomic === null ? [] : [{ ...quote, atomic }]
  })

/** One of the amounts that classic intents may ask for at this price; null: there is none. */
function drawn(quote: Quoted, priceMicro: bigint, rails: readonly Rail[]): bigint | null {
  const kinds = kindsOf(quote, priceMicro, rails)
  const step = stepOn(quote.rail, rails)
  const at = (tag: number): bigint => quote.plain - BigInt(tag) * step
  const isOwn = (atomic: bigint) => !isLegacyAmount(quote.rail, atomic) && !isRound({ ...quote, atomic })
  for (let tries = 0; kinds > 0 && tries < TRIES; tries++) {
    const atomic = at(randomInt(1, kinds + 1))
    if (isOwn(atomic)) return atomic
  }
  //  rare: most of the amounts are excluded
  const own = Array.from({ length: kinds }, (_, tag) => at(tag + 1)).filter(isOwn)
  return own.length === 0 ? null : own[randomInt(own.length)]!
}

/**
 * What to reserve in the ledger: an amount stays reserved until no earlier transfer can be taken for a later intent's.
 */
export const wantedOf = (
  quote: Quoted,
  priceMicro: bigint,
  graceUntilMs: number,
  rails: readonly Rail[],
): WantedAmount => ({
  amount: amountName(quote),
  untilMs: graceUntilMs + slackMs(quote.rail),
  kinds: kindsOf(quote, priceMicro, rails) - legacyKinds(quote, priceMicro, rails),
})

/** How many of a price's amounts are excluded because a legacy intent could ask for them. */
function legacyKinds(quote: Quoted, priceMicro: bigint, rails: readonly Rail[]): number {
  if (quote.rail !== 'usdc_base') return 0
  const lowest = quote.plain - BigInt(kindsOf(quote, priceMicro, rails)) * stepOn(quote.rail, rails)
  const spans = GOODS.map(({ priceMicroUsdc: price }) => ({ from: price - legacyTagSpan(price), to: price }))
  let [counted, below] = [0n, lowest - 1n] //  amounts up to `below` are counted
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
  quotes: readonly Quoted[],
  verdicts: readonly AmountVerdict[],
  priceMicro: bigint,
  rails: readonly Rail[],
  isLast: (rail: RailId) => boolean,
): Quoted[] =>
  quotes.flatMap((quote, at) => {
    if (verdicts[at] === 'free') return [quote]
    return verdicts[at] === 'share' || isLast(quote.rail) ? [] : tagged([quote], priceMicro, rails)
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
