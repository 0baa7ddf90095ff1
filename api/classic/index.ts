import type { z } from 'zod'
import { isProblem } from '../errors.ts'
import type { Reply } from '../http/exchange.ts'
import { type Limit, RATE_LIMITS } from '../http/limits.ts'
import { createRateLimit, type RateLimit } from '../http/rateLimit.ts'
import { problemReply } from '../http/respond.ts'
import type { Route } from '../http/router.ts'
import type { ClassicPorts } from './ports.ts'
import { type Asked, readRequest } from './request.ts'
import { fulfill, purchase, quote, settle, unavailableReply } from './routes.ts'
import { FulfillRequest, PurchaseRequest, QuoteRequest, SettleRequest } from './shapes.ts'

/** Opening costs the ledger and every rail; looking costs one rail. */
type Rates = Record<'openings' | 'looks', Pick<Limit, 'burst' | 'perS'>>
export const CLASSIC_RATES: Rates = RATE_LIMITS

/** The classic purchase (spec 4.2, 5.3): intent, payment on any rail, fulfilment. */
export function openClassic(ports: ClassicPorts, rates = CLASSIC_RATES): Route[] {
  const limitOf = (name: keyof Rates) =>
    createRateLimit({ ...RATE_LIMITS[name], ...rates[name] }, ports.clock)
  const openings = limitOf('openings')
  const looks = limitOf('looks')
  const route = <Schema extends z.ZodType<{ buyerId?: string | undefined }>>(
    path: string,
    schema: Schema,
    limit: RateLimit,
    answer: (asked: Asked<z.output<Schema>>, ports: ClassicPorts) => Promise<Reply>,
  ): Route => ({
    method: 'POST',
    path,
    limit,
    async handler(request) {
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
