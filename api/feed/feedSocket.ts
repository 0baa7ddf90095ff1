import { z } from 'zod'
import { FEED_TOPICS } from '../../engine/contract/feed.ts'
import { SECOND } from '../../ops/units.ts'
import { isProblem, type Problem, type ProblemCode } from '../errors.ts'
import type { Socket, SocketHandler } from '../http/exchange.ts'
import { problemBody } from '../http/respond.ts'
import type { Admitted, Door } from './access.ts'
import type { CatchUp } from './catchUp.ts'
import { ALL_TOPICS } from './feedQuery.ts'
import type { Hub } from './hub.ts'
import type { Farewell } from './reader.ts'
import { isStreamId } from './streamId.ts'

/** How we close a WebSocket. 1001: the server closes. 1009: a message was too large. */
export const CLOSE_CODES = {
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

/** The one thing a reader says. Saying it again begins anew, with other topics or from another id. */
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
  feed_token_expired: CLOSE_CODES.expired,
  too_many_streams: CLOSE_CODES.too_many,
}
const CODE_OF_FAREWELL: Record<Farewell, number> = {
  slow: CLOSE_CODES.slow,
  expired: CLOSE_CODES.expired,
  revoked: CLOSE_CODES.token,
}

/** One WebSocket reader. @param headerToken '' when the upgrade request carried none. */
export function createFeedSocket({
  hub,
  door,
  catchUp,
  headerToken,
}: {
  hub: Hub
  door: Door
  catchUp: CatchUp
  headerToken: string
}): SocketHandler {
  let socket: Socket
  let reading: { leave(): void } | null = null
  let turn = 0
  let timer: NodeJS.Timeout

  const refuse = (problem: Problem) => {
    socket.write(JSON.stringify({ kind: 'error', ...problemBody(problem) }))
    socket.end(CODE_OF_PROBLEM[problem.problem] ?? CLOSE_CODES.unavailable, problem.problem)
  }
  const subscribe = async ({ topics, lastEventId, token = headerToken }: Subscribe) => {
    const mine = ++turn
    const admitted: Admitted | Problem = await door.admitToken(token)
    if (mine !== turn) return //  closed, or subscribed again meanwhile
    if (isProblem(admitted)) return refuse(admitted)
    reading?.leave()
    reading = null
    clearTimeout(timer)
    const wait = lastEventId === undefined ? null : catchUp.wait(lastEventId)
    if (wait !== null) await wait
    if (mine !== turn) return
    const place = hub.reserve(token, admitted)
    if (isProblem(place)) return refuse(place)
    const wanted = {
      topics: topics === undefined ? ALL_TOPICS : new Set(topics),
      afterId: lastEventId ?? null,
    }
    reading = place.join(wanted, {
      outlet: socket,
      bytes: ({ text }) => text,
      heartbeat: () => {}, // the server pings
      end: (why) => socket.end(CODE_OF_FAREWELL[why], why),
    })
  }
  return {
    opened(opened) {
      socket = opened
      timer = setTimeout(
        () => socket.end(CLOSE_CODES.unsubscribed, 'nothing subscribed'),
        SUBSCRIBE_WITHIN_MS,
      )
    },
    message(text) {
      const said = Subscribe.safeParse(parseJson(text))
      if (said.success) void subscribe(said.data)
      else refuse({ problem: 'malformed_request', detail: MESSAGE_FORM })
    },
    closed() {
      turn++
      clearTimeout(timer)
      reading?.leave()
    },
  }
}

const MESSAGE_FORM = `A message is {"op":"subscribe","topics":["${FEED_TOPICS.join('","')}"],"lastEventId":"…","token":"…"}; all but op may be left out.`

function parseJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
