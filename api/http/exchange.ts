import { UnavailableError } from '../../ops/errors.ts'

/**
 * What a handler sees of a request and gives as an answer. Nothing here knows the server: the request was
 * copied out before the first await, and the reply is bytes that are written in one go, or a stream.
 */
export type HttpRequest = {
  method: string //       upper case
  path: string //         as sent, never normalised: other forms of a path are other paths
  rawQuery: string //     undecoded; parse it once with parseQuery
  header(name: CapturedHeader): string // '' when absent
  /** How often a header was sent. */
  headerCount(name: CapturedHeader): number
  address: string //      of the caller; behind TRUSTED_PROXIES as they state it
  /** Reads the whole body; rejects beyond `maxBytes` with BodyTooLarge, and with ClientGone. */
  body(maxBytes: number): Promise<Buffer>
}

/** The only headers that are copied from a request; lower case as the server gives them. */
export const CAPTURED_HEADERS = [
  'payment-signature',
  'x-payment',
  'x-service-pass',
  'x-service-payload',
  'x-service-permit',
  'x-service-credit-auth',
  'x-service-claim-code',
  'x-service-payer-signature',
  'idempotency-key',
  'x-service-feed-token',
  'x-marketplace-token',
  'x-agent-id',
  'stripe-signature',
  'accept',
  'content-type',
  'content-length',
  'transfer-encoding',
  'if-none-match',
  'last-event-id',
  'origin',
  'access-control-request-method',
  'mcp-protocol-version',
  'a2a-version',
] as const
export type CapturedHeader = (typeof CAPTURED_HEADERS)[number]

/**
 * What can pay for a GET; of these a request carries exactly one, so that only one can ever be consumed (VAL-15). When
 * credit is bought, the credit secret pays nothing: it binds what the payment buys.
 */
export const INSTRUMENTS = [
  'payment-signature',
  'x-payment',
  'x-service-pass',
  'x-service-credit-auth',
] as const

/**
 * Where a reader's bytes go. At most MAX_WAITING_BYTES wait for a slow reader: beyond that it is cut off. All methods
 * silently do nothing once the reader is gone.
 */
export type Outlet = {
  /** @returns false when bytes wait: stop until `onDrained`. Text shared by many readers is best given as bytes. */
  write(chunk: string | Uint8Array): boolean
  waiting(): number //                         bytes, exact to two pieces of 16 kB
  onDrained(listener: () => void): void //     when all waiting bytes were sent; one listener
  onClosed(listener: () => void): void //      once: reader gone, cut off, ended by us, or the server closes; one listener
}

/** A streamed body: chunks of any size; what waits when it ends still goes out, within END_WITHIN_MS. */
export type StreamSink = Outlet & { end(): void }

/** Called once, right after status and headers. May write at once, later, or both. A HEAD never calls it. */
export type StreamBody = { stream(sink: StreamSink): void }

/** A WebSocket; each write is one text message. */
export type Socket = Outlet & { end(code: number, reason: string): void }

/**
 * What happens to a WebSocket once it is open. A sender of more than the route's `maxMessageBytes` is closed with 1009.
 */
export type SocketHandler = {
  opened(socket: Socket): void
  message(text: string | null): void // null: binary
  closed(): void
}

/** Looks at an upgrade request; a Reply refuses it. */
export type SocketRoute = {
  path: string
  maxMessageBytes: number
  accept(request: HttpRequest): SocketHandler | Reply | Promise<SocketHandler | Reply>
}

export const MAX_WAITING_BYTES = 16 * 1024 * 1024
export const END_WITHIN_MS = 10_000

export type Reply = {
  status: number
  headers: readonly (readonly [name: string, value: string])[]
  body: string | Uint8Array | StreamBody
}

export type Handler = (request: HttpRequest) => Reply | Promise<Reply>

export const isStream = (body: Reply['body']): body is StreamBody =>
  typeof body === 'object' && 'stream' in body

export class BodyTooLarge extends Error {}

/** Other bodies that have partly arrived hold all the memory for bodies. The same request may succeed later. */
export class NoRoom extends UnavailableError {
  constructor() {
    super('no_room', 'bodies under way hold all room there is for them')
  }
}

/** Nobody waits for an answer any more: no failure of ours. */
export class ClientGone extends Error {}
