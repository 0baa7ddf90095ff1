import { existsSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ScoreRow } from './scoreRow.ts'
import { SCORES } from './scores.ts'

/*
 * Measures the utility reads on labelled corpora and prints a row for each figure. With --record the rows become the
 * record that the answers publish.
 *
 *   npm run tools:score -- [folder of the corpora] [--record]
 */
const RECORD = fileURLToPath(new URL('measured.json', import.meta.url))
const CORPORA = fileURLToPath(new URL('../../../../shared/corpora', import.meta.url))

const isRecording = process.argv.includes('--record')
const corpora = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? CORPORA

if (existsSync(corpora)) {
  const rows: ScoreRow[] = (await Promise.all(SCORES.map((score) => score(corpora)))).flat()
  process.stdout.write(rows.map(line).join(''))
  if (isRecording) writeFileSync(RECORD, `${JSON.stringify(rows, null, 2)}\n`)
} else {
  process.stderr.write(`tools:score: no labelled corpora in ${corpora}; give their folder as argument\n`)
  process.exitCode = 1
}

function line({ tool, set, items, metric, value }: ScoreRow): string {
  return `${tool.padEnd(10)}${set.padEnd(52)}${String(items).padStart(6)}  ${metric.padEnd(14)}${value.toFixed(3)}\n`
}
