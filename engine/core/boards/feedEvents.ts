import { FEED_OPEN_MAX, FEED_TOPICS, type FeedEvent } from '../../contract/feed.ts'
import type { GapCard } from '../../contract/gapCards.ts'
import { suggestsTrade } from './suggestedAction.ts'

type Topic = FeedEvent['topic']

/** An event before the publication that gives it its version. */
export type News = Omit<FeedEvent, 'snapshotVersion'>

/** What decides whether a card is told; the card itself is made only when it is. */
type Sketch = Pick<GapCard, 'pairId' | 'gapCents' | 'edgeCents' | 'executable' | 'suggestedAction' | 'life'>

/** Each topic's open cards by pair, as they were last told. Plain data, never changed in place. */
export type Told = Readonly<Record<Topic, ReadonlyMap<string, GapCard>>>

export const NOTHING_TOLD: Told = { gaps: new Map(), edges: new Map() }

/** A smaller move is noise. */
export const TELLS_CENTS = 0.5

/** What a topic is about: when a card belongs to it, and which figure is watched. */
const WATCHED: Record<Topic, { isOpen(card: Sketch, told: boolean): boolean; cents(card: Sketch): number }> =
  {
    gaps: { isOpen: ({ life }) => life !== null, cents: ({ gapCents }) => gapCents },
    edges: {
      isOpen: (card, told) => suggestsTrade(card) || (told && card.edgeCents > 0),
      cents: ({ edgeCents }) => edgeCents,
    },
  }

/** Does a card that was not told open the topic? */
export const opens = (topic: Topic, card: Sketch): boolean => WATCHED[topic].isOpen(card, false)

/** All qualifying cards, and which of them have to be looked at. */
export type Cards<Card> = {
  moved: Iterable<string> //    pairs whose card may be another one, or none any more, since the last look
  get(pairId: string): Card | undefined
  /** The best that open the topic and are not told, best first: at least `max` of them, if there are so many. */
  waiting(topic: Topic, max: number): Iterable<Card>
  order(x: Card, y: Card): number // best first
}

/**
 * What is to be told now that these are all qualifying cards. Cards that are no longer open come first, so that folding
 * the events never holds more than FEED_OPEN_MAX cards of a topic; the others best first.
 */
export function feedEvents<Card extends Sketch>(
  told: Told,
  cards: Cards<Card>,
  { nowMs, cardOf }: { nowMs: number; cardOf(card: Card): GapCard },
): { told: Told; events: News[] } {
  const events: News[] = []
  for (const topic of FEED_TOPICS) {
    const tell = (kind: FeedEvent['kind'], card: GapCard) => events.push({ kind, topic, atMs: nowMs, card })
    const { isOpen } = WATCHED[topic]
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
      } else if (isNews(topic, before, card)) news.push({ kind: 'changed', card })
    }
    if (room > 0) {
      opening.push(...cards.waiting(topic, room))
      for (const card of opening.sort(cards.order).slice(0, room)) news.push({ kind: 'opened', card })
    }
    news.sort((x, y) => cards.order(x.card, y.card))
    for (const { kind, card } of news) tell(kind, cardOf(card))
  }
  return { told: events.length === 0 ? told : foldFeed(told, events), events }
}

/** What is open after some events: what a reader of the feed keeps. */
export function foldFeed(told: Told, events: Iterable<News>): Told {
  const next = { gaps: new Map(told.gaps), edges: new Map(told.edges) }
  for (const { kind, topic, card } of events) {
    if (kind === 'closed') next[topic].delete(card.pairId)
    else next[topic].set(card.pairId, card)
  }
  return next
}

/** The gap ended and opened again between two looks: two stories, not one. */
const isAnotherGap = (before: GapCard, card: Sketch): boolean =>
  before.life !== null && card.life !== null && before.life.openedMs !== card.life.openedMs

function isNews(topic: Topic, before: GapCard, card: Sketch): boolean {
  const { cents } = WATCHED[topic]
  const moved = Math.round(cents(card) * 100) - Math.round(cents(before) * 100)
  return (
    Math.abs(moved) >= TELLS_CENTS * 100 ||
    before.executable !== card.executable ||
    before.suggestedAction !== card.suggestedAction
  )
}
