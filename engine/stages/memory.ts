import type { Redis } from 'ioredis'
import { parseJsonOrNull } from '../../ops/jsonText.ts'
import { redisScript } from '../../ops/redisScript.ts'
import { EPISODE_STREAM, EpisodeRow } from '../contract/episodes.ts'
import { FEED_STREAM, FEED_TOPICS, type FeedCard, FeedEvent, feedOpenKey } from '../contract/feed.ts'
import { type Episodes, NO_EPISODES } from '../core/boards/episodes.ts'
import { parseCard, parseEpisodes } from '../core/boards/pairMemory.ts'
import { recallEpisodes } from '../core/boards/recall.ts'
import { StaleFenceError } from '../errors.ts'
import type { Position, Told } from './board.ts'
import { EPISODES_KEY, FENCE_KEY } from './keys.ts'
import { giveBack, type LineSpace } from './lineSpace.ts'
import { inTurns } from './turns.ts'

type Topic = FeedEvent['topic']

/** What earlier leaders left behind. */
export type Recalled = {
  episodes: Episodes
  told: Record<Topic, Map<string, FeedCard>>
  /** Open cards that this engine cannot read: readers have to be told that they are closed. */
  unreadable: Told[]
  position: Position
}

/**
 * What was announced and the positions of the streams are one state, read in one step. Saved gaps are some seconds
 * older, and are brought up to date by what was announced since, one announcement after the other: the newest card of a
 * gap no longer says how it opened, nor when it was widest or half as wide. Without a readable memory, gaps are taken from the
 * open cards; so whatever is lost, folding the feed leads to what is open now.
 */
export async function recall(redis: Redis, nowMs: number): Promise<Recalled> {
  const replies = await redis
    .multi()
    .hgetall(feedOpenKey('gaps'))
    .hgetall(feedOpenKey('edges'))
    .xinfo('STREAM', FEED_STREAM)
    .xinfo('STREAM', EPISODE_STREAM)
    .get(EPISODES_KEY)
    .exec()
  const [gaps, edges, feed, ends, saved] = (replies ?? []).map(([error, reply]) => {
    if (error !== null && !/no such key/i.test(error.message)) throw error
    return reply
  }) as [Cards, Cards, StreamInfo, StreamInfo, string | null]
  const position = { feedId: lastIdOf(feed), episodeId: lastIdOf(ends) }
  const unreadable: Told[] = []
  const cards = { gaps: new Map<string, FeedCard>(), edges: new Map<string, FeedCard>() }
  for (const topic of FEED_TOPICS)
    for (const [pairId, cardJson] of Object.entries(topic === 'gaps' ? gaps : edges)) {
      const card = parseCard(cardJson)
      if (card === null)
        unreadable.push({ kind: 'closed', topic, atMs: nowMs, pairId, cardJson: jsonOrNull(cardJson) })
      else cards[topic].set(pairId, card)
    }
  const memory = saved === null ? null : parseEpisodes(saved)
  const ended = memory === null ? new Set<string>() : await endedSince(redis, memory.endedId)
  const savedId = memory?.toldId ?? null
  const since = savedId === null ? [] : await toldSince(redis, savedId, position.feedId)
  const told = [...since, ...cards.gaps.values()]
  const episodes = recallEpisodes(memory?.episodes ?? NO_EPISODES, told, ended, nowMs)
  return { episodes, told: cards, unreadable, position }
}

type Cards = Record<string, string>
type StreamInfo = (string | number)[] | null

const lastIdOf = (info: StreamInfo): string =>
  info == null ? '0-0' : String(info[info.indexOf('last-generated-id') + 1])

const jsonOrNull = (text: string): string => (parseJsonOrNull(text) === null ? 'null' : text)

const ENDED_AT_ONCE = 1_000

/** Ids of the episodes whose end was announced after an entry. */
async function endedSince(redis: Redis, afterId: string): Promise<Set<string>> {
  const ids = new Set<string>()
  for (let from = afterId; ; ) {
    const entries = await redis.xrange(EPISODE_STREAM, `(${from}`, '+', 'COUNT', ENDED_AT_ONCE)
    for (const [id, fields] of entries) {
      from = id
      const row = EpisodeRow.safeParse(parseJsonOrNull(fields[fields.indexOf('episode') + 1] ?? ''))
      if (row.success) ids.add(row.data.episode_id)
    }
    if (entries.length < ENDED_AT_ONCE) return ids
  }
}

const TOLD_AT_ONCE = 500

/** Cards of gaps as they were announced after an event and up to another, oldest first. Bound: what the feed retains. */
async function toldSince(redis: Redis, afterId: string, lastId: string): Promise<FeedCard[]> {
  const cards: FeedCard[] = []
  for (let from = afterId; ; ) {
    const entries = await redis.xrange(FEED_STREAM, `(${from}`, lastId, 'COUNT', TOLD_AT_ONCE)
    for (const [id, fields] of entries) {
      from = id
      const event = FeedEvent.safeParse(parseJsonOrNull(fields[fields.indexOf('event') + 1] ?? ''))
      if (!event.success) continue
      const { kind, topic, card } = event.data
      if (topic === 'gaps' && kind !== 'closed') cards.push(card)
    }
    if (entries.length < TOLD_AT_ONCE) return cards
  }
}

//  KEYS[1] newest fence  KEYS[2] memory  ARGV[1] our fence  ARGV[2] text → 1 | -1 another engine has led since
const save = redisScript(`
local newest = redis.call('GET', KEYS[1])
if not newest or tonumber(newest) ~= tonumber(ARGV[1]) then return -1 end
redis.call('SET', KEYS[2], ARGV[2])
return 1`)

/**
 * Saves the memory of open gaps, with pauses, because it may be megabytes.
 * @param texts of `formatEpisodes`.
 * @param space in which they become bytes; nothing else may write in it meanwhile.
 * @throws StaleFenceError when another engine has taken the lead since: nothing was written.
 */
export async function remember(
  redis: Redis,
  fence: number,
  texts: Iterable<string>,
  space: LineSpace,
): Promise<void> {
  const text = await inTurns(writeTexts(texts, space))
  const saved = await save(redis, [FENCE_KEY, EPISODES_KEY], [fence, text])
  giveBack(text)
  if (saved === -1) throw new StaleFenceError(`fence ${fence} is over`)
}

const STEP_TEXTS = 200

function* writeTexts(texts: Iterable<string>, space: LineSpace): Generator<void, Buffer<ArrayBuffer>> {
  space.begin()
  let written = 0
  for (const text of texts) {
    space.write(text)
    if (++written % STEP_TEXTS === 0) yield
  }
  return space.take()
}
