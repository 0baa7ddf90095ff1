import type { At, LivePair } from './livePair.ts'
import { type PairBoards, type PairMemory, type PairSources, PairTable } from './pairTable.ts'

/** All boards of pairs at one instant, worked out from all pairs at once. */
export function pairBoards(
  pairs: Iterable<LivePair>,
  bookOf: PairSources['book'],
  memory: PairMemory,
  at: At,
): PairBoards & { memory: PairMemory } {
  const table = new PairTable(memory)
  const byId = new Map<string, LivePair>()
  for (const pair of pairs) byId.set(pair.pairId, pair)
  for (const pairId of byId.keys()) table.touch(pairId)
  const boards = table.look({ pair: (pairId) => byId.get(pairId) ?? null, book: bookOf }, at)
  return { ...boards, memory: table.memory }
}
