import type {
  HttpRequest as UwsRequest,
  HttpResponse as UwsResponse,
  WebSocketBehavior,
} from 'uWebSockets.js'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { type BodyRoom, createBodyRoom } from './bodyRoom.ts'
import { CopiedRequest, type Exchange, type FindCaller, isUnclear } from './copyRequest.ts'
import {
  ClientGone,
  type Handler,
  type HttpRequest,
  isStream,
  MAX_WAITING_BYTES,
  type Reply,
  type SocketHandler,
  type SocketRoute,
  type StreamBody,
} from './exchange.ts'
import { createLine } from './line.ts'
import { PreparedReply } from './prepared.ts'
import { createRequestIds } from './requestIds.ts'
import { problemReply } from './respond.ts'
import { CUT_AT, createSocket, GOING_AWAY, type ServedSocket, SOCKET_IDLE_S, TOO_LARGE } from './socket.ts'
import { createStreamSink } from './streamSink.ts'
import { createTurn } from './turn.ts'
import { createUnderWay, type Entered } from './underWay.ts'
import { type Told, write, writeHead, writePrepared } from './writeReply.ts'

/** A smart-wallet payment has a head of 4.4 KB; the server's own default of 4 KB would refuse it with 431. */
export const MAX_HEAD_BYTES = 32 * 1024

/**
 * The answer while the server closes, also to requests still unanswered when its time is over: such a caller may have
 * paid, so it is asked to send the same payment again.
 */
const RESTARTING = problemReply({ problem: 'restarting' })

export type Server = {
  port: number
  /**
   * From now on every request is told to come back, each answer ends its connection, and streams and WebSockets end.
   * Waits for the requests under way, until their clients have the whole answer; those without an answer within `graceMs`
   * are told the same, and who has not taken all of his by then is cut off. Then closes. A second call
   * waits for the first, and its `graceMs` counts from itself.
   */
  close(graceMs?: number): Promise<void>
}

/** Under one name of its own: the server copies the members of what it is given onto its socket. */
type Upgraded = { ours: { handler: SocketHandler; socket: ServedSocket | null; end(): void } }

/**
 * The only file that knows uWebSockets.js. Its rules: the request is gone after the handler's first await, so
 * everything is copied before; `onAborted` is set before control returns to the server; a reply is written once, inside
 * one cork, and never to a socket that is gone. Several processes may listen on one port.
 *
 * Cost of a request outside its handler: one copy of method and path, three header look-ups and one per captured name
 * that the handler asks for before its first await, one write. While the handler runs synchronously the server holds a
 * cork and no client can leave: an answer given at once needs neither `onAborted` nor a cork of its own. In a turn of the
 * event loop that has become long, it is given in the next one, unless it is a stream or a WebSocket.
 * @param findCaller tells the caller when a proxy of ours is the peer; null: the peer is the caller.
 */
