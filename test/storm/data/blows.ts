import { readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { sleep } from '../../support/process.ts'
import type { TestRedis } from '../../support/redis.ts'
import type { Dice } from '../dice.ts'
import type { DataWorld } from './world.ts'

/** Longer than the lease of an engine, shorter than that of an ingest worker. */
const LONGEST_STOP_MS = 7_000

/** What may happen to the pipeline, one at a time. */
export const BLOWS = {
  /** A process dies; another one comes in its place. */
  async kill({ seats }, dice) {
    const seat = dice.pick(seats)
    await seat.process.kill()
    await sleep(dice.whole(1_500))
    seat.start()
  },

  /** A process stands still, and goes on with what it took for true. */
  async stop({ seats }, dice) {
    const { child } = dice.pick(seats).process
    child.kill('SIGSTOP')
    await sleep(100 + dice.whole(LONGEST_STOP_MS - 100))
    child.kill('SIGCONT')
  },

  /** Redis dies and loses nothing. */
  async storeDies({ store }, dice) {
    await store.kill()
    await sleep(dice.whole(800))
    await store.restart()
  },

  /** Redis loses what it was told within its last second, as `everysec` and a failover allow (DATA-03). */
  async storeGoesBack({ store }, dice) {
    const file = await newestLog(store)
    const onDisk = (await stat(file)).size
    await sleep(20 + dice.whole(980))
    await store.kill()
    if ((await newestLog(store)) === file) await truncate(file, onDisk)
    await sleep(dice.pick([0, 0, 100, 800]))
    await store.restart()
  },
} satisfies Record<string, (world: DataWorld, dice: Dice) => Promise<void>>

export type Blow = keyof typeof BLOWS

/** Redis starts a new file when it has rewritten the one before; their numbers rise. */
async function newestLog({ dir }: TestRedis): Promise<string> {
  const folder = join(dir, 'appendonlydir')
  const files = (await readdir(folder)).filter((name) => name.endsWith('.incr.aof'))
  const numberOf = (name: string) => Number(/\.(\d+)\.incr\.aof$/.exec(name)?.[1])
  return join(folder, files.sort((x, y) => numberOf(x) - numberOf(y)).at(-1)!)
}
