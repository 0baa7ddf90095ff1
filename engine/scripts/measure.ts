import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { MatchPrecision } from '../contract/matchPrecision.ts'
import { judge } from '../core/pairing/judge.ts'
import { type LabelledPair, marketsOf, readPairs } from './labels.ts'
import { countLabels, type Judged, precision, recall } from './score.ts'

const PAIRING = new URL('../core/pairing/', import.meta.url)

/** Reads a file of pairs, plain or gzipped, and judges each by itself. */
export async function judgeFile(file: string): Promise<Judged[]> {
  return (await readFileOfPairs(file)).map((row) => {
    const { a, b } = marketsOf(row)
    return { row, judgement: judge(a, b) }
  })
}

async function readFileOfPairs(file: string): Promise<LabelledPair[]> {
  const bytes = await readFile(file)
  try {
    const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b
    return readPairs((isZipped ? gunzipSync(bytes) : bytes).toString())
  } catch (error) {
    throw new Error(`${file} is no file of pairs`, { cause: error })
  }
}

/** What is recorded of a measurement: each file is a set, all together are the headline. */
export async function measure(files: readonly string[], nowMs: number): Promise<MatchPrecision> {
  const sets = await Promise.all(
    files.map(async (file) => ({ name: basename(file).split('.')[0]!, judged: await judgeFile(file) })),
  )
  const unlabelled = sets.find(({ judged }) => judged.some(({ row }) => row.label == null))
  if (unlabelled !== undefined) throw new Error(`${unlabelled.name} has rows without a label`)
  sets.sort((x, y) => (x.name < y.name ? -1 : 1))
  return {
    ...figures(sets.flatMap(({ judged }) => judged)),
    sets: sets.map(({ name, judged }) => ({
      name,
      ...figures(judged),
      grayWrong: countLabels(judged).grayWrong,
    })),
    measuredOn: new Date(nowMs).toISOString().slice(0, 10),
    rules: await rulesHash(),
  }
}

/** Names the rules by which pairs are judged: any change of the pairing's sources changes it. */
export async function rulesHash(): Promise<string> {
  const hash = createHash('sha256')
  for (const name of (await readdir(PAIRING)).filter((file) => file.endsWith('.ts')).sort())
    hash.update(`${name}\n`).update(await readFile(new URL(name, PAIRING)))
  return hash.digest('hex').slice(0, 16)
}

function figures(judged: readonly Judged[]) {
  const score = countLabels(judged)
  return {
    precision: cut(precision(score)),
    recall: cut(recall(score)),
    judged: judged.filter(({ row }) => row.gray !== true).length,
    sold: score.sold,
    wrong: score.wrong,
    missed: score.missed,
  }
}

/** Rounds down, so that it never states more than was measured. */
function cut(share: number): number {
  return Math.floor(share * 10_000) / 10_000
}
