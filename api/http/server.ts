import type { HttpRequest as UwsRequest, HttpResponse as UwsResponse } from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import { assert, describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { BodyTooLarge, type CapturedHeader, type Handler, type HttpRequest, type Reply } from './exchange.ts'
import { problemReply } from './respond.ts'

/** A smart-wallet payment has a head of 4.4 KB; the server's own default of 4 KB would refuse it with 431. */
export const MAX_HEAD_BYTES = 32 * 1024

export type Server = {
  port: number
  /** Stops accepting, waits for requests under way, then closes. */
  close(): Promise<void>
}

/**
 * The only file that knows uWebSockets.js. Its rules: the request is gone after the handler's first await,
 * so everything is copied before; `onAborted` is set first; a reply is written once, inside one cork, and
 * never to a socket that is gone. Several processes may listen on one port.
 *
 * Cost of a request outside its handler: one copy of path and query, one header look-up per captured name
 * that the handler asks for before its first await, one write.
 */
export async function serveHttp({
  host,
  port,
  handler,
  log,
}: {
  host: string
  port: number
  handler: Handler
  log: Log
}): Promise<Server> {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(MAX_HEAD_BYTES) // read when the module loads
  const { App, us_listen_socket_close, us_socket_local_port } = await import('uWebSockets.js')
  let underWay = 0
  let whenIdle: (() => void) | null = null

  const app = App().any('/*', (response, request) => {
    const exchange: Exchange = { over: false, onAborted: null }
    const finish = () => {
      exchange.over = true
      underWay--
      if (underWay === 0) whenIdle?.()
    }
    underWay++
    response.onAborted(() => {
      if (exchange.over) return
      finish()
      exchange.onAborted?.()
    })
    const send = (reply: Reply) => {
      if (exchange.over) return
      response.cork(() => write(response, reply))
      finish()
    }
    const fail = (error: unknown) => {
      log.error({ reason: describeError(error) }, 'handler failed')
      send(problemReply({ problem: 'internal' }))
    }
    try {
      const copied = copyRequest(request, response, exchange)
      const reply = handler(copied)
      if (reply instanceof Promise) {
        copied.seal()
        reply.then(send, fail)
      } else send(reply)
    } catch (error) {
      fail(error)
    }
  })

  const socket = await new Promise<unknown>((resolve) => app.listen(host, port, resolve))
  if (!socket) throw new Error(`PORT: cannot listen on ${host}:${port}; is it taken?`)
  return {
    port: us_socket_local_port(socket as never),
    close: async () => {
      us_listen_socket_close(socket as never)
      if (underWay > 0)
        await new Promise<void>((resolve) => {
          whenIdle = resolve
        })
      app.close()
    },
  }
}

/** `over`: answered, or the client is gone; the response must not be touched any more. */
type Exchange = { over: boolean; onAborted: (() => void) | null }

function write(response: UwsResponse, reply: Reply): void {
  response.writeStatus(`${reply.status} ${STATUS_CODES[reply.status] ?? ''}`)
  for (const [name, value] of reply.headers) response.writeHeader(name, value)
  response.end(reply.body)
}

/** Headers are looked up lazily while the request lives: before the handler's first await. */
function copyRequest(
  request: UwsRequest,
  response: UwsResponse,
  exchange: Exchange,
): HttpRequest & { seal(): void } {
  let live: UwsRequest | null = request
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
  let counts: Map<string, number> | null = null
  const countAll = () => {
    assert(live !== null, 'headers are counted before the first await')
    counts = new Map()
    live.forEach((name) => {
      counts!.set(name, (counts!.get(name) ?? 0) + 1)
    })
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
      return Buffer.from(response.getRemoteAddressAsText()).toString()
    },
    body: (maxBytes) => readBody(response, maxBytes, exchange),
    seal: () => {
      live = null
    },
  }
}

function readBody(response: UwsResponse, maxBytes: number, exchange: Exchange): Promise<Buffer> {
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
