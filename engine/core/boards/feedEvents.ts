import { FEED_OPEN_MAX, FEED_TOPICS, type FeedEvent } from '../../contract/feed.ts'
import type { GapCard } from '../../contract/gapCards.ts'
import { suggestsTrade } from './suggestedAction.ts'

type Topic = FeedEvent['topic']

/** An event before the publication that gives it its version. */
export type News = Omit<FeedEvent, 'snapshotVersion'>

/** What decides whether a card is told; the card itself is made only when it is. */
type Sketch = Pick<
  GapCard,
  'pairId' | 'cardId' | 'gapCents' | 'edgeCents' | 'executable' | 'suggestedAction' | 'life'
>

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

/**
 * What is to be told now that these are all qualifying cards, best first. Cards that are no longer open come first,
 * so that folding the events never holds more than FEED_OPEN_MAX cards of a topic.
 */
export function feedEvents<Card extends Sketch>(
  told: Told,
  cards: readonly Card[],
  { nowMs, cardOf }: { nowMs: number; cardOf(card: Card): GapCard },
): { told: Told; events: News[] } {
  const byPair = new Map(cards.map((card) => [card.pairId, card]))
  const events: News[] = []
  for (const topic of FEED_TOPICS) {
    const tell = (kind: FeedEvent['kind'], card: GapCard) => events.push({ kind, topic, atMs: nowMs, card })
    const { isOpen } = WATCHED[topic]
    const open = new Map(told[topic])
    for (const [pairId, before] of told[topic]) {
      const card = byPair.get(pairId)
      if (card !== undefined && isOpen(card, true) && !isAnotherGap(before, card)) continue
      open.delete(pairId)
      tell('closed', before)
    }
    let room = FEED_OPEN_MAX - open.size
    for (const card of cards) {
      const before = open.get(card.pairId)
      if (before !== undefined) {
        if (isNews(topic, before, card)) tell('changed', cardOf(card))
      } else if (room > 0 && isOpen(card, false)) {
        room--
        tell('opened', cardOf(card))
      }
    }
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
  before.life !== null && card.life !== null && before.cardId !== card.cardId

function isNews(topic: Topic, before: GapCard, card: Sketch): boolean {
  const { cents } = WATCHED[topic]
  const moved = Math.round(cents(card) * 100) - Math.round(cents(before) * 100)
  return (
    Math.abs(moved) >= TELLS_CENTS * 100 ||
    before.executable !== card.executable ||
    before.suggestedAction !== card.suggestedAction
  )
}
