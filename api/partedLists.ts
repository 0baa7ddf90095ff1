import type { Redis } from 'ioredis'
import { z } from 'zod'
import { PART_ROWS, type PartedList, partsKey } from '../engine/contract/snapshot.ts'
import { quickParse } from '../ops/quickCheck.ts'
import { runInTurns, type Steps } from './steps.ts'

/** Parts fetched at once: about a quarter of a megabyte. They are read in turns. */
export const PARTS_AT_ONCE = 64

/** Parts by digest, each read and checked once. Holds what one version of a board names, while it is read also the version before. */
export type ReadParts = ReadonlyMap<string, readonly unknown[]>
export const NO_PARTS: ReadParts = new Map()

/** How the parts of each list are read. @throws ZodError */
export type PartReaders = Readonly<Record<string, (part: unknown) => unknown[]>>

export const partReader = (row: z.ZodType) => quickParse(z.array(z.nullable(row)).max(PART_ROWS))

const NO_ROWS = partReader(z.never())

/**
 * The lists of a body that are kept in parts, in the board's order. Only parts that are not known yet are fetched, and
 * rows of known ones stay the same objects.
 * @returns `lists` null when a part is gone because newer versions came; `parts` is then what was read nevertheless.
 * @throws ZodError or SyntaxError when a row is not what the contract says, RangeError when the order names no row.
 */
export async function readLists(
  reader: Redis,
  name: string,
  lists: Readonly<Record<string, PartedList>>,
  readers: PartReaders,
  known: ReadParts,
): Promise<{ lists: Record<string, unknown[]> | null; parts: ReadParts }> {
  const read = new Map<string, readonly unknown[]>()
  for (const [key, { parts }] of Object.entries(lists)) {
    const rows = readers[key] ?? NO_ROWS
    const missing: string[] = []
    for (const digest of parts) {
      const before = known.get(digest) ?? read.get(digest)
      if (before === undefined) missing.push(digest)
      else read.set(digest, before)
    }
    for (let at = 0; at < missing.length; at += PARTS_AT_ONCE) {
      const digests = missing.slice(at, at + PARTS_AT_ONCE)
      const texts = await reader.hmget(partsKey(name), ...digests)
      const isWhole = await runInTurns(
        readTexts(texts, rows, (index, part) => read.set(digests[index]!, part)),
      )
      if (!isWhole) return { lists: null, parts: new Map([...known, ...read]) }
    }
  }
  const ordered = Object.entries(lists).map(([key, list]) => [key, inOrder(list, read)])
  return { lists: Object.fromEntries(ordered), parts: read }
}

/** @returns whether none was missing. */
function* readTexts(
  texts: readonly (string | null)[],
  rows: (part: unknown) => unknown[],
  take: (index: number, part: readonly unknown[]) => void,
): Steps<boolean> {
  for (const [index, text] of texts.entries()) {
    yield
    if (text === null) return false
    take(index, rows(JSON.parse(text)))
  }
  return true
}

function inOrder({ parts, order }: PartedList, read: ReadParts): unknown[] {
  const rowsOf = parts.map((digest) => read.get(digest))
  return order.map((slot) => {
    const row = rowsOf[Math.floor(slot / PART_ROWS)]?.[slot % PART_ROWS]
    if (row == null) throw new RangeError(`slot ${slot} is empty`)
    return row
  })
}
