import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { redisScript } from '../../ops/redisScript.ts'
import { EPISODE_STREAM, EPISODES_MAX } from '../contract/episodes.ts'
import { FEED_MAX_EVENTS, FEED_STREAM, feedOpenKey } from '../contract/feed.ts'
import { partsKey, SNAPSHOT_STREAM, type Snapshot, snapshotKey } from '../contract/snapshot.ts'
import { StaleFenceError, StoreMovedError } from '../errors.ts'
import type { Body, Position, Story } from './board.ts'
import { FENCE_KEY, versionKey } from './keys.ts'
import type { PartShelf } from './partShelf.ts'

/** Entries the snapshot stream keeps; a reader further behind fetches the values instead. */
const STREAM_ENTRIES = 1_000
/** Lists of a body up to this length stay in it: one read is one value. */
export const INLINE_CHARACTERS = 256 * 1024

const script = redisScript(readFileSync(new URL('./publish.lua', import.meta.url), 'utf8'))

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
      : JSON.stringify(
          Object.fromEntries(
            parted.map(([key, { parts, order }]) => [
              key,
              { parts: parts.map(({ digest }) => digest), order },
            ]),
          ),
        )
  const named = parted.flatMap(([, { parts }]) => parts)
  const change = shelf.plan(named)
  const hash = createHash('sha256').update(listsJson).update(bodyJson).digest('hex')
  const head = `{"name":${JSON.stringify(name)},"version":`
  const tail = `,"fence":${fence},"publishedMs":${publishedMs},"asOfMs":${JSON.stringify(asOfMs)},"hash":"${hash}"${listsJson === '' ? '' : `,"lists":${listsJson}`},"body":${bodyJson}}`
  const put = change.put.map((part) => ({ digest: part.digest, text: part.text() }))
  const parts = [
    ...[put.length, ...put.flatMap(({ digest, text }) => [digest, text])],
    ...[change.drop.length, ...change.drop],
  ]
  const [version, feedId, episodeId] = (await script(
    redis,
    [
      ...[FENCE_KEY, versionKey(name), snapshotKey(name), SNAPSHOT_STREAM, partsKey(name)],
      ...[FEED_STREAM, EPISODE_STREAM, feedOpenKey('gaps'), feedOpenKey('edges')],
    ],
    [fence, head, tail, STREAM_ENTRIES, name, change.before, ...parts, ...storyArguments(body.story)],
  )) as [number, string?, string?]
  if (version === -1) throw new StaleFenceError(`fence ${fence} is over`)
  if (version === -2) throw new StoreMovedError(`${name}: the store is not as this engine left it`)
  shelf.commit(named, change)
  const position = feedId === undefined || episodeId === undefined ? null : { feedId, episodeId }
  const bytes = tail.length + put.reduce((sum, { text }) => sum + text.length, 0)
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
