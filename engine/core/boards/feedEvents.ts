import {
  FEED_OPEN_MAX,
  FEED_TOPICS,
  type FeedCard,
  type FeedEvent,
  TELLS_CENTS,
} from '../../contract/feed.ts'
import type { GapCard, GapLife } from '../../contract/gapCards.ts'
import { suggestsTrade } from './suggestedAction.ts'

type Topic = FeedEvent['topic']

/** An event before its publication assigns it a snapshot version. */
export type News = Omit<FeedEvent, 'snapshotVersion'>

/** What decides whether a card is announced; the card itself is made only when it is. */
export type Sketch = Pick<
  GapCard,
  | 'pairId'
  | 'verdict'
  | 'gapCents'
  | 'netCents'
  | 'edgeCents'
  | 'buyVenue'
  | 'buyBps'
  | 'sellBps'
  | 'bySize'
  | 'executable'
  | 'riskFlags'
  | 'suggestedAction'
> & { life: Pick<GapLife, 'openedMs'> | null }

/** Each topic's open cards by pair, as they were last announced. */
export type Told = Readonly<Record<Topic, ReadonlyMap<string, FeedCard>>>

export const NOTHING_TOLD: Told = { gaps: new Map(), edges: new Map() }

/** When a card belongs to a topic. */
const IS_OPEN: Record<Topic, (card: Sketch, told: boolean) => boolean> = {
  gaps: ({ life }) => life !== null,
  edges: (card, told) => suggestsTrade(card) || (told && card.edgeCents > 0),
}

/** Does a card that has not been announced open the topic? */
export const opens = (topic: Topic, card: Sketch): boolean => IS_OPEN[topic](card, false)

/** All qualifying cards, and which of them have to be looked at. */
export type Cards<Card> = {
  moved: Iterable<string> //    pairs whose card may have changed or gone since the last look
  get(pairId: string): Card | undefined
  /**
   * The best cards that open the topic and are not announced yet, best first: at least `max` of them if there are that
   * many.
   */
  waiting(topic: Topic, max: number): Iterable<Card>
  order(x: Card, y: Card): number // best first
}

/**
 * The events to announce, given that these are all qualifying cards. Cards that are no longer open come first, so that
 * folding the events never holds more than FEED_OPEN_MAX cards of a topic; the rest follow, best first.
 */
export function feedEvents<Card extends Sketch>(
  told: Told,
  cards: Cards<Card>,
  { nowMs, cardOf }: { nowMs: number; cardOf(card: Card): GapCard },
): News[] {
  const events: News[] = []
  for (const topic of FEED_TOPICS) {
    const tell = (kind: FeedEvent['kind'], card: FeedCard) => events.push({ kind, topic, atMs: nowMs, card })
    const isOpen = IS_OPEN[topic]
    const news: { kind: 'opened' | 'changed'; card: Card }[] = []
    const opening: Card[] = []
    let room = FEED_OPEN_MAX - told[topic].size
    for (const pairId of cards.moved) {
      const before = told[topic].get(pairId)
      if (before === undefined) continue
      const card = cards.get(pairId)
      if (card === undefined || !isOpen(card, true) || isAnotherGap(before, card)) {
        tell('closed', before)
        room++
        if (card !== undefined && opens(topic, card)) opening.push(card)
      } else if (isNews(before, card)) news.push({ kind: 'changed', card })
    }
    if (room > 0) {
      opening.push(...cards.waiting(topic, room))
      for (const card of opening.sort(cards.order).slice(0, room)) news.push({ kind: 'opened', card })
    }
    news.sort((x, y) => cards.order(x.card, y.card))
    for (const { kind, card } of news) tell(kind, { ...cardOf(card), schema: 'feedCard.v1', toldMs: nowMs })
  }
  return events
}

/** What is open after some events: what a reader of the feed keeps. */
export class FeedFold implements Told {
  readonly gaps: Map<string, FeedCard>
  readonly edges: Map<string, FeedCard>

  /** @param told is not changed. */
  constructor(told: Told) {
    this.gaps = new Map(told.gaps)
    this.edges = new Map(told.edges)
  }

  take(events: Iterable<News>): void {
    for (const { kind, topic, card } of events) {
      if (kind === 'closed') this[topic].delete(card.pairId)
      else this[topic].set(card.pairId, card)
    }
  }
}

/** The gap ended and opened again between two looks, or the pair was turned round: two stories, not one. */
const isAnotherGap = (before: Sketch, card: Sketch): boolean =>
  before.verdict !== card.verdict ||
  (before.life !== null && card.life !== null && before.life.openedMs !== card.life.openedMs)

/** The rule in words: FEED_RULES.changed. */
function isNews(before: Sketch, card: Sketch): boolean {
  const known = figuresBps(before)
  const moved = figuresBps(card).some((bps, at) => Math.abs(bps - known[at]!) >= TELLS_CENTS * 100)
  return moved || advice(before) !== advice(card)
}

const figuresBps = ({ gapCents, netCents, edgeCents, buyBps, sellBps }: Sketch): number[] => [
  Math.round(gapCents * 100),
  Math.round(netCents * 100),
  Math.round(edgeCents * 100),
  buyBps,
  sellBps,
]

/** Everything a card says without figures, and the sizes at which the books pay. */
const advice = ({ executable, suggestedAction, buyVenue, riskFlags, bySize }: Sketch): string => {
  const paying = (bySize ?? []).filter(({ filled, profitUsd }) => filled && profitUsd > 0)
  return [executable, suggestedAction, buyVenue, ...riskFlags, ...paying.map(({ usd }) => usd)].join()
}
