import { SECOND } from '../../../ops/units.ts'
import { sleep } from '../../support/process.ts'

/** The processes whose work makes up a cycle: poll, map, archive, pair, publish, and taking over what is published. */
export const COUNTED: ReadonlySet<string> = new Set(['ingest', 'engine', 'api', 'redis', 'clickhouse'])

/** The operator's figures of one process. */
export async function readFigures(origin: string) {
  const text = await readPatiently(`${origin}/metrics`)
  return {
    /** All samples of a metric whose labels match, added up. */
    sum: (name: string, labels = /(?:)/): number =>
      text.split('\n').reduce((all, line) => {
        const found = /^([a-z_0-9]+)(?:\{([^}]*)\})? (\S+)$/.exec(line)
        return found !== null && found[1] === name && labels.test(found[2] ?? '')
          ? all + Number(found[3])
          : all
      }, 0),
  }
}

/** Asks again while a process is busy for seconds or restarts: its cost is in the figures either way. */
async function readPatiently(url: string): Promise<string> {
  for (let tries = 1; ; tries++)
    try {
      return await (await fetch(url, { headers: { connection: 'close' } })).text()
    } catch (error) {
      if (tries === 60) throw error
      await sleep(1 * SECOND)
    }
}

/** Complete sweeps of both venues so far, and what they changed. */
export async function readCycles({ operator }: { operator: Record<string, string> }) {
  const ingest = await readFigures(operator.ingest!)
  return {
    sweeps: ingest.sum('ingest_sweeps_total', /outcome="complete"/),
    changes: ingest.sum('ingest_changes_total'),
  }
}
