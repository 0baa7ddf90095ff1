import { z } from 'zod'

/** Two markets that read alike but are not the same question; no prices. */
export const LookAlike = z.object({
  a: z.object({ marketId: z.string(), title: z.string(), url: z.string() }),
  b: z.object({ marketId: z.string(), title: z.string(), url: z.string() }),
  category: z.string().nullable(),
  reasons: z.array(z.string()), //     why it was refused, first reason first; codes of the pairing
  similarity: z.number().min(0).max(1), // share of words both have, 1: all
})
export type LookAlike = z.infer<typeof LookAlike>

/**
 * Board `refusals`: what was proposed as a pair and refused. `counts`: proposals among the markets open now, by first
 * reason. `lookAlikes`: the hardest of them, most alike first, at most LOOK_ALIKES_MAX, each market at most once, of many kinds.
 */
export const RefusalsBoard = z.object({
  pairs: z.int(), //                   accepted
  refused: z.int(), //                 proposals refused, the sum of `counts`
  counts: z.record(z.string(), z.int()),
  lookAlikes: z.array(LookAlike),
})
export type RefusalsBoard = z.infer<typeof RefusalsBoard>

export const REFUSALS = 'refusals'
export const LOOK_ALIKES_MAX = 50
