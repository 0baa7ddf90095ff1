import { z } from 'zod'

/**
 * A list of the body that is kept in parts because it is long. A part is a JSON array of PART_ROWS rows, `null` where a
 * slot is empty; row `slot % PART_ROWS` of part `slot / PART_ROWS` is in slot `slot`, and `order` lists the slots, best
 * row first.
 */
export const PartedList = z.object({ parts: z.array(z.string()), order: z.array(z.int().nonnegative()) })
export type PartedList = z.infer<typeof PartedList>

/**
 * Rows of one part. Whoever writes or reads one row that moved does so with as many, and each part is named in every
 * publication: with 32 most parts changed at every sweep.
 */
export const PART_ROWS = 4

/**
 * One published result of the engine. Value and stream entry are written in one step by the engine that
 * holds the fence; `version` rises by one per board and never goes back.
 */
export const Snapshot = z.object({
  name: z.string(),
  version: z.int().positive(),
  fence: z.int().positive(), //      the leader's term that published it
  publishedMs: z.int(), //           market clock
  asOfMs: z.object({ a: z.int().nullable(), b: z.int().nullable() }), // each venue's data is complete up to here, market clock; null: never seen
  hash: z.string(), //               SHA-256, hex, of the JSON text of `body`, behind that of `lists` where there are any
  lists: z.record(z.string(), PartedList).optional(), // lists of the body, empty in it, that are kept in parts
  body: z.unknown(),
})
export type Snapshot<Body = unknown> = Omit<z.infer<typeof Snapshot>, 'body'> & { body: Body }

/** Value: JSON of `Snapshot`. */
export const snapshotKey = (name: string): string => `engine:snapshot:${name}`

/**
 * Hash digest → text of the parts of a board's lists. A part never changes and stays for a few publications after the
 * last one that names it; a reader that finds one missing reads the newest value and begins again (VEN-16).
 */
export const partsKey = (name: string): string => `engine:parts:${name}`

/** Stream with an entry {name, version} per publication; readers fetch the value. Kept to the newest thousand. */
export const SNAPSHOT_STREAM = 'engine:snapshots'
