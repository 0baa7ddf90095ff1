import type { FeeTerms, Market } from '../../../ingest/contract/market.ts'
import { Memo } from '../../../ops/memo.ts'

/** Texts that markets of one event often have in common. */
const TEXTS = [
  'eventId',
  'seriesId',
  'eventTitle',
  'title',
  'rules',
  'category',
  'slug',
  'url',
  'yesMeans',
  'noMeans',
] as const

const KNOWN_BOUND = 20_000
const tagLists = new Memo<string[]>(KNOWN_BOUND)
const feeTerms = new Memo<FeeTerms>(KNOWN_BOUND)

/**
 * Lets a market share the texts of another market of its event where they are equal, and tags and fees with any market
 * that has equal ones, so that each is in memory once: parsing two JSON texts makes two copies. Makes no visible
 * difference: the market's own slug is read only where the event has none.
 */
export function shareTexts(market: Market, other: Market | null): void {
  const share = <Key extends keyof Market>(key: Key) => {
    if (other !== null && market[key] === other[key]) market[key] = other[key]
  }
  for (const key of TEXTS) share(key)
  if (market.slug !== null) market.marketSlug = null
  const { tags, fees } = market
  market.tags =
    other !== null && areSame(tags, other.tags) ? other.tags : tagLists.of(JSON.stringify(tags), () => tags)
  if (fees !== null) market.fees = feeTerms.of(feesKey(fees), () => fees)
}

const areSame = (x: readonly string[], y: readonly string[]): boolean =>
  x.length === y.length && x.every((tag, at) => tag === y[at])

const feesKey = ({ rate, exponent, rounding, flagged }: FeeTerms): string =>
  `${rate} ${exponent} ${rounding} ${flagged}`
