import type { FeeTerms, Market } from '../../../ingest/contract/market.ts'

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

/**
 * Lets a market hold the texts of another one where they read the same, so that they are in memory once: they came from
 * two JSON texts. Nobody sees a difference.
 */
export function shareTexts(market: Market, other: Market): void {
  const share = <Key extends keyof Market>(key: Key) => {
    market[key] = other[key]
  }
  for (const key of TEXTS) if (market[key] === other[key]) share(key)
  if (market.tags.length === other.tags.length && market.tags.every((tag, at) => tag === other.tags[at]))
    share('tags')
  if (areSameFees(market.fees, other.fees)) share('fees')
}

const areSameFees = (x: FeeTerms | null, y: FeeTerms | null): boolean =>
  x !== null &&
  y !== null &&
  x.rate === y.rate &&
  x.exponent === y.exponent &&
  x.rounding === y.rounding &&
  x.flagged === y.flagged
