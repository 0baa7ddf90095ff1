import { expect, test } from 'vitest'
import { runStorm } from './run.ts'

/** The hour is `npm run storm -- --seconds 3600`. */
const SECONDS = 30

test(`faults.md 4, 5: ${SECONDS} seconds of kills, stops and faulty networks: chain, journal and buyers agree to the last unit`, async () => {
  const report = await runStorm({ seed: 20_261_121, seconds: SECONDS })
  expect(report.violations, JSON.stringify(report, null, 2)).toEqual([])
  //  a storm in which nothing happened proves nothing
  expect(report.purchases).toBeGreaterThan(20)
  expect(report.passCalls + report.spends).toBeGreaterThan(50)
  expect(Object.keys(report.blows).length).toBeGreaterThan(2)
}, 240_000)
