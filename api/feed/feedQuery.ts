import { FEED_TOPICS } from '../../engine/contract/feed.ts'
import { isProblem, type Problem } from '../errors.ts'
import { misnamed } from '../goods/misnamed.ts'
import { MALFORMED_QUERY, parseQuery, type Query } from '../http/query.ts'
import type { Topic } from './frames.ts'
import { isStreamId, type StreamId } from './streamId.ts'

export const LIMIT_DEFAULT = 100
export const LIMIT_MAX = 1_000

/**
 * A GET query of the feed. `afterId` comes from `since` for a poll, and from `Last-Event-ID`, `lastEventId` or `since`
 * for a stream.
 */
export type FeedQuery = { topics: ReadonlySet<Topic>; afterId: StreamId | null; limit: number }

const POLL_PARAMETERS = ['topic', 'since', 'limit']
const STREAM_PARAMETERS = ['topic', 'lastEventId', 'since']

const isTopic = (text: string): text is Topic => (FEED_TOPICS as readonly string[]).includes(text)
const invalid = (detail: string): Problem => ({ problem: 'invalid_parameter', detail })

export const ALL_TOPICS: ReadonlySet<Topic> = new Set(FEED_TOPICS)

/** The topics of a list without repetition; null: one is unknown, or the list is empty. */
export function parseTopics(names: readonly string[]): ReadonlySet<Topic> | null {
  const topics = new Set(names.filter(isTopic))
  return topics.size === names.length && topics.size > 0 ? topics : null
}

/** The query of a poll; resumes from `since`. */
export function parsePollQuery(rawQuery: string): FeedQuery | Problem {
  const query = readQuery(rawQuery, POLL_PARAMETERS)
  if (isProblem(query)) return query
  const limit = query.get('limit') ?? String(LIMIT_DEFAULT)
  if (!/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > LIMIT_MAX)
    return invalid(`limit: a whole number from 1 to ${LIMIT_MAX}.`)
  return readIds(query, query.get('since') ?? null, 'since', Number(limit))
}

/**
 * Takes the first that is given: the header `Last-Event-ID`, `lastEventId` for readers that cannot set headers, `since`
 * for readers that polled before. The header takes precedence over the address: an event source that reconnects by
 * itself sends its newest id in the header, while the address still has the one it began with.
 */
export function parseStreamQuery(rawQuery: string, header: string): FeedQuery | Problem {
  const query = readQuery(rawQuery, STREAM_PARAMETERS)
  if (isProblem(query)) return query
  const afterId = header || (query.get('lastEventId') ?? query.get('since') ?? null)
  return readIds(query, afterId, 'lastEventId', LIMIT_DEFAULT)
}

/**
 * A misnamed parameter must not be ignored: the reader would get events again that it has, or topics it did not ask
 * for.
 */
function readQuery(rawQuery: string, parameters: readonly string[]): Query | Problem {
  const query = parseQuery(rawQuery)
  if (query === null) return MALFORMED_QUERY
  const mistake = query.size === 0 ? null : misnamed(parameters, query.keys())
  return mistake === null ? query : invalid(mistake)
}

function readIds(query: Query, afterId: string | null, name: string, limit: number): FeedQuery | Problem {
  const topic = query.get('topic')
  const topics = topic === undefined ? ALL_TOPICS : parseTopics([topic])
  if (topics === null) return invalid(`topic: one of ${FEED_TOPICS.join(', ')}; omit it for all.`)
  if (afterId !== null && !isStreamId(afterId))
    return invalid(`${name}: an event id of this feed, such as 1790000000000-0.`)
  return { topics, afterId, limit }
}
