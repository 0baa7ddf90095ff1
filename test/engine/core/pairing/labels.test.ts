import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { judgeFile } from '../../../../engine/scripts/measure.ts'
import { countLabels, precision, recall } from '../../../../engine/scripts/score.ts'
import { REPOSITORY } from '../../../support/process.ts'

const FOLDER = `${REPOSITORY}/../shared/pairs`

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
      async (file, leastPrecision, leastRecall) => {
        const score = countLabels(await judgeFile(`${FOLDER}/${file}.jsonl.gz`))
        expect(score.sold).toBeGreaterThan(50)
        expect(precision(score)).toBeGreaterThanOrEqual(leastPrecision)
        expect(recall(score)).toBeGreaterThanOrEqual(leastRecall)
        expect(score.grayWrong).toBe(0)
      },
    )
  },
)
