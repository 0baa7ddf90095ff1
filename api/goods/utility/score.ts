import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describeError } from '../../../ops/errors.ts'
import type { ScoreRow } from './scoreRow.ts'
import { SCORES } from './scores.ts'

const USAGE = `Measures the utility reads on labelled corpora and prints a row for each figure. With --record the rows become the
record that the answers publish.

  npm run tools:score -- [folder of the corpora] [--record]
`
const RECORD = fileURLToPath(new URL('measured.json', import.meta.url))
const CORPORA = fileURLToPath(new URL('../../../../shared/corpora', import.meta.url))

const { values, positionals } = readArguments()
const [corpora = CORPORA] = positionals

if (values.help) {
  process.stdout.write(USAGE)
} else if (positionals.length > 1) {
  process.stderr.write(USAGE)
  process.exitCode = 2
} else {
  const rows = measure(corpora)
  process.stdout.write(rows.map(line).join(''))
  if (rows.length === 0) {
    process.stderr.write(`tools:score: no labelled corpora in ${corpora}; give their folder as argument\n`)
    process.exitCode = 1
  } else if (values.record) writeFileSync(RECORD, `${JSON.stringify(rows, null, 2)}\n`)
}

/** A share of nothing is no figure: a folder may hold some of the corpora only. */
function measure(folder: string): ScoreRow[] {
  return SCORES.flatMap((score) => score(folder)).filter(({ items }) => items > 0)
}

function readArguments() {
  try {
    const flag = { type: 'boolean' } as const
    return parseArgs({ allowPositionals: true, options: { record: flag, help: { ...flag, short: 'h' } } })
  } catch (error) {
    process.stderr.write(`${describeError(error)}\n${USAGE}`)
    process.exit(2)
  }
}

function line({ tool, set, items, metric, value }: ScoreRow): string {
  return `${tool.padEnd(10)}${set.padEnd(52)}${String(items).padStart(6)}  ${metric.padEnd(14)}${value.toFixed(3)}\n`
}
