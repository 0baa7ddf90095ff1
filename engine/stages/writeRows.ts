import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { redisScript } from '../../ops/redisScript.ts'
import { aheadKey, changesKey, rowsKey } from '../contract/snapshot.ts'
import { FENCE_KEY } from './keys.ts'
import { giveBack, LineSpace } from './lineSpace.ts'
import { type ListChange, ROWS_AT_ONCE } from './listStore.ts'

export const PUT_ROWS = readFileSync(new URL('./putRows.lua', import.meta.url), 'utf8')

const IF_WE_LEAD = `
local newest = redis.call('GET', KEYS[1])
if not newest or tonumber(newest) ~= tonumber(ARGV[1]) then return -1 end
`

//  KEYS[1] newest fence  KEYS[2] rows written ahead  ARGV[1] our fence  ARGV[2] their number so far  ARGV[3] lines of
//  rows → 1 | -1 stale: another engine has led since | -2 the number of rows there differs; nothing was written
const putAhead = redisScript(`${PUT_ROWS}${IF_WE_LEAD}
if ARGV[2] == '0' then redis.call('UNLINK', KEYS[2]) end
if redis.call('HLEN', KEYS[2]) ~= tonumber(ARGV[2]) then return -2 end
put_rows(KEYS[2], ARGV[3])
return 1`)

//  KEYS[1] newest fence  KEYS[2] records  ARGV[1] our fence  ARGV[2] id  ARGV[3] version of the record before
//  ARGV[4] lines of rows → 1 | -1 stale
const addAhead = redisScript(`${IF_WE_LEAD}
redis.call('XADD', KEYS[2], ARGV[2], 'behind', ARGV[3], 'rows', ARGV[4], 'order', '')
return 1`)

//  KEYS[1] newest fence  KEYS[2] rows  KEYS[3] records  ARGV[1] our fence  ARGV[2] id of a piece → 1 | -1 stale
const takePiece = redisScript(`${PUT_ROWS}${IF_WE_LEAD}
for _, entry in ipairs(redis.call('XRANGE', KEYS[3], ARGV[2], ARGV[2])) do put_rows(KEYS[2], entry[2][4]) end
return 1`)

/** Where rows are written. `refuse` throws when the script's answer says that it did nothing. */
export type Target = { redis: Redis; name: string; fence: number; refuse(outcome: unknown): void }

/**
 * Writes all pieces of a change except the last, which is written with the publication. Nobody reads what no value
 * names yet, even if the publication afterwards fails.
 * @returns the last piece, the digest of lists that have all of them, and bytes sent so far.
 */
export async function writeAhead(
  { redis, name, fence, refuse }: Target,
  change: ListChange,
): Promise<{ last: Buffer<ArrayBuffer>; digest: string; sent: number }> {
  const { kind, version, before, order, pieces } = change
  const lines = linesOf(change)
  let [digest, sent] = [before.digest, 0]
  for (let piece = 1; piece < pieces; piece++) {
    const text = space.bytesOf(lines, ROWS_AT_ONCE)
    const ahead = (piece - 1) * ROWS_AT_ONCE
    refuse(
      kind === 'base'
        ? await putAhead(redis, [FENCE_KEY, aheadKey(name)], [fence, ahead, text])
        : await addAhead(
            redis,
            [FENCE_KEY, changesKey(name)],
            [fence, `${version}-${piece}`, before.at, text],
          ),
    )
    digest = digestOf(digest, text)
    sent += text.length
    giveBack(text)
  }
  const last = space.bytesOf(lines, ROWS_AT_ONCE)
  return { last, digest: kind === 'same' ? digest : digestOf(digest, last, order), sent }
}

const space = new LineSpace()

function digestOf(...parts: (string | Buffer)[]): string {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part)
  return digest.digest('hex')
}

/** Copies the pieces of a published record into the stored rows, for readers that read those. */
export async function takePieces(
  { redis, name, fence, refuse }: Target,
  version: number,
  pieces: number,
): Promise<void> {
  for (let piece = 1; piece <= pieces; piece++)
    refuse(
      await takePiece(redis, [FENCE_KEY, rowsKey(name), changesKey(name)], [fence, `${version}-${piece}`]),
    )
}

function* linesOf({ kind, lists }: ListChange): Generator<readonly string[]> {
  if (kind === 'inline') return
  for (const [key, list] of Object.entries(lists))
    for (const line of kind === 'base' ? list.all() : list.changes()) yield [key, ':', ...line, '\n']
}
