import type {
  HttpRequest as UwsRequest,
  HttpResponse as UwsResponse,
  WebSocketBehavior,
} from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { copyRequest, type Exchange, type FindCaller } from './copyRequest.ts'
import {
  type Handler,
  type HttpRequest,
  isStream,
  MAX_WAITING_BYTES,
  type Reply,
  type SocketHandler,
  type SocketRoute,
  type StreamBody,
} from './exchange.ts'
import { ON_EVERY_ANSWER } from './manners.ts'
import { createRequestIds } from './requestIds.ts'
import { problemReply } from './respond.ts'
import { createSocket, type ServedSocket } from './socket.ts'
import { createStreamSink } from './streamSink.ts'

/** A smart-wallet payment has a head of 4.4 KB; the server's own default of 4 KB would refuse it with 431. */
export const MAX_HEAD_BYTES = 32 * 1024

/** A silent WebSocket is pinged within this time, and closed when it does not answer. */
const SOCKET_IDLE_S = 32
const GOING_AWAY = 1001

export type Server = {
  port: number
  /** Stops accepting, ends streams and WebSockets, waits for requests under way, then closes. */
  close(): Promise<void>
}

/** Under one name of its own: the server copies the members of what it is given onto its socket. */
type Upgraded = { ours: { handler: SocketHandler; socket: ServedSocket | null; end(): void } }

/**
 * The only file that knows uWebSockets.js. Its rules: the request is gone after the handler's first await,
 * so everything is copied before; `onAborted` is set first; a reply is written once, inside one cork, and
 * never to a socket that is gone. Several processes may listen on one port.
 *
 * Cost of a request outside its handler: one copy of path and query, one header look-up per captured name
 * that the handler asks for before its first await, one write.
 * @param findCaller who calls when a proxy of ours is the peer; null: the peer.
 */
export async function serveHttp({
  host,
  port,
  handler,
  sockets = [],
  findCaller = null,
  log,
}: {
  host: string
  port: number
  handler: Handler
  sockets?: readonly SocketRoute[]
  findCaller?: FindCaller | null
  log: Log
}): Promise<Server> {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(MAX_HEAD_BYTES) // read when the module loads
  const { App, us_listen_socket_close, us_socket_local_port } = await import('uWebSockets.js')
  const requestIdOf = createRequestIds()
  const ends = new Set<() => void>() // one for each stream and WebSocket that is open
  let closing = false
  let underWay = 0
  let whenIdle: (() => void) | null = null

  /** Shows `accept` a copy of the request; what comes of it goes to `send`, unless the client has left by then. */
  const serve: Serve = <Answer>(
    response: UwsResponse,
    request: UwsRequest,
    accept: (copied: HttpRequest) => Answer | Promise<Answer>,
    send: (answer: Answer | Reply, served: Served) => void,
  ) => {
    const id = requestIdOf(request.getHeader('x-request-id'))
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
    const give = (answer: Answer | Reply) => {
      if (!exchange.over) send(answer, { id, exchange, finish })
    }
    const fail = (error: unknown) => {
      log.error({ requestId: id, reason: describeError(error) }, 'handler failed')
      give(problemReply({ problem: 'internal' }))
    }
    try {
      const copied = copyRequest(request, response, exchange, findCaller)
      const answer = accept(copied)
      if (answer instanceof Promise) {
        copied.seal()
        answer.then(give, fail)
      } else give(answer)
    } catch (error) {
      fail(error)
    }
  }

  const stream = (response: UwsResponse, reply: Reply, body: StreamBody, served: Served) => {
    const forget = () => ends.delete(sink.end)
    const sink = createStreamSink(response, () => {
      forget()
      served.finish()
    })
    served.exchange.onAborted = () => {
      forget()
      sink.gone()
    }
    ends.add(sink.end)
    response.onWritable(() => {
      sink.writable()
      return true
    })
    response.cork(() => {
      writeHead(response, reply, served.id)
      try {
        body.stream(sink)
      } catch (error) {
        log.error({ requestId: served.id, reason: describeError(error) }, 'stream failed')
        sink.end()
      }
    })
    if (closing) sink.end()
  }

  const app = App().any('/*', (response, request) => {
    if (isUnclear(request)) return void response.close()
    const bodyless = request.getCaseSensitiveMethod() === 'HEAD'
    serve(response, request, handler, (reply, served) => {
      if (isStream(reply.body) && !bodyless) return stream(response, reply, reply.body, served)
      response.cork(() => write(response, reply, bodyless, served.id))
      served.finish()
    })
  })
  for (const route of sockets) app.ws(route.path, behaviour(route, serve, ends))

  const socket = await new Promise<unknown>((resolve) => app.listen(host, port, resolve))
  if (!socket) throw new Error(`PORT: cannot listen on ${host}:${port}; is it taken?`)
  return {
    port: us_socket_local_port(socket as never),
    close: async () => {
      closing = true
      us_listen_socket_close(socket as never)
      for (const end of [...ends]) end()
      if (underWay > 0)
        await new Promise<void>((resolve) => {
          whenIdle = resolve
        })
      app.close()
    },
  }
}

