import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { redisScript } from '../../ops/redisScript.ts'
import { EPISODE_STREAM, EPISODES_MAX } from '../contract/episodes.ts'
import { FEED_MAX_EVENTS, FEED_STREAM, feedOpenKey } from '../contract/feed.ts'
import {
  aheadKey,
  changesKey,
  type KeptLists,
  orderKey,
  rowsKey,
  SNAPSHOT_STREAM,
  type Snapshot,
  snapshotKey,
} from '../contract/snapshot.ts'
import { StaleFenceError, StoreMovedError } from '../errors.ts'
import type { Body, Position, Story } from './board.ts'
import { FENCE_KEY, versionKey } from './keys.ts'
import { giveBack } from './lineSpace.ts'
import { type ListChange, type ListStore, ROWS_AT_ONCE } from './listStore.ts'
import { PUT_ROWS, type Target, takePieces, writeAhead } from './writeRows.ts'

/** Entries the snapshot stream keeps; a reader further behind fetches the values instead. */
const STREAM_ENTRIES = 1_000

const script = redisScript(PUT_ROWS + readFileSync(new URL('./publish.lua', import.meta.url), 'utf8'))

/** What a board hands over: everything of `Snapshot` but the version, and the body as JSON texts already. */
export type Publication = Pick<Snapshot, 'name' | 'fence' | 'publishedMs' | 'asOfMs'> & { body: Body }

export type Published = {
  version: number
  position: Position | null // where the streams end; null: nothing was announced
  bytes: number //            sent: what changed in the lists, and all that is in the value
}

/**
 * Writes the value, what changed in its lists, the announced events and the stream entry in one step.
 * @throws StaleFenceError when another engine has taken the lead since: no value was written.
 * @throws StoreMovedError when lists or streams are not as this engine knows them: no value was written.
 */
export async function publish(redis: Redis, store: ListStore, publication: Publication): Promise<Published> {
  const { name, fence, body } = publication
  const change = store.plan(body.lists ?? {})
  const { kind, before, order, wholeOrder, records, pieces } = change
  const target: Target = { redis, name, fence, refuse: (outcome) => refuse(outcome, name, fence) }
  try {
    const { last, digest, sent } = await writeAhead(target, change)
    const { head, tail } = snapshotJson(publication, change, digest)
    const [version, feedId, episodeId] = (await script(
      redis,
      [
        FENCE_KEY,
        versionKey(name),
        snapshotKey(name),
        SNAPSHOT_STREAM,
        rowsKey(name),
        aheadKey(name),
        orderKey(name),
        changesKey(name),
        FEED_STREAM,
        EPISODE_STREAM,
        feedOpenKey('gaps'),
        feedOpenKey('edges'),
      ],
      [
        fence,
        head,
        tail,
        STREAM_ENTRIES,
        name,
        kind,
        change.version - 1,
        kind === 'base' ? (pieces - 1) * ROWS_AT_ONCE : before.rows,
        last,
        pieces,
        before.at,
        order,
        wholeOrder,
        records[0]?.at ?? '',
        ...storyArguments(body.story),
      ],
    )) as [number, string?, string?]
    target.refuse(version)
    store.commit(change, version, digest)
    if (kind === 'change' && pieces > 1) await takePieces(target, version, pieces)
    const position = feedId === undefined || episodeId === undefined ? null : { feedId, episodeId }
    const bytes = sent + last.length + order.length + wholeOrder.length + tail.length
    giveBack(last)
    return { version, position, bytes }
  } catch (error) {
    //  half of it may have been written; or all of it, read by somebody, and lost with its reply: then its version comes
    //  again as another one, which a reader tells from the first only by its base
    if (pieces > 1 || !isRefusal(error)) store.forget()
    throw error
  }
}

/** Nothing was written: somebody else leads, or the server is full. */
const isRefusal = (error: unknown): boolean =>
  error instanceof StaleFenceError || (error instanceof Error && /\bOOM\b/.test(error.message))

function refuse(outcome: unknown, name: string, fence: number): void {
  if (outcome === -1) throw new StaleFenceError(`fence ${fence} is over`)
  if (outcome === -2) throw new StoreMovedError(`${name}: the store is not as this engine left it`)
}

/** JSON of the value before and after its version. Readers rely on the body being last. */
function snapshotJson(
  { name, fence, publishedMs, asOfMs, body }: Publication,
  { kind, lists, version, before, pieces }: ListChange,
  digest: string,
): { head: string; tail: string } {
  const isInline = kind === 'inline'
  const fields = [
    ...Object.entries(body.fields),
    ...Object.entries(lists).map(([key, list]) => [key, isInline ? list.inline() : '[]'] as const),
  ]
  const bodyJson = `{${fields.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`
  const at = kind === 'same' ? before.at : version
  const rowsAt = kind === 'change' && pieces > 1 ? before.at : at
  const kept: KeptLists = { base: before.base, at, rowsAt, digest, keys: Object.keys(lists) }
  const listsJson = isInline ? '' : `,"lists":${JSON.stringify(kept)}`
  const contentHash = hash('sha256', (isInline ? '' : digest) + bodyJson, 'hex')
  return {
    head: `{"name":${JSON.stringify(name)},"version":`,
    tail: `,"fence":${fence},"publishedMs":${publishedMs},"asOfMs":${JSON.stringify(asOfMs)},"hash":"${contentHash}"${listsJson},"body":${bodyJson}}`,
  }
}

function storyArguments(story: Story | undefined): (string | number)[] {
  if (story === undefined) return ['']
  const { behind, events, ended } = story
  return [
    behind.feedId,
    behind.episodeId,
    FEED_MAX_EVENTS,
    EPISODES_MAX,
    events.length,
    ...events.flatMap(({ kind, topic, atMs, pairId, cardJson }) => [
      topic,
      pairId,
      kind,
      `{"kind":"${kind}","topic":"${topic}","atMs":${atMs},"snapshotVersion":`,
      cardJson,
    ]),
    ended.length,
    ...ended.map((row) => JSON.stringify(row)),
  ]
}
