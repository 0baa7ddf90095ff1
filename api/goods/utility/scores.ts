import { scoreJson } from './json/score.ts'
import { scorePii } from './pii/score.ts'
import type { ScoreRow } from './scoreRow.ts'
import { scoreSniff } from './sniff/score.ts'
import { scoreSpecLint } from './specLint/score.ts'

/** How each utility read is measured. @param corpora the folder of the labelled sets */
export const SCORES: readonly ((corpora: string) => ScoreRow[])[] = [
  scoreSniff,
  scorePii,
  scoreJson,
  scoreSpecLint,
]
