import { appendFile, readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../support/process.ts'
import type { TestRedis } from '../support/redis.ts'
import type { StormWorld } from './world.ts'

/** The beginning of a write that nobody was promised. */
const TORN = '*3\r\n$3\r\nSET\r\n$4\r\nto'

/**
 * A power cut at the ledger as its own setting promises it (faults.md E2): with `always` every acknowledged write is on
 * the disk; with less, what came in `meanwhile` (at most a second) was still in memory. Then the power is back.
 */
export async function losePower(
  { service }: StormWorld,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<void> {
  const { ledgerRedis, ledger } = service
  //  the ledger may have been restarted a moment ago
  const ask = () => ledger.redis.config('GET', 'appendfsync').catch(() => null)
  const [, policy] = (await until('the ledger says how it writes', ask)) as [string, string]
  const file = await newestLog(ledgerRedis)
  const onDisk = (await stat(file)).size
  await meanwhile()
  await ledgerRedis.kill()
  if (policy !== 'always') await truncate(file, onDisk)
  await appendFile(file, TORN)
  await ledgerRedis.restart()
}

async function newestLog({ dir }: TestRedis): Promise<string> {
  const folder = join(dir, 'appendonlydir')
  const incremental = (await readdir(folder)).filter((name) => name.endsWith('.incr.aof'))
  return join(folder, incremental.sort().at(-1)!)
}
