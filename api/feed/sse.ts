import { SECOND } from '../../ops/units.ts'
import type { Reply, StreamSink } from '../http/exchange.ts'
import { NO_STORE } from '../http/respond.ts'
import { HEARTBEAT, retryLine } from './frames.ts'
import type { Place, Subscription } from './hub.ts'

const RETRY_MS = 2 * SECOND

const HEADERS = [
  ['content-type', 'text/event-stream'],
  NO_STORE,
  ['vary', 'accept, x-service-feed-token, x-marketplace-token'],
  ['x-accel-buffering', 'no'], //  proxies pass each event on at once
] as const

/** The feed as server-sent events. */
export const sseReply = (place: Place, wanted: Subscription): Reply => ({
  status: 200,
  headers: HEADERS,
  body: {
    stream(sink: StreamSink) {
      sink.write(retryLine(RETRY_MS))
      place.join(wanted, {
        outlet: sink,
        bytes: ({ sse }) => sse,
        heartbeat: () => sink.write(HEARTBEAT),
        end: () => sink.end(),
      })
    },
  },
})
