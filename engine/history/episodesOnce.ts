import type { ClickHouseClient } from '@clickhouse/client'
import type { StreamRow } from '../../ops/drainStream.ts'
import { UnavailableError } from '../../ops/errors.ts'
import type { EpisodeRow } from '../contract/episodes.ts'
import { HISTORY_TABLES } from '../contract/history.ts'

/**
 * An engine whose Redis lost its last second goes on with gaps that it had ended already, and ends them again: another
 * entry of the same episode. What was told first stays; a second row would count twice in all that is made of them.
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

/** Newest first. Found by the first column of the table's order: a look at a few rows each. */
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
