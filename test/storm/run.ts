import { goShopping, type Log, newLog, type Shop } from './buyers.ts'
import { finishAll, violations } from './checks.ts'
import { createDice } from './dice.ts'
import { type StormWorld, startWorld, storm } from './world.ts'

export type StormReport = {
  seed: number
  seconds: number
  purchases: number
  spends: number
  passCalls: number
  blows: Record<string, number>
  faults: Record<string, number>
  violations: string[]
}

const BUYERS = 6

/**
 * The whole money side in a storm (faults.md 5, L2): kills, stops, faulty networks, honest and hostile buyers. When it is
 * over everything is healed, everybody asks again with what he holds, and then chain, journal and buyers must agree.
 * @param seed of the plan; what the processes make of it differs from run to run.
 */
export async function runStorm({ seed, seconds }: { seed: number; seconds: number }): Promise<StormReport> {
  const dice = createDice(seed)
  const world = await startWorld(createDice(seed + 1), BUYERS)
  const log: Log = newLog()
  try {
    const endMs = Date.now() + seconds * 1_000
    const isOver = () => Date.now() > endMs
    const shops = world.chain.buyers.map(
      (buyer, at): Shop => ({ world, dice: createDice(seed + 100 + at), log, buyer, isOver }),
    )
    const [blows] = await Promise.all([storm(world, dice, endMs), ...shops.map(goShopping)])
    await finishAll(shops[0]!)
    return report(world, { seed, seconds }, log, blows, await violations(shops[0]!))
  } finally {
    await world.stop()
  }
}

function report(
  { proxies }: StormWorld,
  plan: { seed: number; seconds: number },
  log: Log,
  blows: Record<string, number>,
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
    blows,
    faults,
    violations: found,
  }
}
