import type { Redis } from 'ioredis'
import type { Clock } from '../../ops/clock.ts'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { andThen } from '../andThen.ts'
import { FEED_PATH, FEED_STREAM_PATH } from '../entitlements/feedToken.ts'
import { isProblem, type Problem } from '../errors.ts'
import type { HttpRequest, Reply, SocketRoute } from '../http/exchange.ts'
import { problemReply } from '../http/respond.ts'
import type { Route } from '../http/router.ts'
import { namedWeight } from '../pages/negotiate.ts'
import { type Admitted, createDoor, type FeedAccess } from './access.ts'
import { createCatchUp } from './catchUp.ts'
import { type FeedQuery, parsePollQuery, parseStreamQuery } from './feedQuery.ts'
import { createFeedSocket, MESSAGE_MAX_BYTES } from './feedSocket.ts'
import { followFeed } from './followFeed.ts'
import { createHub } from './hub.ts'
import { createPoll } from './poll.ts'
import { sseReply } from './sse.ts'
import { feedStatus, type StatusPorts } from './status.ts'

export type FeedPorts = {
  reader: Redis //   pipeline; a connection of its own: it blocks
  access: FeedAccess
  steady: Clock //   measures durations: tokens, streams, shared answers
  market: StatusPorts
  metrics: Metrics
  log: Log
}

/** The alpha feed of this process: JSON by polling, server-sent events, and WebSocket, all from one tail of one stream. */
export function openFeed({ reader, access, steady, market, metrics, log }: FeedPorts): {
  routes: Route[]
  sockets: SocketRoute[]
  ready(): boolean //  the feed has been read in
  streams(): number // open in this process
  stop(): Promise<void>
} {
  const door = createDoor({ access, steady, log })
  const status = () => feedStatus(market)
  const follower = followFeed({
    reader,
    steady,
    log,
    onEvents: () => {
      hub.pumpAll()
      catchUp.look()
    },
    onReset: () => hub.resetAll(),
  })
  const { feed, storeMs } = follower
  const hub = createHub({ feed, status, door, steady, metrics })
  const poll = createPoll((nowMs) => feedStatus(market, nowMs), {
    clock: { nowMs: () => market.marketClock.nowMs() },
    steady,
  })
  const catchUp = createCatchUp(feed, storeMs)

  const stream = ({ token }: Asked, query: FeedQuery, admitted: Admitted): Reply => {
    const place = hub.reserve(token, admitted)
    return isProblem(place) ? problemReply(place) : sseReply(place, query)
  }
  const answer = (request: Asked, admitted: Admitted | Problem): Reply | Promise<Reply> => {
    if (isProblem(admitted)) return refusal(admitted)
    if (feed() === null) return problemReply({ problem: 'feed_unavailable', retryAfterS: 2 })
    const streams = wantsStream(request.accept)
    const query = streams
      ? parseStreamQuery(request.rawQuery, request.lastEventId)
      : parsePollQuery(request.rawQuery)
    if (isProblem(query)) return problemReply(query)
    const reply = () =>
      streams ? stream(request, query, admitted) : poll(feed()!, query, request.ifNoneMatch)
    const wait = query.afterId === null ? null : catchUp.wait(query.afterId, admitted.key)
    if (wait === null) return reply()
    return wait.then(() => {
      const ended = door.refuseEnded(admitted)
      return ended === null ? reply() : refusal(ended)
    })
  }
  return {
    routes: [
      {
        method: 'GET',
        path: FEED_PATH,
        handler(request) {
          const asked = readRequest(request) //  before the first await
          return andThen(door.admit(request), (admitted) => answer(asked, admitted))
        },
      },
      { method: 'GET', path: FEED_STREAM_PATH, handler: () => problemReply({ problem: 'upgrade_required' }) },
    ],
    sockets: [
      {
        path: FEED_STREAM_PATH,
        maxMessageBytes: MESSAGE_MAX_BYTES,
        accept(request) {
          const headerToken = tokenOf(request)
          const sender = { address: request.address }
          const open = () => createFeedSocket({ hub, door, catchUp, headerToken, sender })
          if (headerToken === '') return open()
          return andThen(door.admit(request), (admitted) =>
            isProblem(admitted) ? refusal(admitted) : open(),
          )
        },
      },
    ],
    ready: () => feed() !== null,
    streams: hub.count,
    stop: async () => {
      hub.stop()
      catchUp.stop()
      await follower.stop()
    },
  }
}

const tokenOf = (request: HttpRequest): string =>
  request.header('x-service-feed-token') || request.header('x-marketplace-token')

/** What is looked at once the token is known. */
const readRequest = (request: HttpRequest) => ({
  token: tokenOf(request),
  accept: request.header('accept'),
  ifNoneMatch: request.header('if-none-match'),
  lastEventId: request.header('last-event-id'),
  rawQuery: request.rawQuery,
})
type Asked = ReturnType<typeof readRequest>

/** Server-sent events for a caller that names them and prefers no other form. */
function wantsStream(accept: string): boolean {
  const wanted = namedWeight(accept, 'text/event-stream')
  return wanted > 0 && wanted >= namedWeight(accept, 'application/json')
}

const CHALLENGE = ['www-authenticate', 'FeedToken header="X-Service-Feed-Token"'] as const

const refusal = (problem: Problem): Reply => {
  const reply = problemReply(problem)
  return reply.status === 401 ? { ...reply, headers: [...reply.headers, CHALLENGE] } : reply
}
