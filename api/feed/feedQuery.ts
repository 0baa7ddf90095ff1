import { FEED_TOPICS } from '../../engine/contract/feed.ts'
import { isProblem, type Problem } from '../errors.ts'
import { misnamed } from '../goods/misnamed.ts'
import { MALFORMED_QUERY, parseQuery, type Query } from '../http/query.ts'
import type { Topic } from './frames.ts'
import { isStreamId, type StreamId } from './streamId.ts'

export const LIMIT_DEFAULT = 100
export const LIMIT_MAX = 1_000

/** What is asked of the feed by GET. `afterId`: of `since`, or of `Last-Event-ID`, `lastEventId` and `since`. */
export type FeedQuery = { topics: ReadonlySet<Topic>; afterId: StreamId | null; limit: number }

const POLL_PARAMETERS = ['topic', 'since', 'limit']
const STREAM_PARAMETERS = ['topic', 'lastEventId', 'since']

const isTopic = (text: string): text is Topic => (FEED_TOPICS as readonly string[]).includes(text)
const invalid = (detail: string): Problem => ({ problem: 'invalid_parameter', detail })

export const ALL_TOPICS: ReadonlySet<Topic> = new Set(FEED_TOPICS)

/** Of a list without repetition; null: one of them is none of ours, or there is none. */
export function parseTopics(names: readonly string[]): ReadonlySet<Topic> | null {
  const topics = new Set(names.filter(isTopic))
  return topics.size === names.length && topics.size > 0 ? topics : null
}

/** Of a poll: `since`. */
export function parsePollQuery(rawQuery: string): FeedQuery | Problem {
  const query = readQuery(rawQuery, POLL_PARAMETERS)
  if (isProblem(query)) return query
  const limit = query.get('limit') ?? String(LIMIT_DEFAULT)
  if (!/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > LIMIT_MAX)
    return invalid(`limit: a whole number from 1 to ${LIMIT_MAX}.`)
  return readIds(query, query.get('since') ?? null, 'since', Number(limit))
}

/**
 * The first that is given: `Last-Event-ID`, `lastEventId` for readers that cannot set headers, `since` of who polled
 * before. The header goes before the address: an event source that connects again by itself sends the newest id it has
 * in the one, and in the other still the one it began with.
 */
export function parseStreamQuery(rawQuery: string, header: string): FeedQuery | Problem {
  const query = readQuery(rawQuery, STREAM_PARAMETERS)
  if (isProblem(query)) return query
  const afterId = header || (query.get('lastEventId') ?? query.get('since') ?? null)
  return readIds(query, afterId, 'lastEventId', LIMIT_DEFAULT)
}

/** What is meant for a parameter and overlooked would give events again that the reader has, or topics that he did not ask for. */
function readQuery(rawQuery: string, parameters: readonly string[]): Query | Problem {
  const query = parseQuery(rawQuery)
  if (query === null) return MALFORMED_QUERY
  const mistake = query.size === 0 ? null : misnamed(parameters, query.keys())
  return mistake === null ? query : invalid(mistake)
}

function readIds(query: Query, afterId: string | null, name: string, limit: number): FeedQuery | Problem {
  const topic = query.get('topic')
  const topics = topic === undefined ? ALL_TOPICS : parseTopics([topic])
  if (topics === null) return invalid(`topic: one of ${FEED_TOPICS.join(', ')}; without it all.`)
  if (afterId !== null && !isStreamId(afterId))
    return invalid(`${name}: an event id of this feed, such as 1790000000000-0.`)
  return { topics, afterId, limit }
}
