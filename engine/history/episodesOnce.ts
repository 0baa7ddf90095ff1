import type { ClickHouseClient } from '@clickhouse/client'
import type { StreamRow } from '../../ops/drainStream.ts'
import { UnavailableError } from '../../ops/errors.ts'
import type { EpisodeRow } from '../contract/episodes.ts'
import { HISTORY_TABLES } from '../contract/history.ts'

/**
 * Removes episodes that are stored already. An engine whose Redis lost its last second continues gaps that it had
 * already ended, and ends them again: a second entry of the same episode. The first entry stays; a second row would
 * count twice in everything derived from them.
 * @throws UnavailableError when ClickHouse does not answer.
 */
export async function episodesOnce(client: ClickHouseClient, rows: StreamRow[]): Promise<StreamRow[]> {
  const told = new Map<string, string>()
  for (const { id, entry } of await stored(client, rows as EpisodeRows)) told.set(id, entry)
  return (rows as EpisodeRows).filter(({ episode_id, stream_ms, stream_seq }) => {
    const entry = `${stream_ms}-${stream_seq}`
    if (!told.has(episode_id)) told.set(episode_id, entry)
    return told.get(episode_id) === entry
  })
}

type EpisodeRows = (StreamRow & EpisodeRow)[]

/** Newest first. Looked up by the first column of the table's order, so only a few rows are read for each. */
async function stored(client: ClickHouseClient, rows: EpisodeRows): Promise<{ id: string; entry: string }[]> {
  const instants = [...new Set(rows.map(({ opened_at }) => `'${opened_at}'`))]
  try {
    const answer = await client.query({
      query: `SELECT episode_id AS id, concat(toString(stream_ms), '-', toString(stream_seq)) AS entry
FROM ${HISTORY_TABLES.episodes} WHERE opened_at IN (${instants.join()}) ORDER BY stream_ms DESC, stream_seq DESC`,
      format: 'JSONEachRow',
    })
    return await answer.json()
  } catch (error) {
    throw new UnavailableError('clickhouse_query', `${HISTORY_TABLES.episodes} cannot be read`, error)
  }
}
