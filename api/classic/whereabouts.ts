import { ANY_SUM_MICRO } from '../rails/confirmations.ts'
import type { Rail } from '../rails/rail.ts'
import { isSame } from './attribute.ts'
import { microOf, payingOf } from './book.ts'
import type { Intent, Seen, Taken } from './intent.ts'

/**
 * Where money is now: the worst of all its transfers. 'gone': no longer on its chain. 'unsure': the server does not
 * know it, and would not if it were there. 'young': back on its chain after a reorganisation, and not yet as deep as it
 * was when it was taken. 'there': on its chain, but may still leave. 'final': as deep as the largest sum requires, or
 * its rail is no longer offered.
 */
const PLACES = ['gone', 'unsure', 'young', 'there', 'final'] as const
export type Place = (typeof PLACES)[number]

/** The place of the money that paid for a purchase. @throws UnavailableError when a server does not answer. */
export const whereabouts = (intent: Intent, rails: readonly Rail[]): Promise<Place> =>
  whereaboutsOf(payingOf(intent), rails, sumsOf(intent))

/** The sums for which a transfer of this purchase had to be deep enough to be taken. */
export const sumsOf =
  (intent: Intent) =>
  (taken: Taken): bigint[] => [intent.payableMicro, microOf(intent, [taken])]

/** @param sums without them none is 'young'. */
export async function whereaboutsOf(
  transfers: readonly Taken[],
  rails: readonly Rail[],
  sums: (taken: Taken) => bigint[] = () => [],
): Promise<Place> {
  const places = await Promise.all(transfers.map((taken) => placeOf(taken, rails, sums(taken))))
  return PLACES.find((place) => places.includes(place)) ?? 'final'
}

/**
 * Which of the transfers that paid have left their chain, by key. null: no server can tell of one of them, or one has
 * just returned and may leave again.
 */
export async function goneOf(intent: Intent, rails: readonly Rail[]): Promise<ReadonlySet<string> | null> {
  const gone = new Set<string>()
  for (const taken of payingOf(intent)) {
    const place = await placeOf(taken, rails, sumsOf(intent)(taken))
    if (place === 'unsure' || place === 'young') return null
    if (place === 'gone') gone.add(taken.key)
  }
  return gone
}

/** Whether something may be given for the money. */
export const isThere = (place: Place): boolean => place === 'there' || place === 'final'

/** If a server lacks a transfer, it is asked whether it could have it, then once more: it may have caught up. */
async function placeOf(taken: Taken, rails: readonly Rail[], sums: bigint[]): Promise<Place> {
  const rail = rails.find(({ id }) => id === taken.rail)
  if (rail === undefined) return 'final'
  const found = await inBlock(taken, rail, sums)
  if (found !== null) return found
  if (!(await rail.covers(taken.atMs))) return 'unsure'
  return (await inBlock(taken, rail, sums)) ?? 'gone'
}

/** @returns null: the server does not know its transaction, or only as pending. */
async function inBlock(taken: Taken, rail: Rail, sums: bigint[]): Promise<Place | null> {
  const told = [taken.to] //  this receiver may not be a current one any more
  const found = await rail.byHash(taken.tx, told)
  if (found === 'unknown') return null
  const transfer = Array.isArray(found) ? found.find((one) => isSame(taken, one)) : undefined
  if (transfer === undefined) return 'gone'
  if (transfer.confirmations === 0) return null
  if (sums.some((micro) => transfer.confirmations < rail.confirmationsFor(micro))) return 'young'
  return transfer.confirmations >= rail.confirmationsFor(ANY_SUM_MICRO) ? 'final' : 'there'
}

/**
 * Whether a transfer that an intent saw is neither in a block nor waiting for one: replaced, failed, or dropped by a
 * reorganisation (RAIL-08, CHN-02). @throws UnavailableError when the server does not answer.
 */
export async function hasVanished({ key, atMs, on }: Seen, rails: readonly Rail[]): Promise<boolean> {
  const rail = rails.find(({ id }) => id === on?.rail)
  if (on === undefined || rail === undefined) return false
  const isKnown = async () => {
    const found = await rail.byHash(on.tx, [on.to])
    return Array.isArray(found) && found.some((transfer) => isSame({ key }, transfer))
  }
  return !(await isKnown()) && (await rail.covers(atMs)) && !(await isKnown())
}
