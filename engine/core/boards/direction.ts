import { isCrossed, soundSide, type Top } from '../book.ts'

export type Direction = {
  buyVenue: 'a' | 'b'
  sellVenue: 'a' | 'b'
  buyBps: number //  the ask that is paid
  sellBps: number // the bid that is received
  netBps: number //  sellBps − buyBps, may be negative
}

/**
 * The better of the two ways to buy one venue's ask and sell the other's bid; buying at A when both are equal. Both
 * books word the question as A does. Null when neither way has both its sides, or when a book is crossed (VEN-06).
 */
export function bestDirection(a: Top, b: Top): Direction | null {
  if (isCrossed(a) || isCrossed(b)) return null
  const buyA = direction('a', a, 'b', b)
  const buyB = direction('b', b, 'a', a)
  if (buyA === null || buyB === null) return buyA ?? buyB
  return buyB.netBps > buyA.netBps ? buyB : buyA
}

function direction(buyVenue: 'a' | 'b', buy: Top, sellVenue: 'a' | 'b', sell: Top): Direction | null {
  const buyBps = soundSide(buy.askBps, buy.askSize)
  const sellBps = soundSide(sell.bidBps, sell.bidSize)
  if (buyBps === null || sellBps === null) return null
  return { buyVenue, sellVenue, buyBps, sellBps, netBps: sellBps - buyBps }
}
