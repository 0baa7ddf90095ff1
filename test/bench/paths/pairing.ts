import { startProcess } from '../support/contender.ts'
import { type Bench, withCleanup } from '../support/frame.ts'
import { heldLimit } from '../support/limit.ts'
import type { PairingFigures } from '../support/pairingMain.ts'
import { medianRound, percentile, type Round } from '../support/statistics.ts'

const COLD_LIMIT_MS = 20_000
const NEW_LIMIT_MS = 5
/** A cold round takes half a minute, most of it to make the world. */
const MOST_ROUNDS = 3
const ROUND_MS = 600_000

/** What the engine's pairing costs at its start, and when a venue lists something new. The yardstick is a limit. */
export const pairing: Bench = {
  name: 'pairing',
  title: 'pairing: two whole venues from nothing on one core, and one new market',
  run: (options) =>
    withCleanup(async (later) => {
      const figures: PairingFigures[] = []
      for (let round = 0; round < Math.min(options.rounds, MOST_ROUNDS); round++) {
        const env = { MARKETS: String(options.markets) }
        const running = startProcess('test/bench/support/pairingMain.ts', { env, measured: true })
        later(() => running.stop())
        const [, json] = await running.says(/figures (.*)\n/, ROUND_MS)
        figures.push(JSON.parse(json!))
      }
      const cold = figures.map(coldRound)
      const fresh = figures.map(newRound)
      const [whole, one] = [medianRound(cold), medianRound(fresh)]
      const { markets, pairs, wrong, recall, heapMiB } = figures[0]!
      return {
        name: pairing.name,
        title: pairing.title,
        rows: [
          { contender: 'two whole venues', ...whole },
          { contender: 'one new market', ...one },
        ],
        ratios: [
          //  its CPU time on one core, which does not depend on what else the machine did
          heldLimit(`as fast as ${COLD_LIMIT_MS} ms (two venues)`, cold, ({ cpuMicros }) => {
            return (COLD_LIMIT_MS * 1_000) / cpuMicros!
          }),
          heldLimit(`as fast as ${NEW_LIMIT_MS} ms (new markets, 99 of 100)`, fresh, ({ p99Ms }) => {
            return NEW_LIMIT_MS / p99Ms
          }),
        ],
        remarks: [
          `${count(markets)} markets, ${count(pairs)} pairs, ${wrong} of them wrong, recall ${(100 * recall).toFixed(1)} %; ` +
            `${heapMiB.toFixed(0)} MiB with the texts of all markets (${((heapMiB * 2 ** 20) / markets).toFixed(0)} bytes each).`,
          'Markets of the sandbox generator, which knows the truth. Fewer: --markets 10000.',
        ],
      }
    }),
}

const coldRound = ({ coldMs, coldCpuMs }: PairingFigures): Round => ({
  requests: 1,
  perSecond: 1_000 / coldMs,
  p50Ms: coldMs,
  p99Ms: coldMs,
  bytes: 0,
  generatorShare: 0,
  cpuMicros: coldCpuMs * 1_000,
  coreShare: coldCpuMs / coldMs,
})

function newRound({ newMs }: PairingFigures): Round {
  const sorted = Float64Array.from(newMs).sort()
  const sumMs = sorted.reduce((sum, ms) => sum + ms, 0)
  return {
    requests: newMs.length,
    perSecond: (newMs.length * 1_000) / sumMs,
    bytes: 0,
    generatorShare: 0,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    cpuMicros: null,
    coreShare: null,
  }
}

const count = (value: number): string => value.toLocaleString('en-US')