export async function serveHttp({
  host,
  port,
  handler,
  sockets = [],
  findCaller = null,
  bodyRoom = createBodyRoom(),
  log,
}: {
  host: string
  port: number
  handler: Handler
  sockets?: readonly SocketRoute[]
  findCaller?: FindCaller | null
  bodyRoom?: BodyRoom
  log: Log
}): Promise<Server> {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(MAX_HEAD_BYTES) // read when the module loads
  const { App, us_listen_socket_close, us_socket_local_port } = await import('uWebSockets.js')
  const requestIdOf = createRequestIds()
  const ends = new Set<() => void>() // one for each stream and WebSocket that is open
  const underWay = createUnderWay<Reply>()
  let closing = false
  const turn = createTurn()
  const line = createLine()

  const watch = (response: UwsResponse, served: Served) => {
    if (served.isWatched) return
    served.isWatched = true
    response.onAborted(() => {
      if (served.over) return
      underWay.leave(served)
      served.onAborted?.()
    })
  }
  const failed = (error: unknown, { id }: Served): Reply => {
    if (!(error instanceof ClientGone))
      log.error({ requestId: id, reason: describeError(error) }, 'handler failed')
    return problemReply({ problem: 'internal' })
  }

  /** Shows `accept` a copy of the request; what comes of it goes to `send`, unless the client has left by then. */
  const serve: Serve = <Answer extends Reply | SocketHandler>(
    response: UwsResponse,
    request: UwsRequest,
    accept: (copied: HttpRequest) => Answer | Promise<Answer>,
    send: Send<Answer>,
  ) => {
    const id = requestIdOf(request.getHeader('x-request-id'))
    const served: Served = {
      id,
      over: false,
      onAborted: null,
      isWatched: false,
      isBodyless: false,
      isLast: false,
      isCut: false,
      isLeaving: /^close$/i.test(request.getHeader('connection')),
      slot: null,
    }
    const copied = new CopiedRequest(request, response, served, bodyRoom, line, findCaller)
    served.isBodyless = copied.method === 'HEAD'
    underWay.enter()
    turn.count()
    const give = (answer: Answer | Reply) => {
      underWay.waitNoMore(served)
      served.isLast = (closing || served.isCut) && !served.isLeaving
      if (!served.over) response.cork(() => send(response, answer, served))
    }
    try {
      if (closing) return give(RESTARTING)
      const answer = accept(copied)
      const isNow = !(answer instanceof Promise)
      if (isNow && (!turn.isLong() || staysOpen(answer, served))) return send(response, answer, served)
      watch(response, served)
      copied.seal()
      underWay.wait(served, give)
      //  the server ends a connection whose next request comes before the answer: one that sent a thousand of them in a
      //  packet and reads nothing cannot have them all answered while everybody else waits
      if (isNow) setImmediate(give, answer)
      else answer.then(give, (error) => give(failed(error, served)))
    } catch (error) {
      give(failed(error, served))
    }
  }

  const stream = (response: UwsResponse, reply: Reply, body: StreamBody, served: Served) => {
    const forget = () => ends.delete(sink.end)
    const sink = createStreamSink(response, () => {
      forget()
      underWay.leave(served)
    })
    served.onAborted = () => {
      forget()
      sink.gone()
    }
    watch(response, served)
    ends.add(sink.end)
    response.onWritable(() => {
      sink.writable()
      return true
    })
    writeHead(response, reply, served)
    try {
      body.stream(sink)
    } catch (error) {
      log.error({ requestId: served.id, reason: describeError(error) }, 'stream failed')
      sink.end()
    }
    if (closing) sink.end()
    setImmediate(sink.begin)
  }

  const send: Send<Reply> = (response, reply, served) => {
    const body = streamOf(reply, served)
    if (body !== null) return stream(response, reply, body, served)
    const whenOver = () => {
      if (!served.over) underWay.leave(served)
    }
    const isOut =
      reply instanceof PreparedReply && !served.isBodyless
        ? writePrepared(response, reply, served, whenOver)
        : write(response, reply, served, whenOver)
    if (isOut) underWay.leave(served)
    else underWay.wait(served, () => response.close()) //  who takes nothing does not keep us beyond the grace
  }

  const app = App().any('/*', (response, request) => {
    if (isUnclear(request)) return void response.close()
    serve(response, request, handler, send)
  })
  for (const route of sockets)
    app.ws(route.path, behaviour(route, { serve, finish: underWay.leave, ends, isClosing: () => closing }))

  const socket = await new Promise<unknown>((resolve) => app.listen(host, port, resolve))
  if (!socket) throw new Error(`PORT: cannot listen on ${host}:${port}; is it taken?`)
  const end = async () => {
    closing = true
    us_listen_socket_close(socket as never)
    for (const end of [...ends]) end()
    await underWay.idle()
    app.close()
  }
  let ended: Promise<void> | null = null
  return {
    port: us_socket_local_port(socket as never),
    close(graceMs) {
      ended ??= end() //  a socket that is closed twice ends the whole process
      const timer = graceMs === undefined ? undefined : setTimeout(underWay.tellAll, graceMs, RESTARTING)
      return ended.finally(() => clearTimeout(timer))
    },
  }
}

