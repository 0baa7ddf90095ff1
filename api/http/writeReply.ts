import { STATUS_CODES } from 'node:http'
import { asSent, blockOf, constantBlock } from './constantHeaders.ts'
import { isStream, type Reply } from './exchange.ts'
import { NO_SNIFF, ON_EVERY_ANSWER } from './manners.ts'
import type { PreparedReply } from './prepared.ts'

/** The part of the server's response that an answer is written to. */
type LiveAnswer = {
  writeStatus(status: string): unknown
  writeHeader(name: string, value: string | Uint8Array): unknown
  end(body: string | Uint8Array, closeConnection: boolean): unknown
  tryEnd(bodyOrRest: string | Uint8Array, length: number): [isTaken: boolean, isOut: boolean]
  endWithoutBody(): unknown
  onAborted(gone: () => void): unknown
  onWritable(more: (sent: number) => boolean): unknown
}

/** How a request is answered. `isLast`: we end its connection with the answer. `isLeaving`: its client asked for that. */
export type Told = { id: string; isBodyless: boolean; isLast: boolean; isLeaving: boolean }

const CLOSE = ['connection', 'close'] as const

const statusLines: Record<number, string> = {}
const statusLine = (status: number): string => {
  statusLines[status] ??= `${status} ${STATUS_CODES[status] ?? ''}`
  return statusLines[status]
}

/** The headers of every answer, as one block. */
const ALWAYS = blockOf(ON_EVERY_ANSWER)
const ALWAYS_AND_NO_SNIFF = blockOf(asSent([]))

export function writeHead(response: LiveAnswer, { status, headers }: Reply, { id, isLeaving }: Told): void {
  response.writeStatus(statusLine(status))
  const block = constantBlock(headers)
  if (block === undefined) writeHeaders(response, headers)
  else response.writeHeader(...block)
  response.writeHeader('x-request-id', id)
  if (isLeaving) response.writeHeader(...CLOSE) //  the server ends it in silence, and a pool would use it again
}

function writeHeaders(response: LiveAnswer, headers: Reply['headers']): void {
  let isSaid = false
  for (const [name, value] of headers) {
    if (name === NO_SNIFF) isSaid = true
    response.writeHeader(name, value)
  }
  response.writeHeader(...(isSaid ? ALWAYS : ALWAYS_AND_NO_SNIFF))
}

/** As `write`. */
export function writePrepared(
  response: LiveAnswer,
  reply: PreparedReply,
  { id, isLast, isLeaving }: Told,
  whenOver: () => void,
): boolean {
  response.writeStatus(statusLine(reply.status))
  response.writeHeader(reply.headName, reply.head())
  for (const [name, value] of reply.later) response.writeHeader(name, value)
  response.writeHeader('x-request-id', id)
  if (isLeaving) response.writeHeader(...CLOSE)
  return writeBody(response, reply.bytes(), isLast, whenOver)
}

/**
 * Writes no more than the system takes at once; the rest waits here until the client has read. Given everything, the
 * server would keep it and read on: a client that sends request after request on one connection and reads nothing made
 * it hold 500 KB per 50 bytes sent, and the process stalled over that. Now its next request meets an unfinished answer,
 * and the server ends the connection.
 */
function writeBody(
  response: LiveAnswer,
  body: string | Uint8Array,
  endsConnection: boolean,
  whenOver: () => void,
): boolean {
  if (endsConnection) {
    response.end(body, true) //  reads nothing more from the client
    return true
  }
  const [, isOut] = response.tryEnd(body, 0) //  0: the length of the body itself
  if (isOut) return true
  const bytes = Buffer.from(body) //  a copy: prepared bytes are refilled for the next answer
  response.onAborted(whenOver)
  response.onWritable((sent) => {
    const [isTaken, isAllOut] = response.tryEnd(bytes.subarray(sent), bytes.length)
    if (isAllOut) whenOver()
    return isTaken
  })
  return false
}

/**
 * As much of a body as the system takes at once. Of a longer one a rest may wait, and if the server ended its connection,
 * nothing would tell when that is out.
 */
const TAKEN_BYTES = 8 * 1024
const isLong = (body: string | Uint8Array): boolean => Buffer.byteLength(body) > TAKEN_BYTES

/** Statuses that never have a body, and so say nothing about its length. */
const EMPTY_STATUSES = new Set([204, 304])

/**
 * @param whenOver called once the rest is out, or its client has left.
 * @returns false: a rest waits.
 */
export function write(
  response: LiveAnswer,
  reply: Reply,
  served: Told,
  whenOver: () => void = () => {},
): boolean {
  const { body, status } = reply
  const hasBody = !served.isBodyless && !EMPTY_STATUSES.has(status)
  const endsConnection = served.isLast && hasBody && !isStream(body) && !isLong(body)
  writeHead(response, reply, served)
  //  without a body, or behind a long one, only the client can end the connection
  if (served.isLast && !endsConnection) response.writeHeader(...CLOSE)
  if (EMPTY_STATUSES.has(status)) {
    response.endWithoutBody()
    return true
  }
  //  a HEAD says how its GET ends, or the client takes it for one that ends with the connection
  if (isStream(body)) response.writeHeader('transfer-encoding', 'chunked')
  else if (!served.isBodyless) return writeBody(response, body, endsConnection, whenOver)
  //  given the length, endWithoutBody waits for that many bytes: the connection takes no further request and is never
  //  reaped
  else response.writeHeader('content-length', String(Buffer.byteLength(body)))
  response.endWithoutBody()
  return true
}
