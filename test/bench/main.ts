import { parseArgs } from 'node:util'
import { orUsage, whole } from '../support/commandLine.ts'
import { useBuild } from '../support/process.ts'
import { exactRead } from './paths/exactRead.ts'
import { heavyTexts } from './paths/heavyTexts.ts'
import { historyRead } from './paths/historyRead.ts'
import { ownSettler } from './paths/ownSettler.ts'
import { pairing } from './paths/pairing.ts'
import { passRead } from './paths/passRead.ts'
import { unpaid402 } from './paths/unpaid402.ts'
import type { Bench, BenchOptions, BenchResult } from './support/frame.ts'
import { CORES, readMachine } from './support/machine.ts'
import { machineLine, resultTable } from './support/table.ts'

/** `npm run bench`: the paths of design section 6, each against its yardstick in the same run. */
const BENCHES: readonly Bench[] = [
  unpaid402,
  passRead,
  exactRead,
  ownSettler,
  heavyTexts,
  historyRead,
  pairing,
]

const HELP = `npm run bench -- [name …] [options]

${BENCHES.map(({ name, title }) => `  ${name.padEnd(12)} ${title}`).join('\n')}

  --rounds N        rounds of each contender, in turns; default 5
  --seconds N       length of a round; default 3
  --connections N   keep-alive connections, one request under way on each; default: the path's
  --quotes N        archived quotes that history is asked about; default 10,000,000
  --markets N       markets of each venue that are paired; default 100,000
  --offered N       paid reads a second that our own settler gets to settle; default 340
  --json            one JSON object on standard output and nothing else

Ratios are what counts: absolute figures vary with the machine and its other work. A target is reached when
both ratios reach it, by requests per second and by the server's CPU time per request; the second does not
depend on the load generator, which is the limit where a server uses less than a whole core.
`

const { values, chosen, options } = orUsage(HELP, readArguments)
const write = (text: string) => process.stdout.write(text)
const say = (text: string) => (values.json ? undefined : write(text))

if (values.help) write(HELP)
else {
  await useBuild()
  await main()
}

async function main(): Promise<void> {
  const machine = readMachine()
  say(`${machineLine(machine, CORES !== null)}\n\n`)
  const results: BenchResult[] = []
  for (const { run } of chosen) {
    const result = await run(options)
    results.push(result)
    say(`${resultTable(result)}\n`)
  }
  if (values.json) write(`${JSON.stringify({ machine, pinned: CORES !== null, options, results })}\n`)
}

function readArguments() {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { ...flag, short: 'h' },
      json: flag,
      rounds: text,
      seconds: text,
      connections: text,
      quotes: text,
      markets: text,
      offered: text,
    },
  })
  const options: BenchOptions = {
    rounds: whole('rounds', values.rounds, 5, 1_000),
    seconds: whole('seconds', values.seconds, 3, 1_000),
    connections: values.connections === undefined ? null : whole('connections', values.connections, 1, 1_000),
    warmUpSeconds: 2,
    quotes: whole('quotes', values.quotes, 10_000_000, 100_000_000),
    markets: whole('markets', values.markets, 100_000, 1_000_000),
    offered: whole('offered', values.offered, 340, 10_000),
  }
  return { values, options, chosen: positionals.length === 0 ? BENCHES : positionals.map(benchOf) }
}

function benchOf(name: string): Bench {
  const bench = BENCHES.find((one) => one.name === name)
  if (bench === undefined) throw new Error(`no bench is called ${name}`)
  return bench
}
