/**
 * What a handler sees of a request and gives as an answer. Nothing here knows the server: the request was
 * copied out before the first await, and the reply is bytes that are written in one go.
 */
export type HttpRequest = {
  method: string //       upper case
  path: string //         as sent, never normalised: other forms of a path are other paths
  rawQuery: string //     undecoded; parse it once with parseQuery
  header(name: CapturedHeader): string // '' when absent
  /** How often a header was sent. */
  headerCount(name: CapturedHeader): number
  address: string //      of the peer
  /** Reads the whole body; rejects beyond `maxBytes` with BodyTooLarge, and when the client is gone. */
  body(maxBytes: number): Promise<Buffer>
}

/** The only headers that are copied from a request; lower case as the server gives them. */
export const CAPTURED_HEADERS = [
  'payment-signature',
  'x-payment',
  'x-service-pass',
  'x-service-payload',
  'x-agent-id',
  'accept',
  'content-type',
  'content-length',
  'transfer-encoding',
  'if-none-match',
] as const
export type CapturedHeader = (typeof CAPTURED_HEADERS)[number]

export type Reply = {
  status: number
  headers: readonly (readonly [name: string, value: string])[]
  body: string | Uint8Array
}

export type Handler = (request: HttpRequest) => Reply | Promise<Reply>

export class BodyTooLarge extends Error {}
