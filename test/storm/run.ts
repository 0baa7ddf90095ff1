import { sleep } from '../support/process.ts'
import { storm } from './blows.ts'
import { goShopping } from './buyers.ts'
import { createPaidCheck, finishAll, violations } from './checks.ts'
import { createDice } from './dice.ts'
import { drill } from './drills.ts'
import { type Growth, watchGrowth } from './growth.ts'
import { type Log, newLog, type Shop } from './purchase.ts'
import { type StormWorld, startWorld } from './world.ts'

export type StormReport = {
  seed: number
  seconds: number
  purchases: number
  spends: number
  passCalls: number
  blows: Record<string, number>
  faults: Record<string, number>
  growth: Growth[]
  violations: string[]
}

const BUYERS = 6
/** The suite's, and what the mutants must be noticed with. */
export const SEED = 20_261_121
const CHECK_EVERY_MS = 3_000

/**
 * The whole money side in a storm (faults.md 5, L2): drills, then kills, stops and faulty networks, honest and hostile
 * buyers. When it is over everything is healed, everybody asks again with what he holds, and then chain, journal and
 * buyers must agree.
 * @param seed of the plan; what the processes make of it differs from run to run.
 * @param seconds of storm after the drills; it ends at once when something is wrong.
 */
export async function runStorm({ seed, seconds }: { seed: number; seconds: number }): Promise<StormReport> {
  const dice = createDice(seed)
  const world = await startWorld(createDice(seed + 1), BUYERS + 1)
  const log: Log = newLog()
  const shopOf = (at: number, isOver: () => boolean): Shop => ({
    world,
    log,
    isOver,
    dice: createDice(seed + 100 + at),
    buyer: world.chain.buyers[at]!,
  })
  try {
    const first = shopOf(BUYERS, () => log.wrong.length > 0)
    const checkPaid = createPaidCheck(first)
    await drill(first, checkPaid)
    const endMs = Date.now() + seconds * 1_000
    const isOver = () => Date.now() > endMs || log.wrong.length > 0
    const shops = Array.from({ length: BUYERS }, (_, at) => shopOf(at, isOver))
    const [blows, growth] = await Promise.all([
      storm(world, dice, isOver),
      watchGrowth(world, { seconds, isOver }),
      checkNowAndThen(checkPaid, isOver),
      ...shops.map((shop, at) => goShopping(shop, at)),
    ])
    //  what is wrong already needs no further proof
    const found = log.wrong.length > 0 ? log.wrong : await atTheEnd(shops[0]!)
    return report(world, { seed, seconds, growth, blows }, log, found)
  } finally {
    await world.stop()
  }
}

async function checkNowAndThen(check: () => Promise<void>, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await sleep(CHECK_EVERY_MS)
    await check()
  }
}

const atTheEnd = async (shop: Shop): Promise<string[]> => [
  ...(await finishAll(shop)),
  ...(await violations(shop)),
]

function report(
  { proxies }: StormWorld,
  plan: Pick<StormReport, 'seed' | 'seconds' | 'growth' | 'blows'>,
  log: Log,
  found: string[],
): StormReport {
  const faults: Record<string, number> = {}
  for (const proxy of proxies)
    for (const [fault, count] of Object.entries(proxy.faults())) faults[fault] = (faults[fault] ?? 0) + count
  return {
    ...plan,
    purchases: log.purchases.length,
    spends: log.accounts.reduce((sum, { spends }) => sum + spends.length, 0),
    passCalls: log.passes.reduce((sum, { delivered }) => sum + delivered, 0),
    faults,
    violations: found,
  }
}
