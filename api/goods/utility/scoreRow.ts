import { z } from 'zod'

/** One measured figure of a utility read: which tool, over which set of how many items, what was counted. */
export const ScoreRow = z.object({
  tool: z.string().describe("'sniff', 'pii', 'json', …"),
  set: z.string().describe('The labelled set, and the part of it'),
  items: z.int().nonnegative(),
  metric: z.string().describe("'detection', 'falseAlarms', 'recall', 'precision', …"),
  value: z.number().describe('A share 0–1 unless the metric says otherwise'),
})
export type ScoreRow = z.infer<typeof ScoreRow>
