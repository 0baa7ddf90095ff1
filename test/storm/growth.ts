import { readdir, readFile } from 'node:fs/promises'
import { sleep } from '../support/process.ts'
import type { StormWorld } from './world.ts'

/** One look at the world. Each process by name: the one that stands there now, which may be younger than the storm. */
export type Growth = {
  atS: number
  memoryMiB: Record<string, number>
  files: Record<string, number> // open descriptors, sockets among them
  settlerNonce: number
  ledgerKeys: number
}

const LOOKS = 12
const MIN_REST_MS = 5_000
/** Below this a buyer gets money again: an hour costs more than he starts with. */
const POOR_MICRO = 200_000_000n
const REFILL_MICRO = 1_000_000_000n
const GAS_WEI = 10n ** 19n

/** Looks a dozen times until the storm is over, and keeps buyers and settler solvent. */
export async function watchGrowth(
  world: StormWorld,
  { seconds, isOver }: { seconds: number; isOver(): boolean },
): Promise<Growth[]> {
  const startMs = Date.now()
  const restMs = Math.max(MIN_REST_MS, (seconds * 1_000) / LOOKS)
  const looks: Growth[] = []
  while (!isOver()) {
    const seen = await look(world, startMs).catch(() => null) //  a node too busy to answer is asked at the next look
    if (seen !== null) looks.push(seen)
    await refill(world).catch(() => {})
    for (const endMs = Date.now() + restMs; Date.now() < endMs && !isOver(); ) await sleep(250)
  }
  return looks
}

async function look({ service, chain }: StormWorld, startMs: number): Promise<Growth> {
  const processes: [string, number][] = [
    ['storm', process.pid],
    ...service.apis.map(({ pid }, at): [string, number] => [`api ${at}`, pid]),
    ['worker', service.worker!.pid],
    ['ledger', service.ledgerRedis.pid],
    ['chain', chain.pid],
  ]
  const ofEach = async (read: (pid: number) => Promise<number>) =>
    Object.fromEntries(
      await Promise.all(
        processes.map(async ([name, pid]) => [name, await read(pid).catch(() => 0)] as const),
      ),
    )
  return {
    atS: Math.round((Date.now() - startMs) / 1_000),
    memoryMiB: await ofEach(memoryMiB),
    files: await ofEach(async (pid) => (await readdir(`/proc/${pid}/fd`)).length),
    settlerNonce: await chain.clients.reads.getTransactionCount({ address: chain.accounts.settler.address }),
    ledgerKeys: await service.ledger.redis.dbsize().catch(() => 0),
  }
}

async function memoryMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s*(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024)
}

async function refill({ chain }: StormWorld): Promise<void> {
  for (const { address } of [chain.accounts.settler, ...chain.buyers])
    await chain.clients.node.setBalance({ address, value: GAS_WEI })
  for (const { address } of chain.buyers)
    if ((await chain.balance(address)) < POOR_MICRO) await chain.mint(address, REFILL_MICRO)
}