/** A request that is being answered. */
type Served = { id: string; exchange: Exchange; finish(): void }

type Serve = <Answer>(
  response: UwsResponse,
  request: UwsRequest,
  accept: (copied: HttpRequest) => Answer | Promise<Answer>,
  send: (answer: Answer | Reply, served: Served) => void,
) => void

/**
 * Whether its end can be read in two ways (RFC 9112, 6.3): the server takes the first of two lengths, a proxy before it may
 * take the other, and what lies between would be somebody's next request (HTTP-09). Such a connection is closed without a
 * word: after an answer the server would go on to read it. The rest it refuses by itself.
 */
function isUnclear(request: UwsRequest): boolean {
  if (request.getHeader('content-length') === '') return false
  let lengths = 0
  request.forEach((name) => {
    if (name === 'content-length') lengths++
  })
  return lengths > 1
}

/** Text messages of one route; pings and pongs are the server's. */
function behaviour(route: SocketRoute, serve: Serve, ends: Set<() => void>): WebSocketBehavior<Upgraded> {
  return {
    maxPayloadLength: route.maxMessageBytes,
    maxBackpressure: 2 * MAX_WAITING_BYTES, // never reached: our own bound comes first
    idleTimeout: SOCKET_IDLE_S,
    sendPingsAutomatically: true,
    upgrade(response, request, context) {
      const [key = '', protocol = '', extensions = ''] = ['key', 'protocol', 'extensions'].map((name) =>
        request.getHeader(`sec-websocket-${name}`),
      )
      serve(response, request, route.accept, (answer, { id, finish }) => {
        response.cork(() => {
          if ('status' in answer) write(response, answer, false, id)
          else {
            const ours = { handler: answer, socket: null, end: () => {} }
            response.upgrade<Upgraded>({ ours }, key, protocol, extensions, context)
          }
        })
        finish()
      })
    },
    open(wire) {
      const { ours } = wire.getUserData()
      const socket = createSocket(wire)
      ours.socket = socket
      ours.end = () => socket.end(GOING_AWAY, 'the server closes; resume with your last id')
      ends.add(ours.end)
      ours.handler.opened(socket)
    },
    message(wire, message, isBinary) {
      wire.getUserData().ours.handler.message(isBinary ? null : textOf(message))
    },
    drain: (wire) => wire.getUserData().ours.socket?.drained(),
    close(wire) {
      const { handler, socket, end } = wire.getUserData().ours
      ends.delete(end)
      socket?.gone()
      handler.closed()
    },
  }
}

/** The server has checked that it is UTF-8. */
const textOf = (message: ArrayBuffer): string => Buffer.from(message).toString()

/** On every answer too; pages and documents say it themselves. */
const NO_SNIFF = 'x-content-type-options'

function writeHead(response: UwsResponse, { status, headers }: Reply, id: string): void {
  response.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`)
  let isSaid = false
  for (const [name, value] of headers) {
    if (name === NO_SNIFF) isSaid = true
    response.writeHeader(name, value)
  }
  if (!isSaid) response.writeHeader(NO_SNIFF, 'nosniff')
  for (const [name, value] of ON_EVERY_ANSWER) response.writeHeader(name, value)
  response.writeHeader('x-request-id', id)
}

/** Statuses that never have a body, and so say nothing about its length. */
const EMPTY_STATUSES = new Set([204, 304])

function write(response: UwsResponse, reply: Reply, bodyless: boolean, id: string): void {
  const { body, status } = reply
  writeHead(response, reply, id)
  if (EMPTY_STATUSES.has(status) || isStream(body)) response.endWithoutBody()
  else if (bodyless) response.endWithoutBody(Buffer.byteLength(body))
  else response.end(body)
}
