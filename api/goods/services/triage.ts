import { z } from 'zod'
import { KIND_NAMES } from '../utility/pii/kinds.ts'
import type { Counts } from '../utility/pii/result.ts'
import { Scan } from '../utility/scan/result.ts'

const Kind = Scan.pick({ failureClass: true, area: true, retryable: true, nextAction: true })
const Count = z.int().min(0)

/** One entry per class of failure, the most frequent first. */
export const Triage = z.object({
  samples: Count,
  retryable: Count.describe('How many may succeed when they are sent again unchanged'),
  classes: z.array(Kind.extend({ count: Count, samples: z.array(Count).describe('Positions, from 0') })),
  sensitive: Scan.shape.sensitive.pick({ total: true, counts: true }),
})
export type Triage = z.infer<typeof Triage>

/** Combines many scans. Pure. */
export function triage(scans: readonly Scan[]): Triage {
  const byClass = Map.groupBy(
    scans.map((scan, at) => ({ scan, at })),
    ({ scan }) => scan.failureClass,
  )
  const classes = [...byClass.values()].map((members) => {
    const { failureClass, area, retryable, nextAction } = members[0]!.scan
    const samples = members.map(({ at }) => at)
    return { failureClass, area, retryable, nextAction, count: samples.length, samples }
  })
  const sumOf = (kind: keyof Counts): number =>
    scans.reduce((sum, { sensitive }) => sum + sensitive.counts[kind], 0)
  const counts = Object.fromEntries(KIND_NAMES.map((kind) => [kind, sumOf(kind)])) as Counts
  return {
    samples: scans.length,
    retryable: scans.filter(({ retryable }) => retryable === true).length,
    classes: classes.sort((a, b) => b.count - a.count || a.samples[0]! - b.samples[0]!),
    sensitive: { total: scans.reduce((total, { sensitive }) => total + sensitive.total, 0), counts },
  }
}
