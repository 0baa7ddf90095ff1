import { z } from 'zod'
import { counted } from '../counted.ts'
import { table } from './table.ts'
import { isoTime, type Paint, printable } from './terminal.ts'

/** The fields of a feed message that a line shows; --json has the rest. */
const Message = z.looseObject({
  kind: z.string(),
  id: z.string().optional(),
  topic: z.string().optional(),
  atMs: z.number().optional(),
  card: z
    .looseObject({
      topic: z.string().optional(),
      gapCents: z.number().optional(),
      edgeCents: z.number().optional(),
      suggestedAction: z.string().optional(),
    })
    .optional(),
  openCards: z.unknown().optional(),
  stale: z.boolean().optional(),
  staleVenues: z.array(z.string()).optional(),
  reason: z.string().optional(),
  next: z.string().optional(),
})
type Message = z.infer<typeof Message>

const KIND_WIDTH = 9
const COLOUR = {
  opened: 'green',
  closed: 'dim',
  gap: 'yellow',
  slow: 'yellow',
  expired: 'red',
  revoked: 'red',
} as const

/** One message of the alpha feed as one line. */
export function feedLine(data: unknown, { paint, columns }: { paint: Paint; columns: number }): string {
  const message = Message.safeParse(data)
  if (!message.success) return printable(JSON.stringify(data) ?? '').slice(0, columns)
  const { kind, id } = message.data
  const colour = COLOUR[kind as keyof typeof COLOUR]
  const head = printable(kind).padEnd(KIND_WIDTH)
  const words = printable(wordsOf(message.data)).replaceAll(/\s+/g, ' ')
  const tail = id === undefined ? '' : `  ${printable(id)}`
  const room = columns - head.length - 1 - tail.length
  const cut = words.length > room ? `${words.slice(0, room - 1)}…` : words
  return `${colour === undefined ? head : paint(colour, head)} ${cut}${paint('dim', tail)}`
}

function wordsOf({ topic, atMs, card, openCards, stale, staleVenues, reason, next }: Message): string {
  if (card !== undefined) {
    const { gapCents, edgeCents, suggestedAction } = card
    const time = atMs === undefined ? '' : `${isoTime(atMs).slice(11, 19)} `
    const cents = `gap ${gapCents ?? '?'}c edge ${edgeCents ?? '?'}c ${suggestedAction ?? ''}`
    return `${time}${topic ?? ''} ${cents} · ${card.topic ?? ''}`
  }
  if (openCards !== undefined) return cardsOpen(countOf(openCards))
  if (stale !== undefined)
    return stale ? `data of venue ${staleVenues?.join(', ')} is old; nothing is told` : 'data is fresh'
  if (reason !== undefined) return `events were missed for good: ${reason}; a snapshot follows`
  return next ?? ''
}

const cardsOpen = (count: number): string => `${counted(count, 'card')} open`

/** Open cards come as a list, or as lists by topic. */
function countOf(openCards: unknown): number {
  if (Array.isArray(openCards)) return openCards.length
  if (typeof openCards !== 'object' || openCards === null) return 0
  return Object.values(openCards).reduce((sum: number, each) => sum + countOf(each), 0)
}

const Card = z.looseObject({
  topic: z.string(),
  gapCents: z.number(),
  edgeCents: z.number().optional(),
  suggestedAction: z.string().optional(),
})

/** The answer to one poll of the feed. */
export const FeedAnswer = z.looseObject({
  lastEventId: z.string().nullable(),
  openCards: z.record(z.string(), z.unknown()).nullish(),
  events: z.array(z.unknown()).default([]),
  more: z.boolean().default(false),
})

const CARDS_SHOWN = 20

/** The open cards with the largest edges first, or the events that were asked for; then where to go on. */
export function feedTable(
  { lastEventId, openCards, events, more }: z.infer<typeof FeedAnswer>,
  screen: { paint: Paint; columns: number },
): string {
  const end = `Follow from here   ./ops/buy feed --follow --from ${printable(lastEventId ?? '0-0')}\n`
  if (openCards === null || openCards === undefined) {
    const lines = events.map((event) => `${feedLine(event, screen)}\n`).join('')
    return `${lines}${counted(events.length, 'event')}${more ? ', and more' : ''}\n${end}`
  }
  const rows = Object.entries(openCards).flatMap(([topic, cards]) =>
    (Array.isArray(cards) ? cards : []).flatMap((each) => {
      const card = Card.safeParse(each).data
      return card === undefined ? [] : [{ topic, card }]
    }),
  )
  const best = rows.sort((a, b) => (b.card.edgeCents ?? 0) - (a.card.edgeCents ?? 0)).slice(0, CARDS_SHOWN)
  const shown = table(
    [
      ['TOPIC', 'GAP', 'EDGE', 'ACTION', 'QUESTION'],
      ...best.map(({ topic, card }) => [
        topic,
        `${card.gapCents}c`,
        `${card.edgeCents ?? '?'}c`,
        card.suggestedAction ?? '',
        card.topic,
      ]),
    ],
    { ...screen, right: [1, 2] },
  )
  return `${shown}${cardsOpen(rows.length)}${best.length < rows.length ? `, ${best.length} shown` : ''}\n${end}`
}
