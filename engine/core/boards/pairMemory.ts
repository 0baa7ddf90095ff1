import { z } from 'zod'
import { parseJsonOrNull } from '../../../ops/jsonText.ts'
import { FeedCard } from '../../contract/feed.ts'
import { type Episodes, NO_EPISODES, type SeenEpisodes } from './episodes.ts'
import { NOTHING_TOLD } from './feedEvents.ts'
import type { PairMemory } from './pairTable.ts'

/** Raised when the text changes its meaning: a text of an older version is then ignored. */
const VERSION = 2

export const NO_MEMORY: PairMemory = { episodes: NO_EPISODES, told: NOTHING_TOLD }

const Ms = z.int()
const EpisodeText = z.object({
  pair: z.object({
    pairId: z.string(),
    topic: z.string(),
    category: z.string().nullable(),
    verdict: z.string(),
    a: z.string(),
    b: z.string(),
  }),
  openedMs: Ms,
  openCents: z.number(),
  peakCents: z.number(),
  peakMs: Ms,
  halfMs: Ms.nullable(),
  lastCents: z.number(),
  lastMs: Ms,
  everExecutable: z.boolean(),
  samples: z.int(),
})
const MemoryText = z.object({
  version: z.literal(VERSION),
  endedId: z.string(),
  toldId: z.string().nullable().default(null),
  atMs: Ms.nullable(),
  open: z.array(EpisodeText),
  openings: z.array(z.tuple([z.string(), z.array(Ms)])),
})

/** What open gaps account for: the newest ended gap, by its id in EPISODE_STREAM, and the newest event of the feed. */
export type UpTo = { endedId: string; toldId: string }
/** `toldId` null: the text is of a version that did not say. */
export type SavedEpisodes = { episodes: Episodes; endedId: string; toldId: string | null }

/**
 * The open gaps as JSON, so that they keep their age under the next engine; in pieces to be written one after the
 * other, because there may be MAX_OPEN of them. What was announced is kept with the feed; prices are worked out anew.
 */
export function* formatEpisodes({ atMs, open, openings }: SeenEpisodes, upTo: UpTo): Generator<string> {
  yield JSON.stringify({ version: VERSION, ...upTo, atMs }).slice(0, -1)
  yield* list(',"open":[', open)
  yield* list('],"openings":[', openings)
  yield ']}'
}

function* list(head: string, values: Iterable<unknown>): Generator<string> {
  let before = head
  for (const value of values) {
    yield before
    yield JSON.stringify(value)
    before = ','
  }
  if (before === head) yield head
}

/** @returns null when the text is none of ours. */
export function parseEpisodes(text: string): SavedEpisodes | null {
  const memory = MemoryText.safeParse(parseJsonOrNull(text))
  if (!memory.success) return null
  const { atMs, endedId, toldId, open, openings } = memory.data
  const byPair = new Map(open.map((episode) => [episode.pair.pairId, episode]))
  return { endedId, toldId, episodes: { atMs, open: byPair, openings: new Map(openings) } }
}

/** @returns null when the text is no card of today's shape. */
export function parseCard(text: string): FeedCard | null {
  const card = FeedCard.safeParse(parseJsonOrNull(text))
  return card.success ? card.data : null
}
