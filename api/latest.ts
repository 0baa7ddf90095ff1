import type { Redis } from 'ioredis'
import { GAPS, type GapRow, GapsBoard } from '../engine/contract/gaps.ts'
import { SNAPSHOT_STREAM, Snapshot, snapshotKey } from '../engine/contract/snapshot.ts'
import { describeError } from '../ops/errors.ts'
import type { Log } from '../ops/log.ts'
import { createTopicIndex } from './search.ts'

/** The newest of every board, in memory. null: none seen yet. Replaced as a whole, so a reader sees one or the other. */
export type Boards = {
  gaps: { snapshot: Snapshot<GapsBoard>; search(q: string, max: number): GapRow[] } | null
}

const RETRY_MS = 500
const BLOCK_MS = 5_000

/**
 * Follows the snapshot stream: reads the current value, then each newer one. A board never goes back (VEN-04). While Redis is away the last boards stay, grow old, and are refused by their age.
 * @param reader its own connection: it blocks.
 */
export function followBoards({
  reader,
  log,
  onSnapshot,
}: {
  reader: Redis
  log: Log
  onSnapshot?(name: string): void
}) {
  const boards: Boards = { gaps: null }
  let stopped = false

  const take = async (name: string) => {
    if (name !== GAPS) return
    const text = await reader.get(snapshotKey(name))
    if (text === null) return
    const envelope = Snapshot.parse(JSON.parse(text))
    const held = boards.gaps?.snapshot
    if (held !== undefined && !isNewer(envelope, held)) return
    const body = GapsBoard.parse(envelope.body)
    const index = createTopicIndex(
      body.rows.map((row) => `${row.topic} ${row.a.title} ${row.b.title} ${row.category ?? ''}`),
    )
    boards.gaps = {
      snapshot: { ...envelope, body },
      search: (q, max) => index(q, max).map((row) => body.rows[row]!),
    }
    onSnapshot?.(name)
  }

  const follow = async () => {
    let position = (await lastId(reader)) ?? '0-0'
    await take(GAPS)
    while (!stopped) {
      const answer = await reader.xread('COUNT', 100, 'BLOCK', BLOCK_MS, 'STREAMS', SNAPSHOT_STREAM, position)
      const entries = answer?.[0]?.[1] ?? []
      const changed = new Set<string>()
      for (const [id, fields] of entries) {
        position = id
        const name = fields[fields.indexOf('name') + 1]
        if (name !== undefined) changed.add(name)
      }
      for (const name of changed) await take(name)
    }
  }

  const forever = async () => {
    while (!stopped) {
      try {
        await follow()
      } catch (error) {
        if (stopped) return
        log.warn({ reason: describeError(error) }, 'cannot follow the snapshots; will try again')
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }
  const done = forever()

  return {
    boards,
    stop: async () => {
      stopped = true
      reader.disconnect()
      await done
    },
  }
}

/** Versions rise by one a publication; only a store that lost them starts again, and then with a later time. */
function isNewer(
  next: Pick<Snapshot, 'version' | 'publishedMs'>,
  held: Pick<Snapshot, 'version' | 'publishedMs'>,
): boolean {
  return next.version > held.version || (next.version < held.version && next.publishedMs > held.publishedMs)
}

async function lastId(reader: Redis): Promise<string | null> {
  const newest = await reader.xrevrange(SNAPSHOT_STREAM, '+', '-', 'COUNT', 1)
  return newest[0]?.[0] ?? null
}
