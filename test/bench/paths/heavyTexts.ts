import { type Contender, startGenerator } from '../support/contender.ts'
import { type Bench, type BenchOptions, withCleanup } from '../support/frame.ts'
import type { LoadJob } from '../support/load.ts'
import { offerOf } from '../support/offer.ts'
import { startOurs } from '../support/ours.ts'
import { randomKeys } from '../support/payments.ts'
import { startInstantWorld } from '../support/standIns.ts'
import { medianRound, type Round } from '../support/statistics.ts'

const MARKET_READ = '/x402/v1/spread'
const MARKET_CONNECTIONS = 8
const TEXT_CONNECTIONS = 4
/** Payments prepared per second of a round: more than are used. */
const PAYMENTS_PER_SECOND = 1_500
/** The texts run before the market reads begin and after they have ended. */
const AROUND_SECONDS = 4

const LIGHT = `/x402/v1/json?q=${encodeURIComponent('{a:1}')}`
/** The longest q allowed, of the text that costs the most expensive read most: about 9 ms of CPU. */
const HEAVY_TEXT = '-----BEGIN PRIVATE KEY-----\n'.repeat(292)
const HEAVY = `/x402/v1/pii?q=${encodeURIComponent(HEAVY_TEXT)}`

type Job = Omit<LoadJob, 'port' | 'seconds' | 'warmUpSeconds'>

/** INP-16: does somebody's long text delay other people's market reads? */
export const heavyTexts: Bench = {
  name: 'heavy-texts',
  title: `${MARKET_READ} while others send the heaviest texts`,
  run: (options) =>
    withCleanup(async (later) => {
      const world = await startInstantWorld(later)
      const ours = await startOurs(world, later)
      const [market, texts] = [startGenerator(), startGenerator()]
      later(() => market.stop())
      later(() => texts.stop())
      const jobOf = async (path: string, connections: number): Promise<Job> => {
        const { offer, resource } = await offerOf(`http://127.0.0.1:${ours.port}${path}`)
        const count = PAYMENTS_PER_SECOND * (options.seconds + AROUND_SECONDS)
        return {
          path,
          connections,
          expectStatus: 200,
          payments: { terms: offer, resource, keys: randomKeys(16), count },
        }
      }
      const read = await jobOf(MARKET_READ, MARKET_CONNECTIONS)
      const scenes = [
        { name: 'market reads alone', beside: null },
        { name: 'beside light texts', beside: await jobOf(LIGHT, TEXT_CONNECTIONS) },
        { name: 'beside the heaviest texts', beside: await jobOf(HEAVY, TEXT_CONNECTIONS) },
      ]
      const rounds = scenes.map((): Round[] => [])
      for (let round = -1; round < options.rounds; round++)
        for (const [at, { beside }] of scenes.entries()) {
          const result = await oneRound({ market, texts, ours, read, beside, options })
          if (round >= 0) rounds[at]!.push(result)
        }
      const rows = scenes.map(({ name }, at) => ({ contender: name, ...medianRound(rounds[at]!) }))
      const p99 = rows.map(({ contender, p99Ms }) => `${contender} ${p99Ms.toFixed(2)} ms`)
      return {
        name: heavyTexts.name,
        title: heavyTexts.title,
        rows,
        ratios: [],
        remarks: [
          `p99: ${p99.join(', ')}.`,
          'The threads that work texts out are pinned to the same core as the event loop here; elsewhere they have others.',
        ],
      }
    }),
}

async function oneRound({
  market,
  texts,
  ours,
  read,
  beside,
  options,
}: {
  market: ReturnType<typeof startGenerator>
  texts: ReturnType<typeof startGenerator>
  ours: Contender
  read: Job
  beside: Job | null
  options: BenchOptions
}): Promise<Round> {
  const timing = { seconds: options.seconds, warmUpSeconds: 0.3 }
  if (beside === null) return market.load(ours, { ...read, ...timing })
  const [result] = await Promise.all([
    market.load(ours, { ...read, ...timing }),
    texts.load(ours, { ...beside, seconds: options.seconds + AROUND_SECONDS, warmUpSeconds: 0 }),
  ])
  return { ...result, cpuMicros: null, coreShare: null } //  the process has worked for both loads
}
