import { ANY_SUM_MICRO } from '../rails/confirmations.ts'
import type { Rail } from '../rails/rail.ts'
import { isSame } from './attribute.ts'
import { payingOf } from './book.ts'
import type { Intent, Taken } from './intent.ts'

/**
 * Where money is now, the worst of all its transfers. 'gone': not on its chain any more. 'unsure': the server does not know
 * it, and would not if it were there. 'there': on its chain, and may still leave. 'final': as deep as the largest sum has to
 * be, or its rail is not offered any more.
 */
const PLACES = ['gone', 'unsure', 'there', 'final'] as const
export type Place = (typeof PLACES)[number]

/** Of what paid for a purchase. @throws UnavailableError when a server does not answer. */
export const whereabouts = (intent: Intent, rails: readonly Rail[]): Promise<Place> =>
  whereaboutsOf(payingOf(intent), rails)

export async function whereaboutsOf(transfers: readonly Taken[], rails: readonly Rail[]): Promise<Place> {
  const places = await Promise.all(transfers.map((taken) => placeOf(taken, rails)))
  return PLACES.find((place) => places.includes(place)) ?? 'final'
}

/** Whether something may be given for it. */
export const isThere = (place: Place): boolean => place === 'there' || place === 'final'

/** A server that does not have a transfer in a block is asked whether it could have, and then again: it may have caught up between. */
async function placeOf(taken: Taken, rails: readonly Rail[]): Promise<Place> {
  const rail = rails.find(({ id }) => id === taken.rail)
  if (rail === undefined) return 'final'
  const found = await inBlock(taken, rail)
  if (found !== null) return found
  if (!(await rail.covers(taken.atMs))) return 'unsure'
  return (await inBlock(taken, rail)) ?? 'gone'
}

/** @returns null: the server does not know its transaction, or as one that waits for a block. */
async function inBlock(taken: Taken, rail: Rail): Promise<Place | null> {
  const told = [taken.to] //  who received then may not do so now
  const found = await rail.byHash(taken.tx, told)
  if (found === 'unknown') return null
  const transfer = Array.isArray(found) ? found.find((one) => isSame(taken, one)) : undefined
  if (transfer === undefined) return 'gone'
  if (transfer.confirmations === 0) return null
  return transfer.confirmations >= rail.confirmationsFor(ANY_SUM_MICRO) ? 'final' : 'there'
}