/** A request that is being answered. */
type Served = Exchange & Told & Entered & { isWatched: boolean }

/** Called inside a cork, with a response that is still open. */
type Send<Answer> = (response: UwsResponse, answer: Answer | Reply, served: Served) => void

type Serve = <Answer extends Reply | SocketHandler>(
  response: UwsResponse,
  request: UwsRequest,
  accept: (copied: HttpRequest) => Answer | Promise<Answer>,
  send: Send<Answer>,
) => void

/**
 * Whether it keeps its connection for itself. Its handler has looked whether there is room for it, and it takes its place
 * when it is sent: whoever comes between would find the same room.
 */
const staysOpen = (answer: Reply | SocketHandler, served: Served): boolean =>
  !('status' in answer) || streamOf(answer, served) !== null

/** The stream that the reply is; null: it is sent whole, as a HEAD's always is. */
const streamOf = (reply: Reply, { isBodyless }: Served): StreamBody | null =>
  !isBodyless && !(reply instanceof PreparedReply) && isStream(reply.body) ? reply.body : null

/** Text messages of one route; pings and pongs are the server's. */
function behaviour(
  route: SocketRoute,
  {
    serve,
    finish,
    ends,
    isClosing,
  }: { serve: Serve; finish(served: Served): void; ends: Set<() => void>; isClosing(): boolean },
): WebSocketBehavior<Upgraded> {
  return {
    maxPayloadLength: CUT_AT * route.maxMessageBytes,
    maxBackpressure: 2 * MAX_WAITING_BYTES, // never reached: our own bounds come first
    idleTimeout: SOCKET_IDLE_S,
    sendPingsAutomatically: true,
    upgrade(response, request, context) {
      const [key = '', protocol = '', extensions = ''] = ['key', 'protocol', 'extensions'].map((name) =>
        request.getHeader(`sec-websocket-${name}`),
      )
      serve(response, request, route.accept, (_, answer, served) => {
        if ('status' in answer) write(response, answer, served)
        else {
          const ours = { handler: answer, socket: null, end: () => {} }
          response.upgrade<Upgraded>({ ours }, key, agreed(protocol), extensions, context)
        }
        finish(served)
      })
    },
    open(wire) {
      const { ours } = wire.getUserData()
      const socket = createSocket(wire)
      ours.socket = socket
      ours.end = () => socket.end(GOING_AWAY, 'the server closes; resume with your last id')
      ends.add(ours.end)
      ours.handler.opened(socket)
      if (isClosing()) ours.end()
    },
    message(wire, message, isBinary) {
      const { handler, socket } = wire.getUserData().ours
      if (socket === null || socket.isOver()) return
      if (message.byteLength > route.maxMessageBytes)
        return socket.end(TOO_LARGE, `a message has at most ${route.maxMessageBytes} bytes`)
      handler.message(isBinary ? null : textOf(message))
    },
    ping: (wire) => wire.getUserData().ours.socket?.pinged(),
    drain(wire) {
      const { socket } = wire.getUserData().ours
      //  not within this call: the server would never tell that what did not go out at once has been sent
      setImmediate(() => socket?.drained())
    },
    close(wire) {
      const { handler, socket, end } = wire.getUserData().ours
      ends.delete(end)
      socket?.gone()
      handler.closed()
    },
  }
}

/** A token of RFC 9110. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

/**
 * The subprotocol that is answered: the first of those that the client offers, for what we send is the same under any
 * name and some clients go when theirs is not repeated. What is no list of tokens, as RFC 6455 has it, is repeated in no
 * header.
 */
function agreed(offered: string): string {
  const names = offered.split(',').map((name) => name.trim())
  return names.every((name) => TOKEN.test(name)) ? names[0]! : ''
}

/** The server has checked that it is UTF-8. */
const textOf = (message: ArrayBuffer): string => Buffer.from(message).toString()
