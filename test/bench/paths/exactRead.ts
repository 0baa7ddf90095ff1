import { type Bench, race, withCleanup } from '../support/frame.ts'
import { buyOnce, offerOf } from '../support/offer.ts'
import { startOurs } from '../support/ours.ts'
import { randomKeys } from '../support/payments.ts'
import { startHono, startInstantWorld } from '../support/standIns.ts'

const PATH = '/x402/v1/spread'
const BUYERS = 64
/** Payments prepared per second of a round: more than any contender takes. */
const PAYMENTS_PER_SECOND = 4_000

/** A read paid by its own x402 payment, with everything outside the process answering at once. */
export const exactRead: Bench = {
  name: 'exact-read',
  title: `x402 exact read of ${PATH}, instant facilitator stub`,
  run: (options) =>
    withCleanup(async (later) => {
      const world = await startInstantWorld(later)
      const ours = await startOurs(world, later)
      const url = `http://127.0.0.1:${ours.port}${PATH}`
      const { offer, resource, description } = await offerOf(url)
      const body = await buyOnce(url, offer, resource)
      const hono = await startHono({ path: PATH, body, description, offer, ...world }, later)
      const count = Math.ceil(PAYMENTS_PER_SECOND * (options.seconds + 1))
      const job = {
        path: PATH,
        connections: 64,
        expectStatus: 200,
        payments: { terms: offer, resource, keys: randomKeys(BUYERS), count },
      }
      return race(
        exactRead,
        [
          { contender: ours, job },
          { contender: hono, target: 5, job },
        ],
        options,
        [
          'Both call the same stub for verify and settle. Ours also claims in Redis with fsync always, checks the',
          'signature, confirms the transfer by JSON-RPC (a stub that answers at once, since confirming cannot be',
          'switched off), signs a receipt and stores the answer; the reference does none of these.',
        ],
      )
    }),
}
