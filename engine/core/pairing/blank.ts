import type { Market } from '../../../ingest/contract/market.ts'
import { type Fingerprint, fingerprint } from './fingerprint.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Of a market whose texts cannot be read: it says nothing, and so is proposed to nobody. */
export function blankFingerprint(market: Market, vocabulary: Vocabulary): Fingerprint {
  const { venue, marketId, eventId } = market
  const said = {
    title: '',
    eventTitle: '',
    outcome: null,
    yesMeans: null,
    rules: '',
    slug: null,
    marketSlug: null,
  }
  const blank = fingerprint(
    { ...market, ...said, tags: [], strike: null, marketId: '', eventId: '' },
    vocabulary,
  )
  return { ...blank, venue, marketId, eventId, market }
}
