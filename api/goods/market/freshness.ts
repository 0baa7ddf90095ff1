import { matchPrecision } from '../../../engine/contract/matchPrecision.ts'
import type { Snapshot } from '../../../engine/contract/snapshot.ts'
import { isAhead } from '../../../ops/clock.ts'
import { roundTo, SECOND } from '../../../ops/units.ts'
import type { BoardName, HeldBoard } from '../../boards.ts'
import { isProblem, type Problem } from '../../errors.ts'
import type { GoodPorts } from '../good.ts'
import type { Provenance } from './shapes.ts'
import { iso } from './show.ts'

/**
 * How well the pairing separates pairs from look-alikes, measured on labelled pairs; goes with every answer that relies
 * on a pair.
 */
export const PRECISION = {
  matchPrecision: {
    precision: matchPrecision.precision,
    recall: matchPrecision.recall,
    judged: matchPrecision.judged,
    measuredOn: matchPrecision.measuredOn,
  },
}
const RESTS_ON_PAIRS: ReadonlySet<BoardName> = new Set<BoardName>(['gaps', 'nets', 'edges', 'gapCards'])

/** The problems `freshBoard` may return. An empty board is refused with the first of them, too. */
export const NOT_FRESH = ['no_data', 'stale_data'] as const

const RETRY_STALE_S = 5

/** Refuses data that is absent or older than its limit, before any money moves (VEN-09, invariant I17). */
export function provenanceOf(
  snapshot: Snapshot | null,
  { marketClock, marketMaxAgeMs, recorded }: GoodPorts,
): Provenance | Problem {
  const asOf = snapshot?.asOfMs
  if (snapshot === null || asOf?.a == null || asOf.b == null)
    return { problem: 'no_data', retryAfterS: RETRY_STALE_S, detail: 'Not all venues have been read yet.' }
  const nowMs = marketClock.nowMs()
  //  a board was computed for the present of its engine, which decides what is still open
  if ([asOf.a, asOf.b, snapshot.publishedMs].some((atMs) => isAhead(atMs, nowMs)))
    return {
      problem: 'stale_data',
      retryAfterS: RETRY_STALE_S,
      detail:
        'One of our clocks is wrong: the data is stamped later than our present time, so its age is unknown.',
    }
  const ageMs = { a: Math.max(0, nowMs - asOf.a), b: Math.max(0, nowMs - asOf.b) }
  const old = (['a', 'b'] as const).filter((venue) => ageMs[venue] > marketMaxAgeMs)
  if (old.length > 0)
    return {
      problem: 'stale_data',
      retryAfterS: RETRY_STALE_S,
      detail: old
        .map((venue) => `Venue ${venue.toUpperCase()} is ${roundTo(ageMs[venue] / SECOND, 1)} s old`)
        .join('; '),
      extra: { ageMs, maxAgeMs: marketMaxAgeMs },
    }
  return {
    snapshot: {
      name: snapshot.name,
      version: snapshot.version,
      hash: snapshot.hash,
      publishedAt: iso(snapshot.publishedMs),
    },
    asOf: { a: iso(asOf.a), b: iso(asOf.b) },
    ageMs,
    maxAgeMs: marketMaxAgeMs,
    recorded,
  }
}

/** A board that is fresh enough to be sold from, with what answers say about its age; or why it is not. */
export function freshBoard<Name extends BoardName>(
  name: Name,
  ports: GoodPorts,
): { board: HeldBoard<Name>; provenance: Provenance & Partial<typeof PRECISION> } | Problem {
  const board = ports.boards[name] as HeldBoard<Name> | null | undefined
  const provenance = provenanceOf(board?.snapshot ?? null, ports)
  if (isProblem(provenance)) return provenance
  return {
    board: board!,
    provenance: RESTS_ON_PAIRS.has(name) ? { ...provenance, ...PRECISION } : provenance,
  }
}
