import { FEED_TOPICS, type FeedEvent } from '../../engine/contract/feed.ts'
import type { Topic } from './frames.ts'

/** What is open under each topic: JSON text of the card by pair. */
export type OpenCards = Record<Topic, Map<string, string>>

export const nothingOpen = (): OpenCards => ({ gaps: new Map(), edges: new Map() })

/** Folds an event: adds opened, replaces changed, removes closed cards by pair. */
export function fold(
  open: OpenCards,
  { kind, topic, card }: Pick<FeedEvent, 'kind' | 'topic'> & { card: { pairId: string } },
): void {
  if (kind === 'closed') open[topic].delete(card.pairId)
  else open[topic].set(card.pairId, JSON.stringify(card))
}

/** JSON text `{"gaps":[…],"edges":[…]}` of the topics asked for, by pair: every process writes the same. */
export function openCardsJson(open: OpenCards, topics: readonly Topic[] = FEED_TOPICS): string {
  const parts = topics.map((topic) => {
    const cards = [...open[topic]].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, card]) => card)
    return `"${topic}":[${cards.join(',')}]`
  })
  return `{${parts.join(',')}}`
}
