import { type Bench, race, withCleanup } from '../support/frame.ts'
import { offerOf } from '../support/offer.ts'
import { startOurs } from '../support/ours.ts'
import { recordReply, startBare, startHono, startInstantWorld } from '../support/standIns.ts'

const PATH = '/x402/v1/spread'

/** What most callers get: the price. It must cost next to nothing, and no store or chain may be asked. */
export const unpaid402: Bench = {
  name: 'unpaid-402',
  title: `unpaid 402 of ${PATH}`,
  run: (options) =>
    withCleanup(async (later) => {
      const world = await startInstantWorld(later)
      const ours = await startOurs(world, later)
      const base = `http://127.0.0.1:${ours.port}`
      const bare = await startBare(await recordReply(`${base}${PATH}`), later)
      const { offer, description } = await offerOf(`${base}${PATH}`)
      const hono = await startHono({ path: PATH, body: '{}', description, offer, ...world }, later)
      const job = { path: PATH, connections: 256, expectStatus: 402 }
      return race(
        unpaid402,
        [
          { contender: ours, job },
          { contender: bare, target: 0.5, job },
          { contender: hono, target: 10, job },
        ],
        options,
        ['Ours makes a fresh signed legacy intent in every 402; the reference has no such thing.'],
      )
    }),
}
