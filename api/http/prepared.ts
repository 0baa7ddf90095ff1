import { assert } from '../../ops/errors.ts'
import { asSent, joinHeaders, lines } from './constantHeaders.ts'
import type { Reply } from './exchange.ts'

type Headers = Reply['headers']

/**
 * A reply that is the same for everybody except in some places, kept as the bytes that are sent. Code that asks for its
 * text gets text; the server takes the bytes, in which only the places are rewritten. Each place is as wide as its
 * mark.
 */
export class PreparedReply implements Reply {
  private readonly prepared: Prepared
  private readonly fills: readonly string[]
  private readonly constant: Headers //  the first list added: always the same for a route
  readonly later: Headers //             further ones: not among the bytes of `head`

  constructor(prepared: Prepared, fills: readonly string[], constant: Headers = NONE, later: Headers = NONE) {
    for (let at = 0; at < fills.length; at++)
      assert(fills[at]!.length === prepared.marks[at]!.length, 'a place is as wide as its mark')
    this.prepared = prepared
    this.fills = fills
    this.constant = constant
    this.later = later
  }

  get status(): number {
    return this.prepared.reply.status
  }

  get headers(): Headers {
    const own = this.prepared.reply.headers.map(([name, value]) => [name, this.filled(value)] as const)
    return [...own, ...this.constant, ...this.later]
  }

  get body(): string {
    return this.filled(this.prepared.reply.body)
  }

  with(more: Headers): PreparedReply {
    const { prepared, fills, constant, later } = this
    return constant === NONE
      ? new PreparedReply(prepared, fills, more)
      : new PreparedReply(prepared, fills, constant, [...later, ...more])
  }

  /** Name of the first header, whose value `head` begins with. */
  get headName(): string {
    return this.prepared.reply.headers[0]![0]
  }

  /** The rest of the head, what is on every answer included, as one header's value. Good until the next is made. */
  head(): Uint8Array {
    return this.prepared.head(this.constant, this.fills)
  }

  /** Good until the next is made. */
  bytes(): Uint8Array {
    return this.prepared.body(this.fills)
  }

  private filled(text: string): string {
    return this.prepared.marks.reduce((done, mark, at) => done.replaceAll(mark, () => this.fills[at]!), text)
  }
}

const NONE: Headers = []

export type Prepared = {
  reply: { status: number; headers: Headers; body: string }
  marks: readonly string[]
  head(constant: Headers, fills: readonly string[]): Uint8Array
  body(fills: readonly string[]): Uint8Array
}

/**
 * @param reply ASCII, with the marks where its places are.
 * @param marks as wide as what will fill them; in the order of `fills`.
 */
export function prepareReply(reply: Prepared['reply'], marks: readonly string[]): Prepared {
  const [first, ...rest] = reply.headers
  assert(first !== undefined, 'a prepared reply has a header')
  const body = withPlaces(reply.body, marks)
  let headOf: Headers | null = null
  let head = body
  return {
    reply,
    marks,
    body,
    head(constant, fills) {
      if (headOf !== constant) {
        head = withPlaces(`${first[1]}${lines(asSent([...rest, ...constant]))}`, marks)
        headOf = constant
      }
      return head(fills)
    },
  }
}

/**
 * The reply with additional headers. Needed where it may be a prepared one: its members are not properties that can be
 * copied.
 */
export function withHeaders(reply: Reply, more: Headers): Reply {
  if (reply instanceof PreparedReply) return reply.with(more)
  return { status: reply.status, headers: joinHeaders(reply.headers, more), body: reply.body }
}

/** The text as one reused buffer: each call fills the places and returns it again. */
function withPlaces(text: string, marks: readonly string[]): (fills: readonly string[]) => Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(text.length)
  assert(bytes.write(text, 'utf8') === text.length, 'what is prepared is ASCII')
  const places = marks.flatMap((mark, which) => offsetsOf(text, mark).map((at) => ({ at, which })))
  return (fills) => {
    for (const { at, which } of places) bytes.write(fills[which]!, at, 'latin1')
    return bytes
  }
}

function offsetsOf(text: string, mark: string): number[] {
  const offsets: number[] = []
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) offsets.push(at)
  return offsets
}
