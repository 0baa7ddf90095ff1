import { stat, writeFile } from 'node:fs/promises'
import { describeError } from '../../ops/errors.ts'
import { MATCH_PRECISION_FILE } from '../contract/matchPrecision.ts'
import { swapSides } from '../core/book.ts'
import { gapCents } from '../core/gap.ts'
import { midBps } from '../core/mid.ts'
import { Pairer, type Refused } from '../core/pairing/pairer.ts'
import { textDigest } from '../core/pairing/reviewed.ts'
import { judgeFile, measure } from './measure.ts'
import { type Recorded, readRecording } from './recording.ts'
import { scoreLabels, worstMistakes } from './score.ts'

/*
 * npm run pairs -- <labels.jsonl[.gz]>... [--json]     judge pairs, each by itself, and score the verdicts by the labels
 * npm run pairs -- --record <labels.jsonl[.gz]>...       measure, and write the record that is served with every pair
 * npm run pairs -- --universe <recording> [--frame n] [--json]   pair one frame of a recording and print the pairs
 */

const HELP = `usage: pairs <labels.jsonl[.gz]>... [--json]
       pairs --record <labels.jsonl[.gz]>...
       pairs --universe <recording folder> [--frame n] [--json]
`

const LOOK_ALIKES = 30

async function main(words: string[]): Promise<number> {
  if (take(words, '--help') || take(words, '-h')) {
    process.stdout.write(HELP)
    return 0
  }
  const json = take(words, '--json')
  const record = take(words, '--record')
  const universe = takeValue(words, '--universe')
  const frame = Number(takeValue(words, '--frame') ?? '0')
  if (universe !== null && words.length === 0 && Number.isInteger(frame))
    return pairUniverse(universe, frame, json)
  if (universe !== null || words.length === 0 || words.some((word) => word.startsWith('--'))) {
    process.stderr.write(HELP)
    return 2
  }
  if (record) await recordPrecision(words)
  else await judgeLabels(words, json)
  return 0
}

async function judgeLabels(files: readonly string[], json: boolean): Promise<void> {
  const all = await Promise.all(files.map(async (file) => ({ file, judged: await judgeFile(file) })))
  if (json) {
    for (const { row, judgement } of all.flatMap(({ judged }) => judged))
      print(JSON.stringify({ pair_id: row.pair_id, ...judgement }))
    return
  }
  for (const { file, judged } of all) print(`${file}\n${scoreLabels(judged)}`)
  print(`the worst mistakes\n${worstMistakes(all.flatMap(({ judged }) => judged))}`)
}

async function recordPrecision(files: readonly string[]): Promise<void> {
  const record = await measure(files, Date.now())
  await writeFile(MATCH_PRECISION_FILE, `${JSON.stringify(record, null, 2)}\n`)
  print(
    `precision ${record.precision}, recall ${record.recall} on ${record.judged} pairs, rules ${record.rules}`,
  )
}

async function pairUniverse(folder: string, frame: number, json: boolean): Promise<number> {
  if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is no folder`)
  const recording = await readRecording(folder, frame)
  const [byA, byB] = [index(recording.a), index(recording.b)]
  const startedMs = performance.now()
  const pairer = new Pairer()
  for (const { market } of [...recording.a, ...recording.b]) pairer.load(market)
  for (const _ of pairer.pairLoaded());
  const tookMs = performance.now() - startedMs
  const rows = [...pairer.pairs.values()].map((pair) => {
    const [a, b] = [byA.get(pair.a)!, byB.get(pair.b)!]
    const top = ({ quote }: Recorded) => ({ ...quote, bidSize: null, askSize: null })
    const topB = pair.verdict === 'inverted' ? swapSides(top(b)) : top(b)
    return { pair, a, b, gap: gapCents(midBps(top(a)), midBps(topB)) }
  })
  rows.sort((x, y) => (y.gap ?? -1) - (x.gap ?? -1))
  for (const { pair, a, b, gap } of rows)
    print(
      json
        ? JSON.stringify({
            ...pair,
            gapCents: gap,
            titleA: a.market.title,
            titleB: b.market.title,
            outcomeB: b.market.outcome,
            digest: textDigest(a.market, b.market),
          })
        : `${gap === null ? '     ?' : gap.toFixed(2).padStart(6)} ${pair.verdict.padEnd(8)} ${a.market.title}  |  ${b.market.eventTitle}: ${b.market.outcome ?? b.market.title} (${pair.b})  [${pair.reasons.join(' ')}]`,
    )
  if (!json) {
    print(
      `\n${recording.at}: ${recording.a.length} markets of A, ${recording.b.length} of B, ${rows.length} pairs in ${tookMs.toFixed(0)} ms`,
    )
    print(
      `refused: ${Object.entries(pairer.refusedCounts())
        .sort(([, x], [, y]) => y - x)
        .map(([reason, count]) => `${reason} ${count}`)
        .join(', ')}`,
    )
    print(`the closest of them\n${closest(pairer).map(showRefused).join('\n')}`)
  }
  return 0
}

/** Refused proposals that share most of their words: the look-alikes. */
function closest(pairer: Pairer): Refused[] {
  const all = [...pairer.refusedFrom(0)].flat()
  return all.sort((x, y) => y.similarity - x.similarity).slice(0, LOOK_ALIKES)
}

function showRefused({ a, b, reasons, similarity }: Refused): string {
  return `  ${similarity.toFixed(2)} [${reasons.join(' ')}] ${a.title} (${a.marketId})  |  ${b.eventTitle}: ${b.title}${b.outcome === null ? '' : ` (${b.outcome})`} (${b.marketId})`
}

function index(recorded: readonly Recorded[]): Map<string, Recorded> {
  return new Map(recorded.map((entry) => [entry.market.marketId, entry]))
}

function take(words: string[], flag: string): boolean {
  const at = words.indexOf(flag)
  if (at !== -1) words.splice(at, 1)
  return at !== -1
}

function takeValue(words: string[], flag: string): string | null {
  const at = words.indexOf(flag)
  return at === -1 ? null : (words.splice(at, 2)[1] ?? null)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

//  a reader such as `head` that has seen enough ends us quietly
process.stdout.on('error', () => process.exit(0))
process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`${describeError(error)}\n`)
  return 1
})
