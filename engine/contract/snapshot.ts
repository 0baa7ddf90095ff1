import { z } from 'zod'

/**
 * Long lists of the body are kept beside the value, row by row, so that a publication writes, and a reader reads, only
 * what changed. A row keeps its slot in its list as long as it exists, whatever its rank; the order is a list of slots,
 * best row first. Every change is a record of its own, kept for a while; a reader that holds the lists in an earlier
 * state follows the records, and any other reader first reads order and rows, and then follows the records of the
 * meantime (VEN-16).
 */
export const KeptLists = z.object({
  base: z.string().min(1), //       made anew whenever the lists are written from nothing, never the same twice
  at: z.int().positive(), //        version that changed them last: their newest record, where there is one
  rowsAt: z.int().nonnegative(), // the stored rows hold at least all records up to this one
  digest: z.string(), //            SHA-256, hex, of the previous digest and what was written then
  keys: z.array(z.string()), //     the fields of the body that are kept so, empty in it
})
export type KeptLists = z.infer<typeof KeptLists>

/**
 * The order of a list, relative to the previous one: a number from 0 on is a slot, and `-n` followed by `m` stands for
 * the `n` slots that started at rank `m`.
 */
export const OrderRuns = z.array(z.int())

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
  hash: z.string(), //               SHA-256, hex, of the JSON text of `body`, after the digest of `lists` if any
  lists: KeptLists.optional(), //    lists of the body, empty in it, that are kept beside it
  body: z.unknown(),
})
export type Snapshot<Body = unknown> = Omit<z.infer<typeof Snapshot>, 'body'> & { body: Body }

/** Value: JSON of `Snapshot`. */
export const snapshotKey = (name: string): string => `engine:snapshot:${name}`

/** Hash `<list>:<slot>` → JSON of the row there. Empty slots have no field. */
export const rowsKey = (name: string): string => `engine:rows:${name}`

/** The same, written ahead by an engine that is to publish lists from nothing: nobody reads it. */
export const aheadKey = (name: string): string => `engine:rows:${name}:ahead`

/**
 * String of lines `<version> <JSON of an object list → OrderRuns>`: the first line describes the whole order, each
 * further line what that version changed.
 */
export const orderKey = (name: string): string => `engine:order:${name}`

/**
 * Stream of records. Id `<version>-<piece>`; the pieces of one version belong together. `behind`: the version of the record
 * before. `rows`: lines `<list>:<slot> <JSON of the row>`, without the JSON when the slot is empty now. `order`, in the last
 * piece: a line as in `orderKey`, or nothing when the order stays.
 */
export const changesKey = (name: string): string => `engine:changes:${name}`

/** Stream with an entry {name, version} per publication; readers fetch the value. Kept to the newest thousand. */
export const SNAPSHOT_STREAM = 'engine:snapshots'
