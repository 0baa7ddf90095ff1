import type { CapturedHeader, HttpRequest } from '../http/exchange.ts'
import { type Arguments, type Tool, textArguments } from './tool.ts'

/** Where the x402 MCP transport puts the payment of a call: a PaymentPayload as JSON. */
export const PAYMENT_META = 'x402/payment'

/** What else may pay for a call, or belongs to the payment: keys of `_meta`, and the headers they stand for. */
const META_HEADERS: Readonly<Record<string, CapturedHeader>> = {
  'service/pass': 'x-service-pass',
  'service/agent-id': 'x-agent-id',
  'service/credit-auth': 'x-service-credit-auth',
  'service/claim-code': 'x-service-claim-code',
  'service/idempotency-key': 'idempotency-key',
  'service/payer-signature': 'x-service-payer-signature',
}

/** Each header that answers mention, with the key of `_meta` that a call uses for it. */
export const META_OF_HEADERS: readonly (readonly [CapturedHeader, string])[] = [
  ['payment-signature', PAYMENT_META],
  ...Object.entries(META_HEADERS).map(([key, header]) => [header, key] as const),
]

/** Headers of the connection that pay for every call that does not bring a payment of its own. */
export const STANDING = ['x-service-pass', 'x-service-credit-auth'] as const

const PAYING = ['payment-signature', ...STANDING] as const

/** Keys of `_meta` under which a call itself brings one of these headers. */
const PAYING_META = [
  PAYMENT_META,
  ...Object.keys(META_HEADERS).filter((key) => STANDING.some((name) => name === META_HEADERS[key])),
]

type Headers = Partial<Record<CapturedHeader, string>>

/** What is needed of an MCP request after its body has been read, when the request itself is gone. */
export type Caller = {
  address: string
  agentId: string
  standing: Headers
}

/** Whether a message calls a paid tool and brings a payment. Such a call is counted, and never refused by a rate limit. */
export function bringsPayment(
  json: object,
  tools: ReadonlyMap<string, Tool>,
  { standing }: Pick<Caller, 'standing'>,
): boolean {
  const { method, params } = json as { method?: unknown; params?: { name?: unknown; _meta?: unknown } | null }
  const tool = typeof params?.name === 'string' ? tools.get(params.name) : undefined
  if (method !== 'tools/call' || tool === undefined || tool.discovery === null) return false
  const meta = typeof params?._meta === 'object' && params._meta !== null ? params._meta : {}
  return Object.keys(standing).length > 0 || PAYING_META.some((key) => Object.hasOwn(meta, key))
}

/** To be called before the first await. */
export const callerOf = (request: HttpRequest): Caller => ({
  address: request.address,
  agentId: request.header('x-agent-id'),
  standing: Object.fromEntries(
    STANDING.map((name) => [name, request.header(name)]).filter(([, value]) => value !== ''),
  ),
})

/** The HTTP request that a tool call stands for. @returns a text, the reason, when there is none. */
export function requestOf(
  tool: Tool,
  args: Arguments,
  meta: Arguments,
  caller: Caller,
): HttpRequest | string {
  const paying = payingHeaders(meta, caller)
  if (typeof paying === 'string') return paying
  const isUnpaid = tool.discovery !== null && !PAYING.some((name) => paying[name] !== undefined)
  const asked = tool.requestFor(args)
  //  as over HTTP, the price comes before the parameters are checked
  const request = typeof asked === 'string' && isUnpaid ? tool.requestFor({}) : asked
  if (typeof request === 'string') return request
  const sent = new Map(Object.entries({ ...request.headers, ...paying }))
  const body = Buffer.from(request.body)
  return {
    method: request.method,
    path: request.path,
    rawQuery: new URLSearchParams(request.query).toString(),
    header: (name) => sent.get(name) ?? '',
    headerCount: (name) => (sent.has(name) ? 1 : 0),
    address: caller.address,
    body: async () => body,
  }
}

function payingHeaders(meta: Arguments, { agentId, standing }: Caller): Headers | string {
  const texts = textArguments(meta, Object.keys(META_HEADERS))
  if (typeof texts === 'string') return `_meta ${texts}`
  const headers: Headers = agentId === '' ? {} : { 'x-agent-id': agentId }
  for (const [key, value] of Object.entries(texts)) headers[META_HEADERS[key]!] = value
  const payment = meta[PAYMENT_META]
  if (payment !== undefined)
    headers['payment-signature'] = Buffer.from(JSON.stringify(payment)).toString('base64')
  return PAYING.some((name) => headers[name] !== undefined) ? headers : { ...headers, ...standing }
}
