import type { Market } from '../../../ingest/contract/market.ts'
import { cleanText } from '../pairing/fold.ts'
import { topicInEvent, topicOf } from '../topic.ts'

/*
 * Texts change rarely and boards ask for them at every publication: they are worked out once for each version of a
 * market. The memory goes with the market object.
 */
const topics = new WeakMap<Market, string>()
const titles = new WeakMap<Market, string>()

/** What a row is about. Of B as its legs show it: a row that says ":: Republican" or "Before 2030" tells nobody which market it is. */
export const topicOfMarket = (market: Market): string =>
  market.venue === 'a' ? remember(topics, market, topicOf) : titleOfMarket(market)

/** The title a leg shows. B's titles often name the event or the outcome only, so its topic stands for it, with the event where it is bare. */
export const titleOfMarket = (market: Market): string =>
  remember(titles, market, (of) => (of.venue === 'a' ? cleanText(of.title) : topicInEvent(of)))

function remember(known: WeakMap<Market, string>, market: Market, make: (market: Market) => string): string {
  const before = known.get(market)
  if (before !== undefined) return before
  const text = make(market)
  known.set(market, text)
  return text
}
