/** Among rows of equal rank: by pair. */
export const byPair = (x: { pairId: string }, y: { pairId: string }): number =>
  x.pairId === y.pairId ? 0 : x.pairId < y.pairId ? -1 : 1
