import { expect, test } from 'vitest'
import { runDataStorm } from './run.ts'

/** Until each blow has been dealt once. More of it: `npm run storm -- --data --seconds 3600`. */
test('VEN-04, VEN-18, DATA-03: processes die and stand still, Redis goes back: every price that is shown is the venue’s', async () => {
  const report = await runDataStorm({ seed: 20_261_129, seconds: 0 })
  expect(report.violations, JSON.stringify(report, null, 2)).toEqual([])
  //  a storm in which nothing happened proves nothing
  expect(report.looks).toBeGreaterThan(1)
  expect(Object.values(report.blows)).not.toContain(0)
}, 300_000)
