import type { Redis } from 'ioredis'
import { z } from 'zod'
import { PART_ROWS, PartedList, partsKey } from '../engine/contract/snapshot.ts'
import { quickParse } from '../ops/quickCheck.ts'
import { runInTurns, type Steps } from './steps.ts'

/** Parts fetched at once: about a quarter of a megabyte. They are read in turns. */
export const PARTS_AT_ONCE = 64

/** Of each list the parts of one version, each read and checked once; undefined where one could not be read. */
export type ReadParts = Readonly<Record<string, { digests: readonly string[]; parts: readonly Part[] }>>
type Part = readonly unknown[] | undefined
export const NO_PARTS: ReadParts = {}

/** How the parts of each list are read. @throws ZodError */
export type PartReaders = Readonly<Record<string, (part: unknown) => unknown[]>>

export const partReader = (row: z.ZodType) => quickParse(z.array(z.nullable(row)).max(PART_ROWS))

const NO_ROWS = partReader(z.never())

const partedList = quickParse(PartedList)

/** The lists that a value names. @throws ZodError */
export const partedLists = (lists: unknown): Record<string, PartedList> =>
  Object.fromEntries(
    Object.entries(z.record(z.string(), z.unknown()).parse(lists)).map(([key, list]) => [
      key,
      partedList(list),
    ]),
  )

/**
 * The lists of a body that are kept in parts, in the board's order. Only parts that are not what stood in their place in
 * the version before are fetched, and rows of the others stay the same objects.
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
  const read: Record<string, { digests: readonly string[]; parts: Part[] }> = {}
  const ordered: Record<string, unknown[]> = {}
  for (const [key, { parts: digests, order }] of Object.entries(lists)) {
    const rows = readers[key] ?? NO_ROWS
    const before = known[key]
    const parts = digests.map((digest, at) => (before?.digests[at] === digest ? before.parts[at] : undefined))
    read[key] = { digests, parts }
    const missing: number[] = []
    for (let at = 0; at < parts.length; at++) if (parts[at] === undefined) missing.push(at)
    for (let from = 0; from < missing.length; from += PARTS_AT_ONCE) {
      const wanted = missing.slice(from, from + PARTS_AT_ONCE)
      const texts = await reader.hmget(partsKey(name), ...wanted.map((at) => digests[at]!))
      const take = (index: number, part: Part) => {
        parts[wanted[index]!] = part
      }
      if (!(await runInTurns(readTexts(texts, rows, take))))
        return { lists: null, parts: { ...known, ...read } }
    }
    ordered[key] = inOrder(order, parts)
  }
  return { lists: ordered, parts: read }
}

/** @returns whether none was missing. */
function* readTexts(
  texts: readonly (string | null)[],
  rows: (part: unknown) => unknown[],
  take: (index: number, part: Part) => void,
): Steps<boolean> {
  for (const [index, text] of texts.entries()) {
    yield
    if (text === null) return false
    take(index, rows(JSON.parse(text)))
  }
  return true
}

function inOrder(order: readonly number[], parts: readonly Part[]): unknown[] {
  return order.map((slot) => {
    const row = parts[Math.floor(slot / PART_ROWS)]?.[slot % PART_ROWS]
    if (row == null) throw new RangeError(`slot ${slot} is empty`)
    return row
  })
}
