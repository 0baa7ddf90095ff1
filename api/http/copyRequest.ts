import { assert } from '../../ops/errors.ts'
import type { BodyRoom } from './bodyRoom.ts'
import {
  BodyTooLarge,
  CAPTURED_HEADERS,
  type CapturedHeader,
  ClientGone,
  type HttpRequest,
  NoRoom,
} from './exchange.ts'
import type { Line } from './line.ts'

/** What is needed of the server's request and response. The request is gone after the handler's first await. */
export type LiveRequest = {
  getCaseSensitiveMethod(): string
  getUrl(): string
  getQuery(): string
  getHeader(name: string): string
  forEach(visit: (name: string, value: string) => void): void
}
export type LiveResponse = {
  getRemoteAddressAsText(): ArrayBuffer
  onData(take: (chunk: ArrayBuffer, isLast: boolean) => void): unknown
  close(): unknown
}

/** @param forwardedFor all X-Forwarded-For headers, in the order they came. */
export type FindCaller = (peer: string, forwardedFor: string) => string

/**
 * `over`: answered, or the client is gone; the response must not be touched any more. `isCut`: no more of its body is
 * read, so its answer ends the connection.
 */
export type Exchange = { over: boolean; isCut: boolean; onAborted: (() => void) | null }

/** Address of a client who left before it was looked up. */
const GONE = ''

/** The index at which a captured header's value and count are kept. */
const PLACES: ReadonlyMap<string, number> = new Map(CAPTURED_HEADERS.map((name, place) => [name, place]))
const placeOf = (name: CapturedHeader): number => PLACES.get(name)!

/** What was copied out of a request; the rest is looked up while it lives: before the handler's first await. `seal` ends that time. */
export class CopiedRequest implements HttpRequest {
  readonly method: string
  readonly path: string
  private live: LiveRequest | null
  private readonly response: LiveResponse
  private readonly exchange: Exchange
  private readonly bodyRoom: BodyRoom
  private readonly line: Line
  private readonly findCaller: FindCaller | null
  private query: string | null = null
  private caller: string | null = null
  private readonly values: (string | undefined)[] = Array(CAPTURED_HEADERS.length) //  undefined: not looked up yet
  private counts: number[] | null = null

  constructor(
    request: LiveRequest,
    response: LiveResponse,
    exchange: Exchange,
    bodyRoom: BodyRoom,
    line: Line,
    findCaller: FindCaller | null = null,
  ) {
    this.live = request
    this.response = response
    this.exchange = exchange
    this.bodyRoom = bodyRoom
    this.line = line
    this.findCaller = findCaller
    this.method = request.getCaseSensitiveMethod()
    this.path = request.getUrl()
  }

  get rawQuery(): string {
    this.query ??= this.alive('the query').getQuery() ?? ''
    return this.query
  }

  header(name: CapturedHeader): string {
    const place = placeOf(name)
    const known = this.values[place]
    if (known !== undefined) return known
    const value = this.counts === null ? this.alive(name).getHeader(name) : ''
    this.values[place] = value
    return value
  }

  headerCount(name: CapturedHeader): number {
    this.counts ??= this.countAll()
    return this.counts[placeOf(name)]!
  }

  /** Behind a proxy it is made of headers, so `seal` looks it up; else only the connection is asked, as long as there is one. */
  get address(): string {
    if (this.caller === null && !this.exchange.over) {
      const peer = Buffer.from(this.response.getRemoteAddressAsText()).toString()
      this.caller =
        this.findCaller === null ? peer : this.findCaller(peer, forwardedFor(this.alive('the address')))
    }
    return this.caller ?? GONE
  }

  body(maxBytes: number): Promise<Buffer> {
    const told = this.header('content-length')
    const needed = /^\d{1,15}$/.test(told) ? Math.min(maxBytes, Number(told)) : maxBytes
    const take = () => this.bodyRoom.take(this.address, needed)
    const { isLong, wait } = this.line
    const line = { isLong, wait: (go: () => void) => wait(this.address, go) }
    return readBody(this.response, { maxBytes, needed, take, line }, this.exchange)
  }

  seal(): void {
    void this.rawQuery
    if (this.findCaller !== null) void this.address
    this.live = null
  }

  private alive(what: string): LiveRequest {
    assert(this.live !== null, `${what} is read before the first await`)
    return this.live
  }

  /** One look at all of them: what is captured need not be looked up again. */
  private countAll(): number[] {
    const request = this.alive('each header')
    const counts = Array<number>(CAPTURED_HEADERS.length).fill(0)
    request.forEach((name, value) => {
      const place = PLACES.get(name)
      if (place === undefined) return
      if (counts[place] === 0) this.values[place] = value
      counts[place]!++
    })
    return counts
  }
}

