import { randomInt } from 'node:crypto'
import { isProblem, type Problem } from '../errors.ts'
import { GOODS } from '../goods/index.ts'
import { legacyTagSpan } from '../payment/intentId.ts'
import type { Rail, RailId } from '../rails/rail.ts'
import type { Quoted } from './intent.ts'

/** Amounts that one price can be asked in on one rail: enough for everybody who may have an intent open. */
const MAX_TAGS = 20_000n
/** The tag is taken off the price, so that nobody pays more than advertised: at most a fifth of it. */
const MAX_SHARE = 5n
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
    const rail = rails[at]!.id
    if (answer.status === 'rejected') problems.set(rail, { problem: 'rail_unavailable' })
    else if (isProblem(answer.value)) problems.set(rail, answer.value)
    else quotes.push({ rail, plain: answer.value.atomic, ...answer.value })
  })
  return { quotes, problems }
}

/**
 * The same quotes with an amount each that only one open intent asks for, drawn at random; the ledger says when one is taken. A
 * rail where the amount leaves no room is left out.
 */
export function tagged(quotes: readonly Quoted[], rails: readonly Rail[]): Quoted[] {
  return quotes.flatMap((quote) => {
    const step = rails.find(({ id }) => id === quote.rail)?.tagStep || 1n
    const room = quote.atomic / MAX_SHARE / step
    const tags = room < MAX_TAGS ? room : MAX_TAGS
    if (tags < 1n) return []
    for (let tries = 0; tries < TRIES; tries++) {
      const atomic = quote.atomic - BigInt(randomInt(1, Number(tags) + 1)) * step
      if (!isLegacyAmount(quote.rail, atomic)) return [{ ...quote, atomic }]
    }
    return []
  })
}

/** The name under which the ledger reserves an amount. */
export const amountName = ({ rail, atomic }: Pick<Quoted, 'rail' | 'atomic'>): string => `${rail}:${atomic}`

/**
 * Legacy intents (spec 5.2) are stored nowhere, so what they ask for cannot be reserved: a classic intent never asks for an
 * amount that a legacy one could.
 */
export const isLegacyAmount = (rail: RailId, atomic: bigint): boolean =>
  rail === 'usdc_base' &&
  GOODS.some(
    ({ priceMicroUsdc }) =>
      atomic <= priceMicroUsdc && atomic > priceMicroUsdc - legacyTagSpan(priceMicroUsdc),
  )
