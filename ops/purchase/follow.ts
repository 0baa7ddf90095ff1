import { setTimeout as sleep } from 'node:timers/promises'
import { parseRetryAfter } from '../retryAfter.ts'
import { SECOND } from '../units.ts'
import { codeOfProblem, parseJson, readText } from './exchange.ts'
import { PurchaseEnd } from './outcomes.ts'
import { createSseReader, type SseEvent } from './sse.ts'

export type Following = {
  url: string
  headers: Record<string, string> // with the token
  lastEventId: string //             '' begins with what is open
  /** @returns false when it is enough. */
  onEvent(event: SseEvent): Promise<boolean>
  onLost(why: string, afterMs: number): void
  onOpen(): void
  stop: AbortSignal
}

/** The service sends a sign of life every 15 s. */
const SILENCE_MS = 45 * SECOND
const CONNECT_MS = 20 * SECOND
const FIRST_WAIT_MS = 1 * SECOND
const MAX_WAIT_MS = 30 * SECOND
/** The refusal of a token that works again once its payment is back: it is kept. */
export const REVOKED = 'feed_token_revoked'

export class RevokedToken extends PurchaseEnd {
  readonly wasOpen: boolean //  events may have been told with it

  constructor({ wasOpen }: { wasOpen: boolean }) {
    super('refused', 'the payment of this feed token is gone: it works again once that is back')
    this.wasOpen = wasOpen
  }
}

/**
 * Follows an event stream until `onEvent` has had enough, and resumes it after the last event at every disconnect: no
 * event is told twice, and none is left out that the service still retains.
 * After `slow`, the stream is resumed where it ended.
 * @throws RevokedToken, or PurchaseEnd: `used_up` when the token has ended, `refused` when the service will not stream.
 */
export async function follow(order: Following): Promise<void> {
  const place: Place = { lastEventId: order.lastEventId, waitMs: FIRST_WAIT_MS, wasOpen: false }
  while (!order.stop.aborted) {
    const lost = await followOnce(order, place)
    if (lost === null || order.stop.aborted) return
    order.onLost(lost, place.waitMs)
    await sleep(place.waitMs, undefined, { signal: order.stop }).catch(() => {})
    place.waitMs = Math.min(MAX_WAIT_MS, place.waitMs * 2)
  }
}

/** How far the stream is read, and how long to wait after the next disconnect. */
type Place = { lastEventId: string; waitMs: number; wasOpen: boolean }

/** One connection, from its start to its end. @returns why it was lost; null: it was enough. */
async function followOnce(order: Following, place: Place): Promise<string | null> {
  const connection = new AbortController()
  const watchdog = createWatchdog(connection)
  const end = () => connection.abort()
  order.stop.addEventListener('abort', end, { once: true })
  try {
    watchdog.within(CONNECT_MS)
    const response = await connect(order, place.lastEventId, connection.signal)
    const refused = await refuseAnswer(response, place)
    if (refused !== null) {
      place.waitMs = Math.max(place.waitMs, refused.afterMs)
      return refused.why
    }
    place.wasOpen = true
    order.onOpen()
    const isEnough = await readEvents(order, place, watchedChunks(response.body!, watchdog))
    return isEnough ? null : 'the connection ended'
  } catch (error) {
    if (error instanceof PurchaseEnd) throw error
    return watchdog.barked() ? 'nothing was heard' : 'the connection broke'
  } finally {
    watchdog.end()
    order.stop.removeEventListener('abort', end)
    connection.abort()
  }
}

const connect = ({ url, headers }: Following, lastEventId: string, signal: AbortSignal): Promise<Response> =>
  fetch(url, {
    headers: {
      ...headers,
      accept: 'text/event-stream',
      ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
    },
    redirect: 'manual',
    signal,
  })

async function* watchedChunks(
  body: AsyncIterable<Uint8Array>,
  watchdog: Watchdog,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    watchdog.within(SILENCE_MS)
    yield chunk
  }
}

/** @returns true when `onEvent` has had enough, false when the stream has ended. */
async function readEvents(
  { onEvent }: Following,
  place: Place,
  chunks: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const reader = createSseReader()
  const decoder = new TextDecoder()
  for await (const chunk of chunks)
    for (const event of reader.read(decoder.decode(chunk, { stream: true }))) {
      place.lastEventId = event.id || place.lastEventId
      place.waitMs = reader.retryMs() ?? FIRST_WAIT_MS
      if (!(await onEvent(event))) return true
      if (event.kind === 'expired') throw new PurchaseEnd('used_up', 'the feed token is expired')
      if (event.kind === 'revoked') throw new RevokedToken(place)
    }
  return false
}

/** @returns null: it streams; else when to ask again. @throws PurchaseEnd when asking again is of no use */
async function refuseAnswer(
  response: Response,
  place: Place,
): Promise<{ why: string; afterMs: number } | null> {
  const { status, headers, body } = response
  const streams = headers.get('content-type')?.startsWith('text/event-stream') ?? false
  if (status === 200 && streams && body !== null) return null
  if (status === 401)
    throw codeOfProblem(parseJson(await readText(response))) === REVOKED
      ? new RevokedToken(place)
      : new PurchaseEnd('used_up', 'the service does not take this feed token any more')
  await body?.cancel()
  if (status !== 429 && status < 500)
    throw new PurchaseEnd('refused', `the service does not stream (${status})`)
  const afterMs = parseRetryAfter(headers.get('retry-after') ?? undefined, Date.now()) ?? 0
  return { why: `the service answers ${status}`, afterMs }
}

type Watchdog = ReturnType<typeof createWatchdog>

/** Ends a connection that stays silent for too long. */
function createWatchdog(connection: AbortController) {
  let timer: NodeJS.Timeout | null = null
  let barked = false
  const end = () => {
    if (timer !== null) clearTimeout(timer)
  }
  return {
    end,
    barked: () => barked,
    within(ms: number) {
      end()
      timer = setTimeout(() => {
        barked = true
        connection.abort()
      }, ms)
    },
  }
}
