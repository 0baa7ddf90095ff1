import { FEED_TOPICS } from '../../engine/contract/feed.ts'
import type { Clock } from '../../ops/clock.ts'
import { SECOND } from '../../ops/units.ts'
import { isKnown } from '../http/etag.ts'
import type { Reply } from '../http/exchange.ts'
import type { FeedQuery } from './feedQuery.ts'
import type { Feed } from './followFeed.ts'
import { type EventFrame, gapOf } from './frames.ts'
import { openCardsJson } from './openCards.ts'
import type { FeedStatus } from './status.ts'
import type { StreamId } from './streamId.ts'

const PROTOCOL = 'alpha-feed'
export const FEED_SCHEMA = 'alphaFeed.v1'
const NEXT_POLL_MS = 1 * SECOND
const NEXT_POLL_STALE_MS = 5 * SECOND

/** An answer is made once for all who ask the same within this time; all that it says is as of `generatedAt`. */
const SHARED_MS = 1 * SECOND
/**
 * Memory for such answers. The largest is over a megabyte; the usual one, from the newest event a caller has, is a few
 * KiB.
 */
const SHARED_BYTES = 8 * 1024 * 1024

const COMMA = Buffer.from(',')

/** What a caller keeps between polls. It belongs to that caller: no shared cache may keep it. */
const HEADERS = [
  ['content-type', 'application/json'],
  ['cache-control', 'private, no-cache'],
  ['vary', 'accept, x-service-feed-token, x-marketplace-token'],
] as const

/**
 * The feed as one JSON answer. A reader that already has the newest events costs a comparison or two; the others share
 * the bytes with all callers that ask the same.
 *
 * Weak ETag: the event up to which an answer goes, its topic, which venues are stale, and without `since` how many of
 * the newest events were asked for. A tag alone does not say what a reader has, because it may come with a different
 * `since`: a `since` behind the newest event is always answered in full.
 */
export function createPoll(
  statusAt: (nowMs: number) => FeedStatus,
  { clock, steady }: { clock: Clock /* the market clock, which ages are measured by */; steady: Clock },
) {
  let shared = { of: null as Feed | null, state: '', madeMs: 0, answers: createAnswers() }
  let now = { status: statusAt(clock.nowMs()), readMs: Number.NEGATIVE_INFINITY }

  const freshStatus = () => {
    const readMs = steady.nowMs()
    if (readMs - now.readMs > SHARED_MS) now = { status: statusAt(clock.nowMs()), readMs }
    return now.status
  }

  return (feed: Feed, query: FeedQuery, ifNoneMatch: string): Reply => {
    const { afterId, limit } = query
    const known = freshStatus()
    const { lastId } = feed.log
    const topics = query.topics.size === FEED_TOPICS.length ? '' : `-${[...query.topics].join('-')}`
    const stale = staleTag(known)
    const tagOf = (id: StreamId, newest = '', old = stale) => `W/"${id}${topics}${old}${newest}"`
    const whole = `~${limit}` //  the answer without `since`: the newest events and what is open

    if (ifNoneMatch !== '' && (afterId === null || afterId === lastId)) {
      const tag = tagOf(lastId, afterId === null ? whole : '')
      if (isKnown(ifNoneMatch, tag) || (afterId !== null && isKnown(ifNoneMatch, tagOf(lastId, whole))))
        return { status: 304, headers: [...HEADERS, ['etag', tag]], body: '' }
    }
    const state = `${lastId}${stale}`
    if (shared.of !== feed || shared.state !== state || steady.nowMs() - shared.madeMs > SHARED_MS)
      shared = { of: feed, state, madeMs: steady.nowMs(), answers: createAnswers() }
    const key = `${topics} ${afterId ?? ''} ${limit}`
    const answer = shared.answers.get(key, () => answerOf(feed, query, statusAt, clock.nowMs()))
    const tag = tagOf(answer.lastEventId, afterId === null ? whole : '', answer.stale)
    return { status: 200, headers: [...HEADERS, ['etag', tag]], body: answer.body }
  }
}

const staleTag = ({ staleVenues }: FeedStatus): string => staleVenues.map((venue) => `-${venue}`).join('')

/** Answers by query: the most recently used ones, as many as there is room for. */
function createAnswers() {
  const byQuery = new Map<string, Answer>()
  let bytes = 0
  return {
    get(key: string, make: () => Answer): Answer {
      const known = byQuery.get(key)
      const answer = known ?? make()
      if (known === undefined) bytes += answer.body.byteLength
      byQuery.delete(key)
      byQuery.set(key, answer)
      for (const [oldest, { body }] of byQuery) {
        if (bytes <= SHARED_BYTES) break
        byQuery.delete(oldest)
        bytes -= body.byteLength
      }
      return answer
    },
  }
}

/** Which events, oldest first, and whether the open cards come with them. */
function select({ log }: Feed, { topics, afterId, limit }: FeedQuery) {
  const events: EventFrame[] = []
  const resume = afterId === null ? null : log.resume(afterId)
  if (resume !== null && 'at' in resume) {
    let place = resume.at
    for (; place < log.end && events.length < limit; place++) {
      const event = log.at(place)!
      if (topics.has(event.topic)) events.push(event)
    }
    const more = place < log.end
    return { events, more, lastEventId: more ? events.at(-1)!.id : log.lastId, gap: null, snapshot: false }
  }
  if (resume === null)
    for (let place = log.end - 1; place >= 0 && events.length < limit; place--) {
      const event = log.at(place)
      if (event === undefined) break
      if (topics.has(event.topic)) events.push(event)
    }
  const gap = resume === null ? null : gapOf({ afterId, oldestId: log.oldestId, reason: resume.gap })
  events.reverse()
  return { events, more: false, lastEventId: log.lastId, gap, snapshot: true }
}

/** @property stale the part of its tag that names stale venues. */
type Answer = { lastEventId: StreamId; stale: string; body: Uint8Array }

function answerOf(
  feed: Feed,
  query: FeedQuery,
  statusAt: (nowMs: number) => FeedStatus,
  nowMs: number,
): Answer {
  const status = statusAt(nowMs)
  const { events, more, lastEventId, gap, snapshot } = select(feed, query)
  const head = JSON.stringify({
    ok: true,
    protocol: PROTOCOL,
    schema: FEED_SCHEMA,
    ...status,
    generatedAt: new Date(nowMs).toISOString(),
    nextPollMs: more ? 0 : status.stale ? NEXT_POLL_STALE_MS : NEXT_POLL_MS,
    lastEventId,
    more,
    gap,
  })
  const open = snapshot ? openCardsJson(feed.open, [...query.topics]) : 'null'
  const parts: Uint8Array[] = [Buffer.from(`${head.slice(0, -1)},"openCards":${open},"events":[`)]
  for (const { text } of events) parts.push(text, COMMA)
  if (events.length > 0) parts.pop()
  parts.push(Buffer.from(']}'))
  return { lastEventId, stale: staleTag(status), body: Buffer.concat(parts) }
}
