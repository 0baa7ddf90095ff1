import { FEED_TOPICS, type FeedEvent } from '../../engine/contract/feed.ts'
import { MINUTE } from '../../ops/units.ts'
import { bandOf, GAP_BAND_CENTS } from '../free/bands.ts'
import type { LiveBoard, TickerEvent } from './liveBoard.ts'
import { plainText } from './plainText.ts'

/** An event is shown this long after it happened, market clock: feed tokens are sold for being early. */
export const TICKER_DELAY_MS = 5 * MINUTE
/** How long it then stays on the board. */
export const TICKER_SPAN_MS = 15 * MINUTE
export const TICKER_EVENTS = 16
const PER_MINUTE = 3 //          of each kind and topic; the others are counted

/** What the ticker needs of a feed event. */
export type Told = Pick<FeedEvent, 'kind' | 'topic' | 'atMs'> & {
  card: Pick<FeedEvent['card'], 'topic' | 'gapCents' | 'edgeCents'>
}

type Counts = LiveBoard['ticker']['counts']
type Kept = { atMs: number; event: TickerEvent }
/** Minute (market clock, Unix ms) → how many events of each kind, and the first few. */
export type Ticker = Map<number, { counts: Counts; kept: Kept[] }>

export const MINUTES_MAX = (TICKER_DELAY_MS + TICKER_SPAN_MS) / MINUTE + 2
export const KEPT_MAX = PER_MINUTE * 3 * FEED_TOPICS.length

/**
 * Takes an event in, in place. Bound: MINUTES_MAX minutes, the newest, of KEPT_MAX events each, whatever the feed does.
 */
export function noteEvent(ticker: Ticker, { kind, topic, atMs, card }: Told): void {
  const minuteMs = Math.floor(atMs / MINUTE) * MINUTE
  const minute = ticker.get(minuteMs) ?? { counts: { opened: 0, changed: 0, closed: 0 }, kept: [] }
  ticker.set(minuteMs, minute)
  minute.counts[kind]++
  const alike = minute.kept.filter(({ event }) => event.kind === kind && event.about === topic)
  if (alike.length < PER_MINUTE)
    minute.kept.push({
      atMs,
      event: {
        kind,
        at: new Date(atMs).toISOString(),
        about: topic,
        topic: plainText(card.topic),
        band: bandOf(topic === 'edges' ? card.edgeCents : card.gapCents, GAP_BAND_CENTS),
      },
    })
  if (ticker.size > MINUTES_MAX) ticker.delete(Math.min(...ticker.keys()))
}

/** What may be shown now. Minutes too old to be shown ever again are forgotten, in place. */
export function showTicker(ticker: Ticker, nowMs: number): LiveBoard['ticker'] {
  const newestMs = nowMs - TICKER_DELAY_MS
  const oldestMs = newestMs - TICKER_SPAN_MS
  const counts: Counts = { opened: 0, changed: 0, closed: 0 }
  const shown: Kept[] = []
  for (const [minuteMs, minute] of ticker) {
    //  a clock that was set back leaves minutes from the future, which would push out those of now
    if (minuteMs < oldestMs || minuteMs > nowMs + MINUTE) ticker.delete(minuteMs)
    //  whole minutes only: a count must not grow by events that are not old enough
    else if (minuteMs + MINUTE <= newestMs) {
      for (const kind of ['opened', 'changed', 'closed'] as const) counts[kind] += minute.counts[kind]
      shown.push(...minute.kept)
    }
  }
  shown.sort((x, y) => y.atMs - x.atMs)
  return {
    delayMs: TICKER_DELAY_MS,
    spanMs: TICKER_SPAN_MS,
    counts,
    events: shown.slice(0, TICKER_EVENTS).map(({ event }) => event),
  }
}
