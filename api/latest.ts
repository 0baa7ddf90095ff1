import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { ZodError } from 'zod'
import { SNAPSHOT_STREAM, Snapshot, snapshotKey } from '../engine/contract/snapshot.ts'
import { describeError } from '../ops/errors.ts'
import type { Log } from '../ops/log.ts'
import { endReads } from '../ops/redis.ts'
import {
  BOARD_NAMES,
  type BoardName,
  type Boards,
  createSearcher,
  holdBoard,
  isBoardName,
  rowReaders,
} from './boards.ts'
import { KeptListReader } from './keptLists.ts'
import { runInTurns } from './steps.ts'

export type { Boards } from './boards.ts'

const RETRY_MS = 500
const BLOCK_MS = 5_000
/** How often a value is read again because reading all rows took long; after that the next publication is awaited. */
const MOST_VALUES = 5

/**
 * Follows the snapshot stream: reads every board as it is now, then each newer one. A board never goes back (VEN-04),
 * and an unreadable one keeps its last value and does not affect the others; of long lists only changes are fetched,
 * and the value is either complete or the last one stays (VEN-16). While Redis is away the last boards stay, age, and
 * are refused by their age. Several waiting publications of a board cost one read.
 * @param reader a connection of its own: it blocks.
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
  const boards: Boards = {}
  const unreadable = new Set<BoardName>()
  let stopped = false

  const listReaders = new Map(
    BOARD_NAMES.map((name) => [name, new KeptListReader(reader, name, rowReaders(name))]),
  )
  const searchers = new Map(BOARD_NAMES.map((name) => [name, createSearcher(name)]))

  const take = async (name: BoardName) => {
    try {
      if (!(await takeNewest(name))) return
      unreadable.delete(name)
      onSnapshot?.(name)
    } catch (error) {
      if (!isMisread(error)) throw error
      if (!unreadable.has(name))
        log.warn({ board: name, reason: describeError(error) }, 'a board cannot be read')
      unreadable.add(name)
    }
  }

  /** @returns whether there was a newer one. @throws ZodError when it cannot be read. */
  const takeNewest = async (name: BoardName): Promise<boolean> => {
    for (let values = 0; values < MOST_VALUES; values++) {
      const text = await reader.get(snapshotKey(name))
      if (text === null) return false
      const held = boards[name]
      const { head, body } = readValue(text)
      if (held != null && !isNewer(head, held.snapshot)) return false
      //  every sweep publishes all boards again, most of them unchanged: then nothing but the head is read
      if (held != null && held.snapshot.hash === head.hash) {
        Object.assign(boards, { [name]: { ...held, snapshot: { ...head, body: held.snapshot.body } } })
        return true
      }
      const read = head.lists === undefined ? {} : await listReaders.get(name)!.read(head.lists)
      if (read === null) continue
      const steps = holdBoard(name, { ...head, body: body() }, read, searchers.get(name))
      Object.assign(boards, { [name]: await runInTurns(steps) })
      return true
    }
    return false
  }

  /** Until stopped, or until the stream is not the one that was read: another host's, whose clock may be behind. */
  const follow = async () => {
    let position = await lastId(reader)
    for (const name of BOARD_NAMES) await take(name)
    while (!stopped) {
      const answer = await reader.xread('COUNT', 100, 'BLOCK', BLOCK_MS, 'STREAMS', SNAPSHOT_STREAM, position)
      if (answer === null && (await lastId(reader)) !== position) return
      const entries = answer?.[0]?.[1] ?? []
      const changed = new Set<BoardName>()
      for (const [id, fields] of entries) {
        position = id
        const name = fields[fields.indexOf('name') + 1] ?? ''
        if (isBoardName(name)) changed.add(name)
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
        await sleep(RETRY_MS)
      }
    }
  }
  const done = forever()

  return {
    boards,
    stop: async () => {
      stopped = true
      await endReads(reader, done)
    },
  }
}

/** The stored value is wrong, not the connection: reading it again would not help. */
const isMisread = (error: unknown) =>
  error instanceof ZodError || error instanceof SyntaxError || error instanceof RangeError

const BODY = ',"body":'

/** A stored snapshot. The engine writes the body last, so that a long one is parsed only when it is needed. */
type Value = { head: Snapshot; body(): unknown }

function readValue(text: string): Value {
  const bodyAt = text.indexOf(BODY)
  if (bodyAt === -1 || !text.startsWith('{"name":')) return readWhole(text)
  const head = Snapshot.safeParse(JSON.parse(`${text.slice(0, bodyAt)}${BODY}null}`))
  if (!head.success) return readWhole(text)
  return { head: head.data, body: () => JSON.parse(text.slice(bodyAt + BODY.length, -1)) }
}

/** Reads a value whose fields stand in another order. */
function readWhole(text: string): Value {
  const { body, ...head } = Snapshot.parse(JSON.parse(text))
  return { head: { ...head, body: null }, body: () => body }
}

/** Versions rise by one a publication; only a store that lost some gives them again, and then with a later time. */
function isNewer(
  next: Pick<Snapshot, 'version' | 'publishedMs'>,
  held: Pick<Snapshot, 'version' | 'publishedMs'>,
): boolean {
  return next.version > held.version || next.publishedMs > held.publishedMs
}

async function lastId(reader: Redis): Promise<string> {
  const newest = await reader.xrevrange(SNAPSHOT_STREAM, '+', '-', 'COUNT', 1)
  return newest[0]?.[0] ?? '0-0'
}
