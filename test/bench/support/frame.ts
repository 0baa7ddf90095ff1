import { type Contender, type Generator, startGenerator } from './contender.ts'
import type { LoadJob } from './load.ts'
import { medianRound, type Ratio, type Round, ratioOf } from './statistics.ts'

export type BenchOptions = {
  rounds: number
  seconds: number
  warmUpSeconds: number
  connections: number | null
  quotes: number //             of the archive that is read
  markets: number //            of each venue that are paired
  offered: number //            paid reads a second that our own settler settles
}

/** A contender with what is asked of it. The first of a list is ours, the others are what it is held against. */
export type Entry = {
  contender: Contender
  target?: number //  wanted ratio ours / this one; absent for ours, and where nothing is promised
  job: Pick<LoadJob, 'path' | 'expectStatus' | 'header' | 'payments' | 'connections'>
}

export type BenchResult = {
  name: string
  title: string
  remarks: string[]
  rows: (Round & { contender: string })[]
  ratios: (Ratio & { against: string })[]
}

/** One path of design section 6. */
export type Bench = {
  name: string
  title: string
  run(options: BenchOptions): Promise<BenchResult>
}

/**
 * Warm-up, then rounds in turn, A B C A B C, so that whatever else the machine does affects all alike. All servers
 * run from the beginning; those not being measured are idle.
 */
export async function race(
  bench: Pick<Bench, 'name' | 'title'>,
  entries: Entry[],
  options: BenchOptions,
  remarks: string[],
): Promise<BenchResult> {
  const generator = startGenerator()
  try {
    const rounds = await runRounds(generator, entries, options)
    const rows = entries.map(({ contender }, at) => ({
      contender: contender.name,
      ...medianRound(rounds[at]!),
    }))
    const ratios = entries.flatMap(({ contender, target }, at) =>
      target === undefined ? [] : [{ against: contender.name, ...ratioOf(rounds[0]!, rounds[at]!, target) }],
    )
    return { name: bench.name, title: bench.title, remarks, rows, ratios }
  } finally {
    generator.stop()
  }
}

async function runRounds(generator: Generator, entries: Entry[], options: BenchOptions): Promise<Round[][]> {
  const { rounds, seconds, warmUpSeconds, connections } = options
  const results: Round[][] = entries.map(() => [])
  for (let round = -1; round < rounds; round++)
    for (const [at, { contender, job }] of entries.entries()) {
      //  Round -1 fills the compilers' caches; each round then begins with a short warm-up of its own.
      const timing =
        round < 0 ? { seconds: warmUpSeconds, warmUpSeconds: 0.2 } : { seconds, warmUpSeconds: 0.3 }
      const result = await generator.load(contender, {
        ...job,
        ...timing,
        connections: connections ?? job.connections,
      })
      if (round >= 0) results[at]!.push(result)
    }
  return results
}

/** Ends everything that was started, newest first, whatever happened in between. */
export async function withCleanup<T>(work: (later: (end: () => unknown) => void) => Promise<T>): Promise<T> {
  const ends: (() => unknown)[] = []
  try {
    return await work((end) => ends.unshift(end))
  } finally {
    for (const end of ends) await end()
  }
}
