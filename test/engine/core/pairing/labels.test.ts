import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { LabelledPair, marketsOf } from '../../../../engine/scripts/labels.ts'
import { countLabels, type Judged, precision, recall } from '../../../../engine/scripts/score.ts'
import { REPOSITORY } from '../../../support/process.ts'

const FOLDER = `${REPOSITORY}/../shared/pairs`

function judged(file: string): Judged[] {
  return gunzipSync(readFileSync(`${FOLDER}/${file}.jsonl.gz`))
    .toString()
    .trim()
    .split('\n')
    .map((line) => {
      const row = LabelledPair.parse(JSON.parse(line))
      const { a, b } = marketsOf(row)
      return { row, judgement: judge(a, b) }
    })
}

/*
 * Floors, set a little under what is reached, so that a change that sells wrong pairs shows at once. Reached when
 * this was written: hand 100 % / 93.6 %, market-lens 99.4 % / 94.4 % (the seven counted as wrong ask the same
 * and differ in a letter or in "Team"), aninaga 100 % / 88.5 %; no gray pair that does not belong together was sold.
 */
describe.skipIf(!existsSync(FOLDER))(
  'design 3: precision and recall on the labelled pairs (skipped without ../shared/pairs)',
  () => {
    test.each([
      ['hand', 1, 0.9],
      ['market-lens', 0.99, 0.92],
      ['aninaga', 1, 0.85],
    ])(
      '%s: precision at least %d, recall at least %d, no gray pair sold that is none',
      (file, leastPrecision, leastRecall) => {
        const score = countLabels(judged(file))
        expect(score.sold).toBeGreaterThan(50)
        expect(precision(score)).toBeGreaterThanOrEqual(leastPrecision)
        expect(recall(score)).toBeGreaterThanOrEqual(leastRecall)
        expect(score.grayWrong).toBe(0)
      },
    )
  },
)
