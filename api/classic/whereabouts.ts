import { ANY_SUM_MICRO } from '../rails/confirmations.ts'
import type { Rail } from '../rails/rail.ts'
import { isSame } from './attribute.ts'
import type { Intent, Taken } from './intent.ts'

/**
 * Where the money of a purchase is now. 'gone': a transfer that paid for it is not on its chain any more. 'there': it is, and
 * may still leave. 'final': it lies as deep as the largest sum has to, or its rail is not offered any more.
 */
export async function whereabouts(
  { transfers }: Intent,
  rails: readonly Rail[],
): Promise<'gone' | 'there' | 'final'> {
  const places = await Promise.all(transfers.filter(({ pays }) => pays).map((taken) => placeOf(taken, rails)))
  if (places.includes('gone')) return 'gone'
  return places.includes('there') ? 'there' : 'final'
}

async function placeOf(taken: Taken, rails: readonly Rail[]): Promise<'gone' | 'there' | 'final'> {
  const rail = rails.find(({ id }) => id === taken.rail)
  if (rail === undefined) return 'final'
  const found = await rail.byHash(taken.tx)
  const transfer = Array.isArray(found) ? found.find((one) => isSame(taken, one)) : undefined
  if (transfer === undefined || transfer.confirmations === 0) return 'gone'
  return transfer.confirmations >= rail.confirmationsFor(ANY_SUM_MICRO) ? 'final' : 'there'
}
