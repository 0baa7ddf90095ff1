import { assert } from '../../ops/errors.ts'
import { BodyTooLarge, type CapturedHeader, type HttpRequest } from './exchange.ts'

/** What is needed of the server's request and response. The request is gone after the handler's first await. */
export type LiveRequest = {
  getCaseSensitiveMethod(): string
  getUrl(): string
  getQuery(): string
  getHeader(name: string): string
  forEach(visit: (name: string, value: string) => void): void
}
export type LiveResponse = {
  getRemoteAddressAsText(): ArrayBuffer
  onData(take: (chunk: ArrayBuffer, isLast: boolean) => void): unknown
}

/** @param forwardedFor every X-Forwarded-For there is, in the order they came. */
export type FindCaller = (peer: string, forwardedFor: string) => string

/** `over`: answered, or the client is gone; the response must not be touched any more. */
export type Exchange = { over: boolean; onAborted: (() => void) | null }

/** Headers are looked up lazily while the request lives: before the handler's first await. `seal` ends that time. */
export function copyRequest(
  request: LiveRequest,
  response: LiveResponse,
  exchange: Exchange,
  findCaller: FindCaller | null = null,
): HttpRequest & { seal(): void } {
  let live: LiveRequest | null = request
  const method = request.getCaseSensitiveMethod()
  const path = request.getUrl()
  const rawQuery = request.getQuery() ?? ''
  const headers = new Map<CapturedHeader, string>()
  const header = (name: CapturedHeader): string => {
    let value = headers.get(name)
    if (value === undefined) {
      assert(live !== null, `header ${name} is read before the first await`)
      value = live.getHeader(name)
      headers.set(name, value)
    }
    return value
  }
  let address: string | null = null
  let counts: Map<string, number> | null = null
  const countAll = () => {
    assert(live !== null, 'headers are counted before the first await')
    counts = new Map()
    live.forEach((name) => {
      counts!.set(name, (counts!.get(name) ?? 0) + 1)
    })
  }
  /** Proxies that do not know of each other send a line each; all of them count. */
  const forwardedFor = (): string => {
    const lines: string[] = []
    live!.forEach((name, value) => {
      if (name === 'x-forwarded-for') lines.push(value)
    })
    return lines.join(',')
  }
  return {
    method,
    path,
    rawQuery,
    header,
    headerCount: (name) => {
      if (counts === null) countAll()
      return counts!.get(name) ?? 0
    },
    get address() {
      if (address !== null) return address
      assert(live !== null, 'the address is read before the first await')
      const peer = Buffer.from(response.getRemoteAddressAsText()).toString()
      address = findCaller === null ? peer : findCaller(peer, forwardedFor())
      return address
    },
    body: (maxBytes) => readBody(response, maxBytes, exchange),
    seal: () => {
      live = null
    },
  }
}

function readBody(response: LiveResponse, maxBytes: number, exchange: Exchange): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    response.onData((chunk, isLast) => {
      bytes += chunk.byteLength
      if (bytes > maxBytes) return reject(new BodyTooLarge())
      chunks.push(Buffer.from(chunk.slice(0)))
      if (isLast) resolve(Buffer.concat(chunks))
    })
    exchange.onAborted = () => reject(new Error('client gone'))
  })
}
