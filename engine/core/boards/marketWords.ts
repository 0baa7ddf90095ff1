import type { Market } from '../../../ingest/contract/market.ts'
import { cleanText } from '../pairing/fold.ts'
import { topicInEvent, topicOf } from '../topic.ts'

/*
 * Texts change rarely and boards ask for them at every publication, so they are worked out once for each version of a
 * market. The cache entry lives as long as the market object.
 */
const topics = new WeakMap<Market, string>()
const titles = new WeakMap<Market, string>()

/**
 * What a row is about. For B the title its legs show: a row that says ":: Republican" or "Before 2030" does not tell
 * which market it is.
 */
export const topicOfMarket = (market: Market): string =>
  market.venue === 'a' ? remember(topics, market, topicOf) : titleOfMarket(market)

/**
 * The title a leg shows. B's titles often name only the event or the outcome, so B shows its topic, preceded by the
 * event where the topic alone is bare.
 */
export const titleOfMarket = (market: Market): string =>
  remember(titles, market, (of) => (of.venue === 'a' ? cleanText(of.title) : topicInEvent(of)))

function remember(known: WeakMap<Market, string>, market: Market, make: (market: Market) => string): string {
  const before = known.get(market)
  if (before !== undefined) return before
  const text = make(market)
  known.set(market, text)
  return text
}
