import type {
  HttpRequest as UwsRequest,
  HttpResponse as UwsResponse,
  WebSocketBehavior,
} from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { copyRequest, type Exchange } from './copyRequest.ts'
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
 */
export async function serveHttp({
  host,
  port,
  handler,
  sockets = [],
  log,
}: {
  host: string
  port: number
  handler: Handler
  sockets?: readonly SocketRoute[]
  log: Log
}): Promise<Server> {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(MAX_HEAD_BYTES) // read when the module loads
  const { App, us_listen_socket_close, us_socket_local_port } = await import('uWebSockets.js')
  const ends = new Set<() => void>() // one for each stream and WebSocket that is open
  let closing = false
  let underWay = 0
  let whenIdle: (() => void) | null = null

  /** Shows `accept` a copy of the request; what comes of it goes to `send`, unless the client has left by then. */
  const serve = <Answer>(
    response: UwsResponse,
    request: UwsRequest,
    accept: (copied: HttpRequest) => Answer | Promise<Answer>,
    send: (answer: Answer | Reply, exchange: Exchange, finish: () => void) => void,
  ) => {
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
      if (!exchange.over) send(answer, exchange, finish)
    }
    const fail = (error: unknown) => {
      log.error({ reason: describeError(error) }, 'handler failed')
      give(problemReply({ problem: 'internal' }))
    }
    try {
      const copied = copyRequest(request, response, exchange)
      const answer = accept(copied)
      if (answer instanceof Promise) {
        copied.seal()
        answer.then(give, fail)
      } else give(answer)
    } catch (error) {
      fail(error)
    }
  }

  const stream = (response: UwsResponse, reply: Reply, body: StreamBody, over: Over) => {
    const forget = () => ends.delete(sink.end)
    const sink = createStreamSink(response, () => {
      forget()
      over.finish()
    })
    over.exchange.onAborted = () => {
      forget()
      sink.gone()
    }
    ends.add(sink.end)
    response.onWritable(() => {
      sink.writable()
      return true
    })
    response.cork(() => {
      writeHead(response, reply)
      try {
        body.stream(sink)
      } catch (error) {
        log.error({ reason: describeError(error) }, 'stream failed')
        sink.end()
      }
    })
    if (closing) sink.end()
  }

  const app = App().any('/*', (response, request) => {
    const bodyless = request.getCaseSensitiveMethod() === 'HEAD'
    serve(response, request, handler, (reply, exchange, finish) => {
      if (isStream(reply.body) && !bodyless) return stream(response, reply, reply.body, { exchange, finish })
      response.cork(() => write(response, reply, bodyless))
      finish()
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

type Over = { exchange: Exchange; finish(): void }

/** Text messages of one route; pings and pongs are the server's. */
function behaviour(
  route: SocketRoute,
  serve: <Answer>(
    response: UwsResponse,
    request: UwsRequest,
    accept: (copied: HttpRequest) => Answer | Promise<Answer>,
    send: (answer: Answer | Reply, exchange: Exchange, finish: () => void) => void,
  ) => void,
  ends: Set<() => void>,
): WebSocketBehavior<Upgraded> {
  return {
    maxPayloadLength: route.maxMessageBytes,
    maxBackpressure: 2 * MAX_WAITING_BYTES, // never reached: our own bound comes first
    idleTimeout: SOCKET_IDLE_S,
    sendPingsAutomatically: true,
    upgrade(response, request, context) {
      const [key = '', protocol = '', extensions = ''] = ['key', 'protocol', 'extensions'].map((name) =>
        request.getHeader(`sec-websocket-${name}`),
      )
      serve(response, request, route.accept, (answer, _exchange, finish) => {
        response.cork(() => {
          if ('status' in answer) write(response, answer, false)
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

function writeHead(response: UwsResponse, reply: Reply): void {
  response.writeStatus(`${reply.status} ${STATUS_CODES[reply.status] ?? ''}`)
  for (const [name, value] of reply.headers) response.writeHeader(name, value)
}

/** Statuses that never have a body, and so say nothing about its length. */
const EMPTY_STATUSES = new Set([204, 304])

function write(response: UwsResponse, reply: Reply, bodyless: boolean): void {
  const { body, status } = reply
  writeHead(response, reply)
  if (EMPTY_STATUSES.has(status) || isStream(body)) response.endWithoutBody()
  else if (bodyless) response.endWithoutBody(Buffer.byteLength(body))
  else response.end(body)
}
