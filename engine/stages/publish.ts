import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { redisScript } from '../../ops/redisScript.ts'
import { EPISODE_STREAM, EPISODES_MAX } from '../contract/episodes.ts'
import { FEED_MAX_EVENTS, FEED_STREAM, feedOpenKey } from '../contract/feed.ts'
import { partsKey, SNAPSHOT_STREAM, type Snapshot, snapshotKey } from '../contract/snapshot.ts'
import type { Part } from '../core/boards/rowParts.ts'
import { StaleFenceError, StoreMovedError } from '../errors.ts'
import type { Body, Position, Story } from './board.ts'
import { FENCE_KEY, versionKey } from './keys.ts'
import type { PartShelf } from './partShelf.ts'

/** Entries the snapshot stream keeps; a reader further behind fetches the values instead. */
const STREAM_ENTRIES = 1_000
/** Lists of a body up to this length stay in it: one read is one value. */
export const INLINE_CHARACTERS = 128 * 1024
/** New parts that one call carries: more are written ahead, so that no call holds up the store or is too long to send. */
export const PUT_AT_ONCE = 256

const script = redisScript(readFileSync(new URL('./publish.lua', import.meta.url), 'utf8'))

//  KEYS[1] newest fence  KEYS[2] parts  ARGV[1] our fence  ARGV[2] parts stored before  then digest, text
//  → 1 | -1 stale: another engine has led since | -2 the store stands elsewhere; nothing was written
const putAhead = redisScript(`
local newest = redis.call('GET', KEYS[1])
if not newest or tonumber(newest) ~= tonumber(ARGV[1]) then return -1 end
if redis.call('HLEN', KEYS[2]) ~= tonumber(ARGV[2]) then return -2 end
for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
return 1`)

/** What a board hands over: everything of `Snapshot` but the version, and the body as JSON texts already. */
export type Publication = Pick<Snapshot, 'name' | 'fence' | 'publishedMs' | 'asOfMs'> & { body: Body }

export type Published = {
  version: number
  position: Position | null // where the streams stand; null: nothing was told
  bytes: number //            sent: new parts and all that is not in parts
}

/**
 * Writes value, parts, what is told and stream entry in one step.
 * @throws StaleFenceError when another engine has taken the lead since: nothing was written.
 * @throws StoreMovedError when parts or streams are not as this engine knows them: nothing was written.
 */
export async function publish(
  redis: Redis,
  shelf: PartShelf,
  { name, fence, publishedMs, asOfMs, body }: Publication,
): Promise<Published> {
  const lists = Object.entries(body.lists ?? {})
  const length = lists.reduce((sum, [, list]) => sum + list.length, 0)
  const parted = length > INLINE_CHARACTERS ? lists : []
  const fields = [
    ...Object.entries(body.fields),
    ...lists.map(([key, list]) => [key, parted.length > 0 ? '[]' : list.inline()] as const),
  ]
  const bodyJson = `{${fields.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`
  const listsJson =
    parted.length === 0
      ? ''
      : `{${parted.map(([key, list]) => `${JSON.stringify(key)}:${list.manifest()}`).join(',')}}`
  const named = parted.flatMap(([, { parts }]) => parts)
  const change = shelf.plan(named)
  const digest = hash('sha256', listsJson + bodyJson, 'hex')
  const head = `{"name":${JSON.stringify(name)},"version":`
  const tail = `,"fence":${fence},"publishedMs":${publishedMs},"asOfMs":${JSON.stringify(asOfMs)},"hash":"${digest}"${listsJson === '' ? '' : `,"lists":${listsJson}`},"body":${bodyJson}}`
  const refuse = (outcome: unknown) => {
    if (outcome === -1) throw new StaleFenceError(`fence ${fence} is over`)
    if (outcome === -2) throw new StoreMovedError(`${name}: the store is not as this engine left it`)
  }
  let bytes = tail.length
  const textsOf = (parts: readonly Part[]) =>
    parts.flatMap((part) => {
      const text = part.text()
      bytes += text.length
      return [part.digest, text]
    })
  //  a part that nobody names yet harms nobody, also when the publication behind it fails
  let ahead = 0
  for (; change.put.length - ahead > PUT_AT_ONCE; ahead += PUT_AT_ONCE) {
    const texts = textsOf(change.put.slice(ahead, ahead + PUT_AT_ONCE))
    refuse(await putAhead(redis, [FENCE_KEY, partsKey(name)], [fence, change.before + ahead, ...texts]))
  }
  const put = change.put.slice(ahead)
  const parts = [put.length, ...textsOf(put), change.drop.length, ...change.drop]
  const [version, feedId, episodeId] = (await script(
    redis,
    [
      ...[FENCE_KEY, versionKey(name), snapshotKey(name), SNAPSHOT_STREAM, partsKey(name)],
      ...[FEED_STREAM, EPISODE_STREAM, feedOpenKey('gaps'), feedOpenKey('edges')],
    ],
    [fence, head, tail, STREAM_ENTRIES, name, change.before + ahead, ...parts, ...storyArguments(body.story)],
  )) as [number, string?, string?]
  refuse(version)
  shelf.commit(change)
  const position = feedId === undefined || episodeId === undefined ? null : { feedId, episodeId }
  return { version, position, bytes }
}

function storyArguments(story: Story | undefined): (string | number)[] {
  if (story === undefined) return ['']
  const { behind, events, ended } = story
  return [
    ...[behind.feedId, behind.episodeId, FEED_MAX_EVENTS, EPISODES_MAX, events.length],
    ...events.flatMap(({ kind, topic, atMs, pairId, cardJson }) => [
      ...[topic, pairId, kind],
      `{"kind":"${kind}","topic":"${topic}","atMs":${atMs},"snapshotVersion":`,
      cardJson,
    ]),
    ...[ended.length, ...ended.map((row) => JSON.stringify(row))],
  ]
}
