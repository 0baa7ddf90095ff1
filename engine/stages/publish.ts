import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { redisScript } from '../../ops/redisScript.ts'
import { SNAPSHOT_STREAM, type Snapshot, snapshotKey } from '../contract/snapshot.ts'
import { StaleFenceError } from '../errors.ts'
import { FENCE_KEY, versionKey } from './keys.ts'

/** Entries the snapshot stream keeps; a reader further behind fetches the values instead. */
const STREAM_ENTRIES = 1_000

const script = redisScript(readFileSync(new URL('./publish.lua', import.meta.url), 'utf8'))

/** What a board hands over: everything of `Snapshot` but the version, and the body as JSON text already. */
export type Publication = Pick<Snapshot, 'name' | 'fence' | 'publishedMs' | 'asOfMs'> & { bodyJson: string }

/**
 * Writes value and stream entry in one step. @returns the new version.
 * @throws StaleFenceError when another engine has taken the lead since: nothing was written.
 */
export async function publish(
  redis: Redis,
  { name, fence, publishedMs, asOfMs, bodyJson }: Publication,
): Promise<number> {
  const hash = createHash('sha256').update(bodyJson).digest('hex')
  const head = `{"name":${JSON.stringify(name)},"version":`
  const tail = `,"fence":${fence},"publishedMs":${publishedMs},"asOfMs":${JSON.stringify(asOfMs)},"hash":"${hash}","body":${bodyJson}}`
  const version = await script(
    redis,
    [FENCE_KEY, versionKey(name), snapshotKey(name), SNAPSHOT_STREAM],
    [fence, head, tail, STREAM_ENTRIES, name],
  )
  if (version === -1) throw new StaleFenceError(`fence ${fence} is over`)
  return Number(version)
}
