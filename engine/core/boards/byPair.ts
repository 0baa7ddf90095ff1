import { inOrder } from './inOrder.ts'

/** Among rows of equal rank: by pair. */
export const byPair = (x: { pairId: string }, y: { pairId: string }): number => inOrder(x.pairId, y.pairId)
