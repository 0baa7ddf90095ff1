import { parseArgs } from 'node:util'
import { MUTANTS } from './mutants.ts'
import { isNoticed } from './mutate.ts'
import { runStorm } from './run.ts'

/**
 * `npm run storm -- [--seconds 3600] [--seed N]`: the storm by command; exit code 1 when anything was violated.
 * `npm run storm -- --mutants [--seconds 30]`: each deliberate mistake in a copy of the tree; exit code 1 when the
 * storm does not notice one.
 */
const { values } = parseArgs({
  options: { seconds: { type: 'string' }, seed: { type: 'string' }, mutants: { type: 'boolean' } },
})
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const write = (text: string) => process.stdout.write(`${text}\n`)

if (values.mutants) {
  let survivors = 0
  for (const mutant of MUTANTS) {
    const noticed = await isNoticed(mutant, { seconds: Number(values.seconds ?? 30), seed })
    write(
      `${noticed === null ? 'survived' : 'noticed '}  ${mutant.name}${noticed === null ? '' : `: ${noticed}`}`,
    )
    if (noticed === null) survivors++
  }
  process.exit(survivors > 0 ? 1 : 0)
}
const report = await runStorm({ seconds: Number(values.seconds ?? 60), seed })
write(JSON.stringify(report, null, 2))
process.exit(report.violations.length > 0 ? 1 : 0)
