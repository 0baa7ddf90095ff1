import { z } from 'zod'
import { FEED_TOPICS } from '../../engine/contract/feed.ts'
import { parseJsonOrNull } from '../../ops/jsonText.ts'
import { SECOND } from '../../ops/units.ts'
import { isProblem, type Problem, type ProblemCode } from '../errors.ts'
import type { Outlet, Socket, SocketHandler } from '../http/exchange.ts'
import { problemBody, retryAfterOf } from '../http/respond.ts'
import { GOING_AWAY, TOO_LARGE } from '../http/socket.ts'
import type { Admitted, Door } from './access.ts'
import type { CatchUp } from './catchUp.ts'
import { ALL_TOPICS } from './feedQuery.ts'
import type { Hub } from './hub.ts'
import type { Farewell } from './reader.ts'
import { isStreamId } from './streamId.ts'

/** How we close a WebSocket. */
export const CLOSE_CODES = {
  closing: GOING_AWAY, //  the server
  too_large: TOO_LARGE, // a message to us
  bad_message: 4400, //    not JSON, or not a message of ours
  token: 4401, //          missing, unknown or revoked
  expired: 4402, //        the token, before or while it was read
  unsubscribed: 4408, //   nothing was subscribed in time
  slow: 4409, //           too far behind: resume from the last id
  too_many: 4429,
  unavailable: 4503,
} as const

const SUBSCRIBE_WITHIN_MS = 10 * SECOND
export const MESSAGE_MAX_BYTES = 4 * 1024
/** Subscriptions that may be superseded by a further one before they are handled. */
export const OVERTAKEN_MAX = 16

/** The only message a reader sends. Sending it again starts over, with other topics or from another id. */
const Subscribe = z.strictObject({
  op: z.literal('subscribe'),
  topics: z.array(z.enum(FEED_TOPICS)).min(1).max(FEED_TOPICS.length).optional(), // absent: all
  lastEventId: z.string().refine(isStreamId).optional(), //                           absent: begin with what is open
  token: z.string().optional(), //                                                    unless it came in a header
})
type Subscribe = z.infer<typeof Subscribe>

const CODE_OF_PROBLEM: Partial<Record<ProblemCode, number>> = {
  malformed_request: CLOSE_CODES.bad_message,
  feed_token_missing: CLOSE_CODES.token,
  feed_token_unknown: CLOSE_CODES.token,
  feed_token_revoked: CLOSE_CODES.token,
  feed_token_expired: CLOSE_CODES.expired,
  too_many_streams: CLOSE_CODES.too_many,
  rate_limited: CLOSE_CODES.too_many,
}
const CODE_OF_FAREWELL: Record<Farewell, number> = {
  slow: CLOSE_CODES.slow,
  expired: CLOSE_CODES.expired,
  revoked: CLOSE_CODES.token,
}

/**
 * One WebSocket reader.
 * @param headerToken '' when the upgrade request carried none.
 * @param sender who opened it.
 */
export function createFeedSocket({
  hub,
  door,
  catchUp,
  headerToken,
  sender,
}: {
  hub: Hub
  door: Door
  catchUp: CatchUp
  headerToken: string
  sender: { address: string }
}): SocketHandler {
  let socket: Socket
  let reading: { leave(): void } | null = null
  let wanted: Subscribe | null = null //  the newest subscription, not handled yet
  let overtaken = 0
  let isBusy = false
  let over = false
  let timer: NodeJS.Timeout
  let drained = () => {}
  let overtake = () => {}

  const refuse = (problem: Problem) => {
    over = true
    //  a socket has no headers: what `next` calls Retry-After is in the message
    const message = { kind: 'error', ...problemBody(problem), retryAfterS: retryAfterOf(problem) }
    socket.write(JSON.stringify(message))
    socket.end(CODE_OF_PROBLEM[problem.problem] ?? CLOSE_CODES.unavailable, problem.problem)
  }
  const outlet = (): Outlet => ({
    ...socket,
    onDrained: (listener) => {
      drained = listener
    },
  })

  const subscribe = async ({ topics, lastEventId, token = headerToken }: Subscribe) => {
    const overtaking = new Promise<void>((resolve) => {
      overtake = resolve
    })
    const admitted: Admitted | Problem = await door.admitToken(token, sender)
    if (over) return
    if (isProblem(admitted)) return refuse(admitted)
    reading?.leave()
    reading = null
    clearTimeout(timer)
    const wait = lastEventId === undefined ? null : catchUp.wait(lastEventId, admitted.key)
    if (wait !== null) await Promise.race([wait, overtaking])
    if (over || wanted !== null) return //  closed, or subscribed again meanwhile
    const ended = door.refuseEnded(admitted)
    if (ended !== null) return refuse(ended)
    const place = hub.reserve(token, admitted)
    if (isProblem(place)) return refuse(place)
    const subscription = {
      topics: topics === undefined ? ALL_TOPICS : new Set(topics),
      afterId: lastEventId ?? null,
    }
    reading = place.join(subscription, {
      outlet: outlet(),
      bytes: ({ text }) => text,
      heartbeat: () => {}, // the server pings
      end: (why) => socket.end(CODE_OF_FAREWELL[why], why),
    })
  }
  /**
   * Handles one subscription at a time, and none while the reader has not taken what was written for the one before:
   * until then it is still served as that one, and may be too slow for it.
   */
  const go = async () => {
    if (isBusy) return
    isBusy = true
    while (wanted !== null && !over && socket.waiting() === 0) {
      const said = wanted
      wanted = null
      overtaken = 0
      await subscribe(said)
    }
    isBusy = false
  }
  return {
    opened(opened) {
      socket = opened
      socket.onDrained(() => (wanted === null ? drained() : void go()))
      timer = setTimeout(
        () => socket.end(CLOSE_CODES.unsubscribed, 'nothing subscribed'),
        SUBSCRIBE_WITHIN_MS,
      )
    },
    message(text) {
      const said = Subscribe.safeParse(parseJsonOrNull(text ?? ''))
      if (!said.success) return refuse({ problem: 'malformed_request', detail: MESSAGE_FORM })
      if (wanted !== null && ++overtaken > OVERTAKEN_MAX)
        return refuse({ problem: 'rate_limited', retryAfterS: 1 })
      wanted = said.data
      overtake()
      void go()
    },
    closed() {
      over = true
      clearTimeout(timer) //  a reader leaves by itself: the hub is told of it too
    },
  }
}

const MESSAGE_FORM = `A message is {"op":"subscribe","topics":["${FEED_TOPICS.join('","')}"],"lastEventId":"…","token":"…"}; all but op may be left out.`
