import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { z } from 'zod'
import { replaceFile } from '../../replaceFile.ts'

/** Blocks kept over a restart: half a day at two seconds. Older logs are forgotten; balances and nonces never are. */
export const KEPT_BLOCKS = 21_600

const Dump = z.looseObject({
  best_block_number: z.number(),
  blocks: z.array(z.looseObject({ header: z.looseObject({ number: z.string() }) })),
  transactions: z.array(z.looseObject({ block_number: z.number().optional() })),
})

const stateFile = (dir: string): string => join(dir, 'state.json.gz')

/**
 * Writes what `anvil_dumpState` answered (gzipped JSON as hex) so that a crash at any moment leaves the old
 * file or the new one, never half of one.
 */
export async function saveState(dir: string, dump: string): Promise<number> {
  const bytes = Buffer.from(dump.slice(2), 'hex')
  await replaceFile(stateFile(dir), bytes)
  return bytes.length
}

/**
 * Unpacks the saved state for anvil, without the blocks beyond the newest `KEPT_BLOCKS` (and their
 * transactions), which is what bounds the chain's memory and file.
 * @returns the path to load, to be removed by the caller once loaded; null for a new chain.
 */
export async function unpackState(dir: string, kept = KEPT_BLOCKS): Promise<string | null> {
  const packed = await readFile(stateFile(dir)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (packed === null) return null
  const text = (await promisify(gunzip)(packed)).toString('utf8')
  const state = Dump.parse(JSON.parse(text))
  const oldest = state.best_block_number - kept + 1
  state.blocks = state.blocks.filter((block) => Number(block.header.number) >= oldest)
  state.transactions = state.transactions.filter(({ block_number }) => (block_number ?? oldest) >= oldest)
  const path = join(dir, `load-${randomUUID()}.json`)
  await writeFile(path, JSON.stringify(state), { mode: 0o600 })
  return path
}

export const removeLoaded = (path: string | null): Promise<void> =>
  path === null ? Promise.resolve() : rm(path, { force: true })
