import { parseArgs } from 'node:util'
import { orUsage, whole } from '../support/commandLine.ts'
import { useBuild } from '../support/process.ts'
import { readMachine } from './support/machine.ts'
import { COUNTED, readCycles } from './universe/cycles.ts'
import { watchFreshness } from './universe/freshness.ts'
import { startTree } from './universe/tree.ts'

/**
 * npm run bench:universe -- [--size 100000] [--cycles 5] [--every 10000] [--step 10000] [--json]
 * The whole service over generated venues of `size` markets each: CPU of a cold and of steady cycles, memory, and how
 * long a venue's page takes until it is visible where the api answers. Pages are read every `every` ms, and within `step` ms
 * 5 % of the events move; left out, that is one cycle, as the design has it. Ends everything it started.
 */

/** Design section 6, for 100,000 markets on each venue. */
const TARGETS = { coldCpuS: 10, steadyCpuS: 1, rssGiB: 1.5, freshP99Ms: 250 } as const

const HELP = `npm run bench:universe -- [--size 100000] [--cycles 5] [--every 10000] [--step 10000] [--json]

The whole service over generated venues of that size: CPU of a cold and of steady cycles, memory, freshness. Takes some
minutes and both cores.
`
const { size, cycles, everyMs, stepMs, json } = orUsage(HELP, readArguments)

await useBuild()
const tree = await startTree({ size, everyMs, stepMs })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void tree.stop().finally(() => process.exit(1)))
try {
  await tree.complete()
  const cold = tree.usage()
  const coldCycles = await readCycles(tree)
  const fresh = watchFreshness(tree.redisUrl)
  const began = await readCycles(tree)
  const before = tree.usage()
  const after = await tree.later(async () => (await readCycles(tree)).sweeps - began.sweeps >= 2 * cycles)
  const ended = await readCycles(tree)
  const freshness = await fresh.stop()
  const turns = (ended.sweeps - began.sweeps) / 2
  const cpu = (from: typeof cold | null, to: typeof cold, share: number) =>
    Object.fromEntries(
      to.map(({ role, cpuMs }) => [role, round((cpuMs - cpuOf(from, role)) / 1_000 / share)]),
    )
  const report = {
    machine: readMachine(),
    size,
    everyMs,
    stepMs,
    cold: {
      cpuS: cpu(null, cold, 1),
      countedCpuS: sum(cpu(null, cold, 1)),
      sweeps: coldCycles.sweeps,
      changes: coldCycles.changes,
    },
    steady: {
      cycles: turns,
      changesPerCycle: Math.round((ended.changes - began.changes) / turns),
      cpuS: cpu(before, after, turns),
      countedCpuS: sum(cpu(before, after, turns)),
    },
    rssMiB: Object.fromEntries(after.map(({ role, rssMiB }) => [role, rssMiB])),
    peakMiB: Object.fromEntries(after.map(({ role, peakMiB }) => [role, peakMiB])),
    rssGiBOfThree: round(
      after
        .filter(({ role }) => /^(ingest|engine|api)$/.test(role))
        .reduce((all, { rssMiB }) => all + rssMiB, 0) / 1_024,
    ),
    freshnessMs: freshness,
    targets: TARGETS,
  }
  process.stdout.write(`${JSON.stringify(report, null, json ? 0 : 2)}\n`)
} finally {
  await tree.stop()
}

type Usage = ReturnType<typeof tree.usage>

function cpuOf(usage: Usage | null, role: string): number {
  return usage?.find((entry) => entry.role === role)?.cpuMs ?? 0
}

/** CPU of poll, map, archive, pair and publish, without the stand-in venues, the chain and the measuring itself. */
function sum(cpuS: Record<string, number>): number {
  return round(
    Object.entries(cpuS).reduce((all, [role, seconds]) => all + (COUNTED.has(role) ? seconds : 0), 0),
  )
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

function readArguments() {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const
  const { values } = parseArgs({
    options: { size: text, cycles: text, every: text, step: text, json: flag, help: { ...flag, short: 'h' } },
  })
  if (values.help) {
    process.stdout.write(HELP)
    process.exit(0)
  }
  const everyMs = whole('every', values.every, 10_000, 3_600_000)
  return {
    size: whole('size', values.size, 100_000, 1_000_000),
    cycles: whole('cycles', values.cycles, 5, 1_000),
    everyMs,
    stepMs: whole('step', values.step, everyMs, 3_600_000),
    json: values.json ?? false,
  }
}
