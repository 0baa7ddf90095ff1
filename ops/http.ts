import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Agent, request } from 'undici'
import { ServiceError } from './errors.ts'
import { SECOND } from './units.ts'

export type HttpErrorCode =
  | 'http_aborted' //      the caller gave up
  | 'http_timeout' //      connect, headers and body together took longer than `timeoutMs`
  | 'http_unreachable' //  no connection, TLS failure, or the connection broke
  | 'http_redirect' //     3xx: never followed, a venue's data is read where we asked for it
  | 'http_rate_limited' // 429
  | 'http_status' //       any other status that is not 2xx
  | 'http_too_large' //    more than `maxBytes`, before or after decompression
  | 'http_encoding' //     compressed in a way we did not ask for, or broken
  | 'http_not_json' //     HTML, an empty body, a cut body

/** An outgoing read that gave no JSON. The message holds origin and status, never a query or a body. */
export class HttpError extends ServiceError {
  readonly code: HttpErrorCode
  override readonly retryable: boolean
  readonly status: number | null
  /** What the server asked for with 429 or 503, ms; null when it did not. */
  readonly retryAfterMs: number | null
  constructor(
    code: HttpErrorCode,
    message: string,
    { retryable, status = null, retryAfterMs = null, cause }: HttpErrorFacts,
  ) {
    super(message, { cause })
    this.name = 'HttpError'
    this.code = code
    this.retryable = retryable
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

type HttpErrorFacts = {
  retryable: boolean
  status?: number | null
  retryAfterMs?: number | null
  cause?: unknown
}

export type HttpRead = {
  url: string
  post?: unknown //         sent as JSON with POST; absent: GET
  signal?: AbortSignal
}

export type HttpClient = {
  /** The decompressed body of a 2xx answer, whatever it holds. @throws HttpError */
  readBytes(read: HttpRead): Promise<Buffer>
  /** @throws HttpError, `http_not_json` when the body is anything else */
  readJson(read: HttpRead): Promise<{ json: unknown; bytes: number }>
  close(): Promise<void>
}

/**
 * The one client for outgoing JSON reads. Bounds: `timeoutMs` for the whole read, `maxBytes` for the body
 * before and after decompression, `connections` per origin. No redirects, no cookies, gzip or nothing.
 * @param gzip false on a machine of our own, where unpacking costs more than the way.
 */
export function createHttpClient({
  timeoutMs,
  maxBytes,
  connections = 4,
  gzip = true,
}: {
  timeoutMs: number
  maxBytes: number
  connections?: number
  gzip?: boolean
}): HttpClient {
  const agent = new Agent({
    connections,
    pipelining: 1,
    connectTimeout: timeoutMs,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 30 * SECOND,
  })
  const readBytes = async (read: HttpRead): Promise<Buffer> => {
    const clock = AbortSignal.timeout(timeoutMs)
    const signal = read.signal === undefined ? clock : AbortSignal.any([clock, read.signal])
    const origin = new URL(read.url).origin
    try {
      const answer = await request(read.url, {
        dispatcher: agent,
        method: read.post === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          'accept-encoding': gzip ? 'gzip' : 'identity',
          'accept-language': 'en',
          'user-agent': 'agent-micro-data-service/1',
          ...(read.post === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: read.post === undefined ? null : JSON.stringify(read.post),
        signal,
      })
      if (answer.statusCode < 200 || answer.statusCode > 299) {
        await answer.body.dump({ limit: 64 * 1024, signal }).catch(() => undefined)
        throw statusError(origin, answer.statusCode, answer.headers['retry-after'])
      }
      const body = await readBounded(answer.body, maxBytes, origin)
      return await inflate(body, answer.headers['content-encoding'], maxBytes, origin)
    } catch (error) {
      throw asHttpError(error, { origin, timedOut: clock.aborted, aborted: read.signal?.aborted === true })
    }
  }
  return {
    readBytes,
    readJson: async (read) => {
      const body = await readBytes(read)
      return { json: parseJson(body, new URL(read.url).origin), bytes: body.length }
    },
    close: () => agent.destroy(),
  }
}

const gunzipAsync = promisify(gunzip)

async function readBounded(body: AsyncIterable<Buffer>, maxBytes: number, origin: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(origin, maxBytes)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
}

/** A gzip bomb stops at `maxBytes`: zlib never allocates the rest. */
async function inflate(
  body: Buffer,
  encoding: string | string[] | undefined,
  maxBytes: number,
  origin: string,
): Promise<Buffer> {
  if (encoding === undefined || encoding === 'identity') return body
  if (encoding !== 'gzip')
    throw new HttpError('http_encoding', `${origin}: unexpected content-encoding`, { retryable: false })
  try {
    return await gunzipAsync(body, { maxOutputLength: maxBytes })
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(origin, maxBytes)
    throw new HttpError('http_encoding', `${origin}: broken gzip`, { retryable: true, cause: error })
  }
}

function parseJson(body: Buffer, origin: string): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new HttpError('http_not_json', `${origin}: ${body.length} bytes that are not JSON`, {
      retryable: true,
      cause: error instanceof Error ? error.name : undefined,
    })
  }
}

function statusError(origin: string, status: number, retryAfter: string | string[] | undefined): HttpError {
  if (status >= 300 && status <= 399)
    return new HttpError('http_redirect', `${origin}: ${status}, redirects are not followed`, {
      retryable: false,
      status,
    })
  const message = `${origin}: status ${status}`
  const retryAfterMs = status === 429 || status === 503 ? parseRetryAfter(retryAfter, Date.now()) : null
  if (status === 429)
    return new HttpError('http_rate_limited', message, { retryable: true, status, retryAfterMs })
  const retryable = status >= 500 || status === 408 || status === 425
  return new HttpError('http_status', message, { retryable, status, retryAfterMs })
}

/** `Retry-After`: seconds or an HTTP date. @returns ms from `nowMs`, at least 0; null when absent or unreadable. */
export function parseRetryAfter(value: string | string[] | undefined, nowMs: number): number | null {
  if (typeof value !== 'string') return null
  if (/^\d{1,9}$/.test(value)) return Number(value) * SECOND
  if (!/^[A-Z][a-z]{2}, /.test(value)) return null
  const atMs = Date.parse(value)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}

const tooLarge = (origin: string, maxBytes: number) =>
  new HttpError('http_too_large', `${origin}: more than ${maxBytes} bytes`, { retryable: false })

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

function asHttpError(
  error: unknown,
  { origin, timedOut, aborted }: { origin: string; timedOut: boolean; aborted: boolean },
): HttpError {
  if (error instanceof HttpError) return error
  const code = codeOf(error)
  const facts = { retryable: true, cause: code === '' ? error : code }
  if (aborted)
    return new HttpError('http_aborted', `${origin}: given up by the caller`, { ...facts, retryable: false })
  if (timedOut || code.endsWith('_TIMEOUT'))
    return new HttpError('http_timeout', `${origin}: timed out`, facts)
  return new HttpError('http_unreachable', `${origin}: no answer`, facts)
}
