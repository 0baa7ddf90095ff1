import { z } from 'zod'

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
  hash: z.string(), //               SHA-256 of the JSON text of `body`, hex
  body: z.unknown(),
})
export type Snapshot<Body = unknown> = Omit<z.infer<typeof Snapshot>, 'body'> & { body: Body }

/** Value: JSON of `Snapshot`. */
export const snapshotKey = (name: string): string => `engine:snapshot:${name}`

/** Stream with an entry {name, version} per publication; readers fetch the value. Kept to the newest thousand. */
export const SNAPSHOT_STREAM = 'engine:snapshots'
