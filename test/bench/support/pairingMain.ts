import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Pairer } from '../../../engine/core/pairing/pairer.ts'
import { collectYoungAlone } from '../../../ops/heap.ts'
import { generatedMarkets } from '../../engine/support/generatedMarkets.ts'

/**
 * Pairs two generated venues of MARKETS each from nothing, then meets markets it has not seen, one at a time, and prints one line of
 * JSON (`PairingFigures`). The worlds are made before anything is measured.
 */
export type PairingFigures = {
  markets: number //       loaded, both venues
  pairs: number
  wrong: number //         pairs that the generator says do not belong together
  recall: number //        share of the generator's questions asked on both venues that are paired
  coldMs: number
  coldCpuMs: number
  heapMiB: number //       of all that the pairer keeps, markets among it
  newMs: number[] //       of each new market, in order
}

const SEED = 20_261_121
const NEW_MARKETS = 2_000

const { a, b, truth } = generatedMarkets(SEED, Number(process.env.MARKETS))
const isFirst = new Set([...a, ...b].map(({ venue, marketId }) => venue + marketId))
const later = generatedMarkets(SEED + 1, NEW_MARKETS)
const isNew = [...later.a, ...later.b].filter(({ venue, marketId }) => !isFirst.has(venue + marketId))

collectYoungAlone() //  as the engine does
const cpuBefore = process.cpuUsage()
const startedMs = performance.now()
const pairer = new Pairer()
for (const market of [...a, ...b]) pairer.load(market)
for (const _ of pairer.pairLoaded());
const coldMs = performance.now() - startedMs
const { user, system } = process.cpuUsage(cpuBefore)

setFlagsFromString('--expose-gc')
runInNewContext('gc')()
const heapMiB = process.memoryUsage().heapUsed / 2 ** 20

const label = new Map(truth.map((row) => [`${row.aMarketId}|${row.bTicker}`, row.label]))
const isRight = (pair: { a: string; b: string; verdict: string }) =>
  label.get(`${pair.a}|${pair.b}`) === (pair.verdict === 'identity' ? 'same' : 'inverted')
const pairs = [...pairer.pairs.values()]
const wrong = pairs.filter((pair) => !isRight(pair)).length
const questions = new Set(truth.flatMap((row) => (row.label === 'not' ? [] : [row.aMarketId]))).size
const newMs = isNew.map((market) => {
  const beganMs = performance.now()
  pairer.set(market)
  return performance.now() - beganMs
})
const figures: PairingFigures = {
  markets: a.length + b.length,
  pairs: pairs.length,
  wrong,
  recall: (pairs.length - wrong) / questions,
  coldMs,
  coldCpuMs: (user + system) / 1_000,
  heapMiB,
  newMs,
}
process.stdout.write(`figures ${JSON.stringify(figures)}\n`)
