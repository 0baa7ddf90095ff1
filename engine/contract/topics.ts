import { z } from 'zod'

/** One market as `match` finds it: enough to say that the venue has the topic, no price. */
export const TopicRow = z.object({
  venue: z.enum(['a', 'b']),
  marketId: z.string(),
  topic: z.string(),
  pairId: z.string().nullable(), // the pair it belongs to, when it has one
})
export type TopicRow = z.infer<typeof TopicRow>

/**
 * Board `topics`: of each venue the TOPICS_MAX markets with the highest 24 h volume and every paired one, by volume. Seats without a name ("Person A") are left out. Changes slowly.
 */
export const TopicsBoard = z.object({
  a: z.array(TopicRow),
  b: z.array(TopicRow),
  bound: z.int(), //     rows kept per venue
  known: z.object({ a: z.int(), b: z.int() }), // open markets known
})
export type TopicsBoard = z.infer<typeof TopicsBoard>

export const TOPICS = 'topics'
export const TOPICS_MAX = 20_000
