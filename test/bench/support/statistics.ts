/** Middle of the values; the mean of the two middle ones when their number is even. @throws when empty. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('assumption broken: the median of nothing')
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}

/** Smallest value that is not below `share` of all (nearest rank). @param sorted ascending. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) throw new Error('assumption broken: a percentile of nothing')
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]!
}

/** What one contender did in one round. */
export type Round = {
  requests: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  bytes: number //               of one answer, median
  cpuMicros: number | null //    of the server process per request; null where it cannot be read
  coreShare: number | null //    share of one core that the server used; below about 0.9 something else was the limit
  generatorShare: number //      share of one core that the load generator used
}

/** All rounds of one contender as one: each figure is its median. */
export function medianRound(rounds: readonly Round[]): Round {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick))
  const known = (pick: (round: Round) => number | null) => {
    const values = rounds.map(pick).filter((value) => value !== null)
    return values.length === rounds.length ? median(values) : null
  }
  return {
    requests: of(({ requests }) => requests),
    perSecond: of(({ perSecond }) => perSecond),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    bytes: of(({ bytes }) => bytes),
    generatorShare: of(({ generatorShare }) => generatorShare),
    cpuMicros: known(({ cpuMicros }) => cpuMicros),
    coreShare: known(({ coreShare }) => coreShare),
  }
}

export type Ratio = {
  perSecond: number //        medians of requests per second, ours over theirs
  range: [low: number, high: number] // of the single rounds, each against its neighbour
  cpu: number | null //       CPU time per request, theirs over ours: does not depend on the load generator
  target: number
  met: boolean //             both ratios reach the target
}

/** @param ours, theirs: rounds in the order they ran, so that round n of one ran next to round n of the other. */
export function ratioOf(ours: readonly Round[], theirs: readonly Round[], target: number): Ratio {
  const [mine, other] = [medianRound(ours), medianRound(theirs)]
  const single = ours.map((round, at) => round.perSecond / theirs[at]!.perSecond)
  const perSecond = mine.perSecond / other.perSecond
  const cpu = mine.cpuMicros === null || other.cpuMicros === null ? null : other.cpuMicros / mine.cpuMicros
  return {
    perSecond,
    cpu,
    target,
    range: [Math.min(...single), Math.max(...single)],
    met: Math.min(perSecond, cpu ?? perSecond) >= target,
  }
}
