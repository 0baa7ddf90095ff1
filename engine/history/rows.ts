import { z } from 'zod'
import type { StreamEntry, StreamRow, TableRows } from '../../ops/drainStream.ts'
import { instant } from '../../ops/instant.ts'
import { parseJsonOrNull } from '../../ops/jsonText.ts'
import { EpisodeRow } from '../contract/episodes.ts'
import { HISTORY_TABLES } from '../contract/history.ts'

const words = z.string().min(1)

/**
 * What history needs of a FeedEvent. Words are not compared with those this version knows: an older engine drains
 * beside a newer one, and what it refused would never be stored.
 */
const ToldEvent = z.object({
  kind: words,
  topic: words,
  atMs: z.int(),
  snapshotVersion: z.int(),
  card: z.object({
    cardId: words,
    pairId: words,
    topic: z.string(),
    category: z.string().nullable(),
    verdict: words,
    gapCents: z.number(),
    netCents: z.number(),
    edgeCents: z.number(),
    executable: z.boolean(),
    suggestedAction: words,
    riskFlags: z.array(words),
    buyVenue: words,
    buyBps: z.int(),
    sellBps: z.int(),
    life: z.object({ openedMs: z.int(), peakCents: z.number(), everExecutable: z.boolean() }).nullable(),
  }),
})
type ToldEvent = z.infer<typeof ToldEvent>

type Position = { stream_ms: number; stream_seq: number }

/** Maps an entry to rows. Pure: the same entry always gives the same rows. Null: it does not follow its contract. */
export type MapEntry = (entry: StreamEntry) => TableRows[] | null

export const episodeRows: MapEntry = ({ ms, seq, fields }) => {
  const episode = EpisodeRow.safeParse(parseJsonOrNull(fields.episode ?? ''))
  if (!episode.success) return null
  return [{ table: HISTORY_TABLES.episodes, rows: [{ ...episode.data, stream_ms: ms, stream_seq: seq }] }]
}

export const feedRows: MapEntry = ({ ms, seq, fields }) => {
  const value = parseJsonOrNull(fields.event ?? '')
  const event = ToldEvent.safeParse(value)
  if (!event.success) return null
  //  as announced, with fields that only a newer version knows
  const card = JSON.stringify((value as ToldEvent).card)
  const row = feedRow(event.data, card, { stream_ms: ms, stream_seq: seq })
  return [{ table: HISTORY_TABLES.feed, rows: [row] }]
}

function feedRow(
  { kind, topic, atMs, snapshotVersion, card }: ToldEvent,
  json: string,
  at: Position,
): StreamRow {
  const { life } = card
  return {
    at: instant(atMs),
    kind,
    topic,
    snapshot_version: snapshotVersion,
    card_id: card.cardId,
    pair_id: card.pairId,
    card_topic: card.topic,
    category: card.category,
    verdict: card.verdict,
    gap_cents: card.gapCents,
    net_cents: card.netCents,
    edge_cents: card.edgeCents,
    executable: card.executable,
    suggested_action: card.suggestedAction,
    risk_flags: card.riskFlags,
    buy_venue: card.buyVenue,
    buy_bps: card.buyBps,
    sell_bps: card.sellBps,
    opened_at: life === null ? null : instant(life.openedMs),
    age_ms: life === null ? null : Math.max(0, atMs - life.openedMs), // exact: the card's age is rounded
    peak_cents: life?.peakCents ?? null,
    ever_executable: life?.everExecutable ?? null,
    card: json,
    ...at,
  }
}
