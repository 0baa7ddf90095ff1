import { serve } from '@hono/node-server'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/hono'
import { Hono } from 'hono'

/**
 * The x402 reference middleware on Hono, set up as its documentation does, selling one answer that is ready
 * in memory at our price. SALE is JSON. Prints `port N` when it listens.
 */
const sale = JSON.parse(process.env.SALE ?? '') as {
  path: string
  body: string
  description: string
  facilitatorUrl: string
  offer: {
    network: `eip155:${string}`
    amount: string
    asset: string
    payTo: string
    extra: Record<string, string>
  }
  maxTimeoutSeconds: number
}
const { network, amount, asset, payTo, extra } = sale.offer
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: sale.facilitatorUrl })).register(
  network,
  new ExactEvmScheme(),
)
const app = new Hono()
app.use(
  paymentMiddleware(
    {
      [`GET ${sale.path}`]: {
        accepts: {
          scheme: 'exact',
          network,
          payTo,
          price: { asset, amount, extra },
          maxTimeoutSeconds: sale.maxTimeoutSeconds,
        },
        description: sale.description,
        mimeType: 'application/json',
      },
    },
    server,
  ),
)
app.get(sale.path, (context) => context.body(sale.body, 200, { 'content-type': 'application/json' }))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`port ${port}\n`)
})
process.on('SIGTERM', () => process.exit(0))
