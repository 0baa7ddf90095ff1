import { z } from 'zod'
import { GapCard } from '../../contract/gapCards.ts'
import { NO_EPISODES } from './episodes.ts'
import { NOTHING_TOLD } from './feedEvents.ts'
import type { PairMemory } from './pairBoards.ts'
import { NO_PRICING } from './pricing.ts'

/** Raised when the text means something else than before: an older text is then no memory. */
const VERSION = 1

export const NO_MEMORY: PairMemory = { pricing: NO_PRICING, episodes: NO_EPISODES, told: NOTHING_TOLD }

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
  atMs: Ms.nullable(),
  open: z.array(EpisodeText),
  openings: z.array(z.tuple([z.string(), z.array(Ms)])),
  gaps: z.array(GapCard),
  edges: z.array(GapCard),
})

/** The memory as JSON, so that the next engine tells nothing twice and gaps keep their age. Prices are worked out anew. */
export function formatMemory({ episodes, told }: PairMemory): string {
  return JSON.stringify({
    version: VERSION,
    atMs: episodes.atMs,
    open: [...episodes.open.values()],
    openings: [...episodes.openings].map(([pairId, times]) => [pairId, [...times]]),
    gaps: [...told.gaps.values()],
    edges: [...told.edges.values()],
  } satisfies z.input<typeof MemoryText>)
}

/** @returns null when the text is none of ours: the engine then starts with NO_MEMORY. */
export function parseMemory(text: string): PairMemory | null {
  const memory = MemoryText.safeParse(parseJson(text))
  if (!memory.success) return null
  const { atMs, open, openings, gaps, edges } = memory.data
  const byPair = (cards: GapCard[]) => new Map(cards.map((card) => [card.pairId, card]))
  return {
    pricing: NO_PRICING,
    episodes: {
      atMs,
      open: new Map(open.map((episode) => [episode.pair.pairId, episode])),
      openings: new Map(openings),
    },
    told: { gaps: byPair(gaps), edges: byPair(edges) },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