/**
 * Can the end of the body be read in two ways (RFC 9112, 6.3)? The server takes the first of two lengths, and any
 * transfer coding as chunked; a proxy in front may take the other, and the bytes between the two would be taken as
 * somebody's next request (HTTP-09). Such a connection is closed without an answer, because after an answer the server
 * would go on reading it. The server refuses the other cases by itself.
 */
export function isUnclear(request: LiveRequest): boolean {
  const coding = request.getHeader('transfer-encoding')
  if (coding === '' && request.getHeader('content-length') === '') return false
  if (coding !== '' && coding.toLowerCase() !== 'chunked') return true
  let said = 0
  request.forEach((name) => {
    if (name === 'content-length' || name === 'transfer-encoding') said++
  })
  return said > 1
}

/** Proxies that do not know of each other send a line each; all of them count. */
function forwardedFor(request: LiveRequest): string {
  const lines: string[] = []
  request.forEach((name, value) => {
    if (name === 'x-forwarded-for') lines.push(value)
  })
  return lines.join(',')
}

/**
 * After FREE_PIECES, pieces must have at least PIECE_BYTES on average: each piece costs a call whatever it holds, and a
 * chunk of one byte takes six bytes to send.
 */
const FREE_PIECES = 1_000
const PIECE_BYTES = 256
const FIRST_BYTES = 4 * 1024
/**
 * This much beyond the limit is read and discarded, so that the sender is told why and keeps its connection. A sender
 * of more is told too, if it reads before it has sent everything, and loses the connection.
 */
const OVER_BYTES = 1024 * 1024

/**
 * @property needed most bytes it will need. @property take reserves that much memory; null when there is none.
 * @property line where it waits, complete, until its handler gets it.
 */
type Wanted = {
  maxBytes: number
  needed: number
  take: () => (() => void) | null
  line: { isLong(): boolean; wait(go: () => void): void }
}

/**
 * The body, copied as it arrives into one buffer that doubles, so that at most about twice what was sent is kept, in
 * however many pieces. A sender of more pieces than any honest client sends is cut off; a sender of too many bytes is
 * cut off with its answer, because each piece that follows would still cost a call.
 * @throws BodyTooLarge when it is complete, or far too much of it has come, and it is longer than `maxBytes`; NoRoom
 * when it is complete but there was no room for it when it began, or when it had to wait in line.
 */
function readBody(
  response: LiveResponse,
  { maxBytes, needed, take, line }: Wanted,
  exchange: Exchange,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const mostBytes = maxBytes + OVER_BYTES
    const mostPieces = FREE_PIECES + mostBytes / PIECE_BYTES
    let room: Buffer = Buffer.alloc(0)
    let bytes = 0
    let pieces = 0
    let giveBack: (() => void) | null = null
    let isRefused = false
    const forget = () => {
      room = Buffer.alloc(0)
      giveBack?.()
    }
    const give = () => {
      if (!exchange.over) resolve(room)
      forget()
    }
    const complete = (body: Buffer) => {
      room = body
      if (!line.isLong()) return give()
      giveBack ??= take() //  one that came in one piece has none yet
      if (giveBack !== null) return line.wait(give)
      forget()
      reject(new NoRoom())
    }
    response.onData((chunk, isLast) => {
      if (exchange.over) return forget() // answered all the same, as by a closing server
      const from = bytes
      bytes += chunk.byteLength
      pieces++
      if (pieces > mostPieces || exchange.isCut) return void response.close()
      if (bytes > mostBytes) {
        forget()
        exchange.isCut = true
        return reject(new BodyTooLarge())
      }
      if (isLast && from === 0 && bytes <= maxBytes) return complete(Buffer.from(chunk.slice(0)))
      //  for headers that come alone the server makes an empty piece: it takes no room
      if (from === 0 && bytes > 0 && bytes <= maxBytes) {
        giveBack = take()
        isRefused = giveBack === null
      }
      if (bytes > maxBytes || isRefused) {
        forget()
        if (!isLast) return
        return reject(bytes > maxBytes ? new BodyTooLarge() : new NoRoom())
      }
      if (bytes > room.length) {
        const larger = Buffer.alloc(Math.max(bytes, Math.min(needed, Math.max(FIRST_BYTES, 2 * bytes))))
        room.copy(larger, 0, 0, from)
        room = larger
      }
      room.set(new Uint8Array(chunk), from)
      if (isLast) complete(room.subarray(0, bytes))
    })
    exchange.onAborted = () => {
      forget()
      reject(new ClientGone())
    }
  })
}
