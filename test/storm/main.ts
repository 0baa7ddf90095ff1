import { parseArgs } from 'node:util'
import { orUsage } from '../support/commandLine.ts'
import { useBuild } from '../support/process.ts'
import { runDataStorm } from './data/run.ts'
import { MUTANTS } from './mutants.ts'
import { isNoticed } from './mutate.ts'
import { runStorm, SEED } from './run.ts'

const USAGE = `npm run storm -- [--seconds 60] [--seed N]
    the storm, another seed each time; exit code 1 when anything was violated
npm run storm -- --data [--seconds 60] [--seed N]
    the same for prices: two ingest and two engine processes and their Redis
npm run storm -- --mutants [--seconds 20] [--seed N] [--only WORDS]
    each deliberate mistake in a copy of the tree; exit code 1 when the storm does not notice one
`
const values = orUsage(USAGE, readArguments)
if (values.help) {
  process.stdout.write(USAGE)
  process.exit(0)
}
await useBuild()
const write = (text: string) => process.stdout.write(`${text}\n`)

if (values.mutants) {
  const plan = { seconds: Number(values.seconds ?? 20), seed: Number(values.seed ?? SEED) }
  let unnoticed = 0
  for (const mutant of MUTANTS.filter(({ name }) => name.includes(values.only ?? ''))) {
    const startMs = Date.now()
    const verdict = await isNoticed(mutant, plan).then(
      (first) => (first === null ? 'survived' : `noticed: ${first}`),
      (error: Error) => `unclear: ${error.message}`,
    )
    write(`${Math.round((Date.now() - startMs) / 1_000)} s  ${mutant.name}\n      ${verdict}`)
    if (!verdict.startsWith('noticed')) unnoticed++
  }
  process.exit(unnoticed > 0 ? 1 : 0)
}
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const run = values.data ? runDataStorm : runStorm
const report = await run({ seconds: Number(values.seconds ?? 60), seed })
write(JSON.stringify(report, null, 2))
process.exit(report.violations.length > 0 ? 1 : 0)

function readArguments() {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const
  const { values } = parseArgs({
    options: {
      seconds: text,
      seed: text,
      data: flag,
      mutants: flag,
      only: text,
      help: { ...flag, short: 'h' },
    },
  })
  for (const name of ['seconds', 'seed'] as const)
    if (!/^\d+$/.test(values[name] ?? '0')) throw new Error(`--${name} ${values[name]}: is no whole number`)
  return values
}
