import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decide, SAVE_EMPTY_AFTER_BLOCKS } from '../../../ops/sandbox/chain/keep.ts'
import { KEPT_BLOCKS, saveState, unpackState } from '../../../ops/sandbox/chain/persistence.ts'

describe('what is saved when', () => {
  const idle = { head: 100, savedHead: 100, startHead: 50, busyHead: 50, pending: 0 }
  test.each([
    ['nothing happened', {}, 'wait'],
    ['an empty block', { head: 101 }, 'wait'],
    ['as many empty blocks as may be lost', { head: 100 + SAVE_EMPTY_AFTER_BLOCKS - 1 }, 'wait'],
    ['one more', { head: 100 + SAVE_EMPTY_AFTER_BLOCKS }, 'save'],
    ['a block with a transaction', { head: 101, busyHead: 101 }, 'save'],
    ['a transaction that is saved already', { busyHead: 100 }, 'wait'],
  ] as const)('%s: %s', (_, change, expected) => {
    expect(decide({ ...idle, ...change })).toBe(expected)
  })
})

describe('a long run is bounded by starting again on the newest blocks', () => {
  const long = { head: KEPT_BLOCKS, savedHead: KEPT_BLOCKS, startHead: 0, busyHead: 0, pending: 0 }
  test.each([
    ['quiet and long', {}, 'restart'],
    ['one block less', { startHead: 1 }, 'wait'],
    ['a transaction waits', { pending: 1 }, 'wait'],
    ['a payment moments ago', { busyHead: KEPT_BLOCKS - 1 }, 'wait'],
    [
      'never quiet, but twice as long',
      { head: 2 * KEPT_BLOCKS, busyHead: 2 * KEPT_BLOCKS, pending: 9 },
      'restart',
    ],
  ] as const)('%s: %s', (_, change, expected) => {
    expect(decide({ ...long, ...change })).toBe(expected)
  })
})

describe('the saved state', () => {
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'microdata-state-'))
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))

  const block = (number: number) => ({ header: { number: `0x${number.toString(16)}` } })
  const dump = (value: unknown) => `0x${gzipSync(JSON.stringify(value)).toString('hex')}`

  test('keeps accounts whole and only the newest blocks with their transactions', async () => {
    await saveState(
      dir,
      dump({
        best_block_number: 12,
        accounts: { '0x1': { balance: '0x5' } },
        blocks: [10, 11, 12].map(block),
        transactions: [{ block_number: 10 }, { block_number: 11, info: 'kept' }],
      }),
    )
    const path = await unpackState(dir, 2)
    expect(JSON.parse(await readFile(path!, 'utf8'))).toEqual({
      best_block_number: 12,
      accounts: { '0x1': { balance: '0x5' } },
      blocks: [11, 12].map(block),
      transactions: [{ block_number: 11, info: 'kept' }],
    })
  })

  test('is readable by its owner only and leaves no half file', async () => {
    expect((await stat(join(dir, 'state.json.gz'))).mode & 0o777).toBe(0o600)
    expect((await readdir(dir)).filter((name) => name.endsWith('.new'))).toEqual([])
  })

  test('absent: a chain begins; broken: refused, not overwritten', async () => {
    expect(await unpackState(join(dir, 'nowhere'))).toBeNull()
    await writeFile(join(dir, 'state.json.gz'), 'not gzip')
    await expect(unpackState(dir)).rejects.toThrow()
  })
})
