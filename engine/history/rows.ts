import type { StreamEntry, StreamRow, TableRows } from '../../ops/drainStream.ts'
import { EpisodeRow } from '../contract/episodes.ts'
import { FeedEvent } from '../contract/feed.ts'
import { HISTORY_TABLES } from '../contract/history.ts'

type Position = { stream_ms: number; stream_seq: number }

/** Maps an entry to rows. Pure: the same entry always gives the same rows. Null: it does not follow its contract. */
export type MapEntry = (entry: StreamEntry) => TableRows[] | null

export const episodeRows: MapEntry = ({ ms, seq, fields }) => {
  const episode = EpisodeRow.safeParse(parse(fields.episode))
  if (!episode.success) return null
  return [{ table: HISTORY_TABLES.episodes, rows: [{ ...episode.data, stream_ms: ms, stream_seq: seq }] }]
}

export const feedRows: MapEntry = ({ ms, seq, fields }) => {
  const value = parse(fields.event)
  const event = FeedEvent.safeParse(value)
  if (!event.success) return null
  //  as it was told, with fields that only a newer version knows
  const card = JSON.stringify((value as FeedEvent).card)
  const row = feedRow(event.data, card, { stream_ms: ms, stream_seq: seq })
  return [{ table: HISTORY_TABLES.feed, rows: [row] }]
}

function feedRow(
  { kind, topic, atMs, snapshotVersion, card }: FeedEvent,
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
    age_ms: life?.ageMs ?? null,
    peak_cents: life?.peakCents ?? null,
    ever_executable: life?.everExecutable ?? null,
    card: json,
    ...at,
  }
}

function parse(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? '')
  } catch {
    return undefined
  }
}

/** `YYYY-MM-DD hh:mm:ss.mmm`, UTC: what ClickHouse reads fastest. */
export const instant = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, 23)
