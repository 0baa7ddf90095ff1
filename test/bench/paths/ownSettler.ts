import { SECOND } from '../../../ops/units.ts'
import { startTestChain } from '../../support/chain.ts'
import { startService } from '../../support/service.ts'
import { type Contender, startGenerator } from '../support/contender.ts'
import { type Bench, withCleanup } from '../support/frame.ts'
import { heldLimit } from '../support/limit.ts'
import { offerOf } from '../support/offer.ts'
import { medianRound, type Round } from '../support/statistics.ts'

const PATH = '/x402/v1/spread'
const BUYERS = 200
const BLOCK_S = 2
const PER_SECOND = 300
const LIMIT_MS = BLOCK_S * SECOND + 300
/** A round spans several blocks, and begins once sales come as evenly as they are offered. */
const SECONDS_A_SECOND = 8
const WARM_UP_S = 3 * BLOCK_S
/** Longer than a sale may wait; if one waits longer, the rate is not held anyway. */
const WAITING_S = 5
const MOST_ROUNDS = 2

/**
 * Reads sold through our own settler: a real chain, one key, the whole service, each sale a payment of its own. The
 * yardstick is a limit.
 */
export const ownSettler: Bench = {
  name: 'own-settler',
  title: `x402 exact read of ${PATH}, own settler, one key, a block every ${BLOCK_S} s`,
  run: (options) =>
    withCleanup(async (later) => {
      const chain = await startTestChain({ buyers: BUYERS, blockTimeS: BLOCK_S })
      later(() => chain.stop())
      const service = await startService({ chain, processes: 1, env: { FINALITY: '1:3' } }) // as it is shipped
      later(() => service.stop())
      const [url, api] = [new URL(PATH, service.bases[0]), service.apis[0]!]
      const ours: Contender = {
        name: 'this service, one api process',
        port: Number(url.port),
        pid: api.pid,
        stop: () => api.stop(),
      }
      const { offer, resource } = await offerOf(url.href)
      const generator = startGenerator()
      later(() => generator.stop())
      const seconds = SECONDS_A_SECOND * options.seconds
      const job = {
        path: PATH,
        expectStatus: 200,
        seconds,
        warmUpSeconds: WARM_UP_S,
        offered: options.offered,
        connections: options.offered * WAITING_S,
        payments: {
          terms: offer,
          resource,
          keys: chain.buyers.map(({ privateKey }) => privateKey.slice('0x'.length)),
          count: options.offered * (seconds + WARM_UP_S + WAITING_S),
        },
      }
      const rounds: Round[] = []
      for (let round = 0; round < Math.min(options.rounds, MOST_ROUNDS); round++)
        rounds.push(await generator.load(ours, job))
      const middle = medianRound(rounds)
      return {
        name: ownSettler.name,
        title: ownSettler.title,
        rows: [{ contender: ours.name, ...middle }],
        ratios: [
          heldLimit(`${PER_SECOND} paid reads a second`, rounds, ({ perSecond }) => perSecond / PER_SECOND),
          heldLimit(`as fast as a p50 of ${LIMIT_MS} ms`, rounds, ({ p50Ms }) => LIMIT_MS / p50Ms),
        ],
        remarks: [
          `${options.offered} reads a second are offered, however slow the answers are, and timed from when they were due; what is`,
          'left of that is what was settled. Nothing is pinned: api, worker, chain, ledger with fsync always and load share all cores.',
        ],
      }
    }),
}
