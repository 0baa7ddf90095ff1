import Stripe from 'stripe'
import { ExchangeError, exchange, openPool } from '../settlement/exchange.ts'

/** Far more than an answer with a hundred disputes has. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const CONNECTIONS = 32

/**
 * How the provider's own client reaches it. Its usual way counts only silence and keeps every byte: an answer without
 * an end ended our process once it was longer than a text can be, and one that dripped kept its connection for good.
 */
export function stripeClient(origin: string): Stripe.HttpClient {
  const pool = openPool(origin, CONNECTIONS)
  return {
    getClientName: () => 'undici',
    async makeRequest(_host, _port, path, method, headers, body, _protocol, timeoutMs) {
      const ask = {
        method: method === 'POST' ? ('POST' as const) : ('GET' as const),
        path,
        headers: textsOf(headers),
        ...(body === '' ? {} : { body }),
        timeoutMs,
        maxBytes: MAX_ANSWER_BYTES,
      }
      const { status, text, retryAfter, shouldRetry } = await exchange(pool, ask).catch((error) => {
        throw error instanceof ExchangeError && error.reason === 'timeout'
          ? Stripe.HttpClient.makeTimeoutError()
          : error
      })
      const said = { 'retry-after': retryAfter, 'stripe-should-retry': shouldRetry }
      return {
        getStatusCode: () => status,
        getHeaders: () => textsOf(said),
        getRawResponse: () => ({}), //  the client writes into it
        toStream: () => null, //        never asked for
        toJSON: async () => objectOf(JSON.parse(text)),
      }
    },
  }
}

/** The client writes into the answer, outside of what it waits for: a number or a text there would end our process. */
function objectOf(json: unknown): object {
  if (typeof json !== 'object' || json === null) throw new SyntaxError('is no JSON object')
  return json
}

const textsOf = (headers: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]])),
  )
