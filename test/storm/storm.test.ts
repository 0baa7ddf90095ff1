import { expect, test } from 'vitest'
import { MUTANTS } from './mutants.ts'
import { mutated } from './mutate.ts'
import { runStorm, SEED } from './run.ts'

/** After the drills. The hour is `npm run storm -- --seconds 3600`. */
const SECONDS = 60

test('faults.md 4, 5: kills, stops and faulty networks: chain, journal and buyers agree to the last unit', async () => {
  const report = await runStorm({ seed: SEED, seconds: SECONDS })
  expect(report.violations, JSON.stringify(report, null, 2)).toEqual([])
  //  a storm in which nothing happened proves nothing
  expect(report.purchases).toBeGreaterThan(20)
  expect(report.passCalls + report.spends).toBeGreaterThan(50)
  expect(Object.keys(report.blows).length).toBeGreaterThan(2)
}, 300_000)

test.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
  'faults.md 5, the mistake can be made in the source of today: %s',
  async (_, mutant) => {
    expect((await mutated(mutant)).size).toBeGreaterThan(0)
  },
)
