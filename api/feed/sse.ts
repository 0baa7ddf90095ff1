import { SECOND } from '../../ops/units.ts'
import type { Reply, StreamSink } from '../http/exchange.ts'
import { NO_STORE } from '../http/respond.ts'
import type { Admitted } from './access.ts'
import { HEARTBEAT, retryLine } from './frames.ts'
import type { Hub, Subscription } from './hub.ts'

const RETRY_MS = 2 * SECOND

const HEADERS = [
  ['content-type', 'text/event-stream'],
  NO_STORE,
  ['vary', 'accept, x-service-feed-token, x-marketplace-token'],
  ['x-accel-buffering', 'no'], //  proxies pass each event on at once
] as const

/** The feed as server-sent events. */
export const sseReply = (hub: Hub, wanted: Subscription & { token: string; admitted: Admitted }): Reply => ({
  status: 200,
  headers: HEADERS,
  body: {
    stream(sink: StreamSink) {
      sink.write(retryLine(RETRY_MS))
      hub.join(wanted, {
        outlet: sink,
        bytes: ({ sse }) => sse,
        heartbeat: () => sink.write(HEARTBEAT),
        end: () => sink.end(),
      })
    },
  },
})
