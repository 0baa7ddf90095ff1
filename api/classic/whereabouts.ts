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

/** A server that has never heard of a transfer is asked whether it could have, and then again: it may have caught up between. */
async function placeOf(taken: Taken, rails: readonly Rail[]): Promise<Place> {
  const rail = rails.find(({ id }) => id === taken.rail)
  if (rail === undefined) return 'final'
  const told = [taken.to] //  who received then may not do so now
  let found = await rail.byHash(taken.tx, told)
  if (found === 'unknown') {
    if (!(await rail.covers(taken.atMs))) return 'unsure'
    found = await rail.byHash(taken.tx, told)
  }
  const transfer = Array.isArray(found) ? found.find((one) => isSame(taken, one)) : undefined
  if (transfer === undefined || transfer.confirmations === 0) return 'gone'
  return transfer.confirmations >= rail.confirmationsFor(ANY_SUM_MICRO) ? 'final' : 'there'
}
