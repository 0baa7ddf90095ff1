import type { Scan } from '../utility/scan/result.ts'

type Kind = Pick<Scan, 'failureClass' | 'area' | 'retryable' | 'nextAction'>

/** One entry per class of failure, the most frequent first; `samples` are positions from 0. */
export type Triage = {
  samples: number
  retryable: number //  how many may succeed when they are sent again unchanged
  classes: (Kind & { count: number; samples: number[] })[]
  sensitive: { total: number; counts: Record<string, number> }
}

/** What many scans say together. Pure. */
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
  const counts: Record<string, number> = {}
  for (const { sensitive } of scans)
    for (const [kind, count] of Object.entries(sensitive.counts)) counts[kind] = (counts[kind] ?? 0) + count
  return {
    samples: scans.length,
    retryable: scans.filter(({ retryable }) => retryable === true).length,
    classes: classes.sort((a, b) => b.count - a.count || a.samples[0]! - b.samples[0]!),
    sensitive: { total: scans.reduce((total, { sensitive }) => total + sensitive.total, 0), counts },
  }
}
