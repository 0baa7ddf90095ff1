import type { z } from 'zod'
import { isProblem } from '../errors.ts'
import type { Reply } from '../http/exchange.ts'
import { problemReply } from '../http/respond.ts'
import type { Route } from '../http/router.ts'
import type { ClassicPorts } from './ports.ts'
import { createRates } from './rates.ts'
import { type Asked, readRequest } from './request.ts'
import { fulfill, purchase, quote, settle, unavailableReply } from './routes.ts'
import { FulfillRequest, PurchaseRequest, QuoteRequest, SettleRequest } from './shapes.ts'

/** Opening costs the ledger and every rail; looking costs one rail. By address, in each process. */
export const CLASSIC_RATES = { openings: { perS: 5, burst: 60 }, looks: { perS: 20, burst: 200 } }

/** The classic purchase (spec 4.2, 5.3): intent, payment on any rail, fulfilment. */
export function openClassic(ports: ClassicPorts, rates = CLASSIC_RATES): Route[] {
  const openings = createRates(rates.openings, ports.clock)
  const looks = createRates(rates.looks, ports.clock)
  const route = <Schema extends z.ZodType<{ buyerId?: string | undefined }>>(
    path: string,
    schema: Schema,
    rate: (caller: string) => number,
    answer: (asked: Asked<z.output<Schema>>, ports: ClassicPorts) => Promise<Reply>,
  ): Route => ({
    method: 'POST',
    path,
    async handler(request) {
      const waitS = rate(request.address)
      if (waitS > 0) return problemReply({ problem: 'rate_limited', retryAfterS: waitS })
      const asked = await readRequest(request, schema)
      if (isProblem(asked)) return problemReply(asked)
      try {
        return await answer(asked, ports)
      } catch (error) {
        return unavailableReply(error)
      }
    },
  })
  return [
    route('/purchase-intent', PurchaseRequest, openings, purchase),
    route('/fulfill', FulfillRequest, looks, fulfill),
    route('/checkout/settle', SettleRequest, looks, settle),
    route('/quote', QuoteRequest, openings, quote),
  ]
}
