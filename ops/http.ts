import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Dispatcher } from 'undici'
import Agent from 'undici/lib/dispatcher/agent.js'
import { ServiceError } from './errors.ts'
import { parseRetryAfter } from './retryAfter.ts'
import { SECOND } from './units.ts'
import { wideReads } from './wideReads.ts'

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

/** What the server asked for, ms; null when it did not, or when it was no server that failed. */
export const retryAfterOf = (error: unknown): number | null =>
  error instanceof HttpError ? error.retryAfterMs : null

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
  space?: BodySpace //      where an answer that is not compressed is put; absent: memory of its own
  onStamp?(stamp: Stamp): void // called once for a 2xx answer
}

/** An answer's time headers as sent, and the two instants of our clock between which it was made, Unix ms. */
export type Stamp = { date: unknown; age: unknown; sentMs: number; arrivedMs: number }

/**
 * Memory for one body after another: each read overwrites the one before. For a megabyte, getting fresh memory from the
 * system costs more than copying the body. Grows to the largest body, never beyond `maxBytes`.
 */
export type BodySpace = { bytes: Buffer }

export const createBodySpace = (): BodySpace => ({ bytes: Buffer.alloc(0) })

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
 * @param gzip false for a server on a machine of ours, where unpacking costs more than the transfer.
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
    connect: wideReads({ timeout: timeoutMs }),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 30 * SECOND,
  })
  const readBytes = async (read: HttpRead): Promise<Buffer> => {
    const clock = AbortSignal.timeout(timeoutMs)
    const signal = read.signal === undefined ? clock : AbortSignal.any([clock, read.signal])
    const { origin, pathname, search } = new URL(read.url)
    try {
      const { status, headers, body, sentMs, arrivedMs } = await exchange(agent, {
        origin,
        path: `${pathname}${search}`,
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
        maxBytes,
        space: read.space ?? createBodySpace(),
      })
      if (status < 200 || status > 299) throw statusError(origin, status, headers['retry-after'])
      read.onStamp?.({ date: headers.date, age: headers.age, sentMs, arrivedMs })
      return await inflate(body, headers['content-encoding'], maxBytes, origin)
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

type Exchange = Pick<Dispatcher.DispatchOptions, 'path' | 'method' | 'headers' | 'body'> & {
  origin: string
  signal: AbortSignal
  maxBytes: number
  space: BodySpace
}

type Answered = {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  sentMs: number //     Unix ms, our clock
  arrivedMs: number //  … when the headers were there
}

/**
 * One request and its whole answer; the body of an answer that is not 2xx is not waited for. Each piece is copied to
 * its place as it arrives: reading a large body as a stream costs half as much again.
 */
function exchange(agent: Agent, { signal, maxBytes, space, ...request }: Exchange): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const answered: Answered = { status: 0, headers: {}, body: space.bytes, sentMs: Date.now(), arrivedMs: 0 }
    let size = 0
    let giveUp = () => reject(signal.reason)
    const onAbort = () => giveUp()
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    agent.dispatch(request, {
      onRequestStart(controller) {
        if (signal.aborted) controller.abort(signal.reason)
        giveUp = () => controller.abort(signal.reason)
      },
      onResponseStart(controller, status, headers) {
        answered.status = status
        answered.headers = headers
        answered.arrivedMs = Date.now()
        if (status > 299 && !(Number(headers['content-length']) <= DUMPED_BYTES))
          controller.abort(new Error('the body is not wanted'))
      },
      onResponseData(controller, chunk) {
        if (answered.status > 299) return
        if (size + chunk.length > maxBytes) return controller.abort(tooLarge(request.origin, maxBytes))
        if (size + chunk.length > space.bytes.length)
          space.bytes = larger(space.bytes, size, Math.min(maxBytes, Math.max(2 * size, size + chunk.length)))
        size += chunk.copy(space.bytes, size)
      },
      onResponseEnd() {
        answered.body = space.bytes.subarray(0, size)
        end(() => resolve(answered))
      },
      onResponseError(_, error) {
        end(() => (answered.status > 299 ? resolve(answered) : reject(error)))
      },
    })
  })
}

/** An unwanted body up to this size is read to its end, so that the connection can be used again. */
const DUMPED_BYTES = 64 * 1024

function larger(bytes: Buffer, used: number, length: number): Buffer {
  const grown = Buffer.allocUnsafeSlow(length)
  bytes.copy(grown, 0, 0, used)
  return grown
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
