import type { Dispatcher } from 'undici'
import Pool from 'undici/lib/dispatcher/pool.js'

/**
 * One HTTP exchange with a peer we do not trust to be brief, quick or honest: whole-exchange deadline, bounded
 * body, no redirects (the attacker's host of FAC-12), no decompression (a bomb stays as small as it came, FAC-13).
 */
export type Exchange = {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
  timeoutMs: number
  maxBytes: number
}

export type Reply = {
  status: number
  contentType: string
  retryAfter: string | null
  extensionResponses: string | null // EXTENSION-RESPONSES of a facilitator
  shouldRetry: string | null //        STRIPE-SHOULD-RETRY of the card provider
  text: string
}

/** @property mayHaveArrived false only when the request provably never left: no connection was made. */
export class ExchangeError extends Error {
  readonly mayHaveArrived: boolean
  readonly reason: string //  code of the failure, never an address or a body
  constructor(reason: string, mayHaveArrived: boolean) {
    super(`exchange failed: ${reason}`)
    this.name = 'ExchangeError'
    this.reason = reason
    this.mayHaveArrived = mayHaveArrived
  }
}

/**
 * How a kept-alive connection fails that the peer closes as we write. One that it closes with our request unread is not
 * ended but reset.
 */
const CUT = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** Whether the connection was cut before an answer. The peer may have heard: worth one more try where that does no harm. */
export const wasCut = (error: unknown): boolean => error instanceof ExchangeError && CUT.has(error.reason)

/**
 * Most servers close idle connections after 5 or 10 s. If one is closed while we write a settlement, only the chain can
 * tell what became of it, so we close first.
 */
const KEPT_IDLE_MS = 4_000

/** Connections to one origin; the number bounds what may be under way at once, the rest waits. */
export function openPool(origin: string, connections: number): Pool {
  return new Pool(origin, {
    connections,
    pipelining: 1,
    connectTimeout: 3_000,
    keepAliveTimeout: KEPT_IDLE_MS,
  })
}

const NEVER_LEFT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/**
 * Without a stream of its own: an answer is small, and making one would cost more than the rest of the exchange.
 * @throws ExchangeError and nothing else.
 */
export function exchange(pool: Pool, ask: Exchange): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let over = false
    let connection: Dispatcher.DispatchController | null = null
    let status = 0
    let headers: Record<string, string | string[] | undefined> = {}
    let size = 0
    const chunks: Buffer[] = []
    const end = (): boolean => {
      if (over) return false
      over = true
      clearTimeout(timer)
      return true
    }
    const fail = (reason: string, mayHaveArrived: boolean) => {
      if (end()) reject(new ExchangeError(reason, mayHaveArrived))
    }
    const cut = (reason: string) => {
      fail(reason, true)
      connection?.abort(new Error(reason))
    }
    const failed = (error: unknown) => {
      const reason = codeOf(error)
      fail(reason, !NEVER_LEFT.has(reason))
    }
    const timer = setTimeout(() => cut('timeout'), ask.timeoutMs)
    const options: Dispatcher.DispatchOptions = {
      method: ask.method,
      path: ask.path,
      headers: { ...ask.headers, 'accept-encoding': 'identity' },
      body: ask.body ?? null,
    }
    try {
      pool.dispatch(options, {
        onRequestStart(controller) {
          connection = controller
          if (over) controller.abort(new Error('timeout')) //  it waited too long for a connection
        },
        onResponseStart(_, statusCode, answered) {
          status = statusCode
          headers = answered
        },
        onResponseData(_, chunk) {
          size += chunk.length
          if (size > ask.maxBytes) cut('body_too_large')
          else chunks.push(chunk)
        },
        onResponseEnd() {
          if (!end()) return
          resolve({
            status,
            contentType: one(headers['content-type']) ?? '',
            retryAfter: one(headers['retry-after']),
            extensionResponses: one(headers['extension-responses']),
            shouldRetry: one(headers['stripe-should-retry']),
            text: Buffer.concat(chunks).toString('utf8'),
          })
        },
        onResponseError: (_, error) => failed(error),
      })
    } catch (error) {
      failed(error)
    }
  })
}

const one = (value: string | string[] | undefined): string | null =>
  (Array.isArray(value) ? value[0] : value) ?? null

/** Dual-stack connects fail with an aggregate whose members carry the codes. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown'
  if ('code' in error && typeof error.code === 'string') return error.code
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  if ('cause' in error && error.cause !== undefined) return codeOf(error.cause)
  return 'unknown'
}
