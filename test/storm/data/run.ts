import { sleep } from '../../support/process.ts'
import { createDice } from '../dice.ts'
import { BLOWS, type Blow } from './blows.ts'
import { differences } from './checks.ts'
import { startWorld } from './world.ts'

export type DataStormReport = {
  seed: number
  looks: number // times at which everything was compared
  blows: Record<Blow, number>
  violations: string[] // each with the blows since the look before
}

const NAMES = Object.keys(BLOWS) as Blow[]
const MOST_AT_ONCE = 5

/**
 * The data side in a storm: prices move, processes die or stand still, Redis dies or goes back by up to a second. Now
 * and then the venues stand still, and everything must describe them as they are.
 * @param seed of the plan; what the processes make of it differs from run to run.
 * @param seconds it goes on for, and at least until every blow has been dealt; it ends at once when something is wrong.
 */
export async function runDataStorm({
  seed,
  seconds,
}: {
  seed: number
  seconds: number
}): Promise<DataStormReport> {
  const dice = createDice(seed)
  const world = await startWorld(seed)
  const blows = Object.fromEntries(NAMES.map((name) => [name, 0])) as Record<Blow, number>
  const report: DataStormReport = { seed, looks: 0, blows, violations: [] }
  const look = async (since: readonly Blow[]) => {
    const wrong = await differences(world, world.freeze())
    world.thaw()
    report.looks++
    report.violations.push(...wrong.map((text) => `${text} (after ${since.join(', ')})`))
  }
  const endMs = Date.now() + seconds * 1_000
  const isOver = () =>
    report.violations.length > 0 || (Date.now() > endMs && !Object.values(blows).includes(0))
  try {
    await look([])
    while (!isOver()) {
      const dealt: Blow[] = []
      for (let left = 1 + dice.whole(MOST_AT_ONCE); left > 0; left--) {
        const missing = NAMES.filter((name) => blows[name] === 0)
        const name = dice.pick(missing.length > 0 ? missing : NAMES)
        await sleep(100 + dice.whole(1_400))
        await BLOWS[name](world, dice)
        blows[name]++
        dealt.push(name)
      }
      await look(dealt)
    }
    return report
  } finally {
    await world.close()
  }
}
