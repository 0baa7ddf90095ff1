import type { Reply } from './exchange.ts'
import { NO_SNIFF, ON_EVERY_ANSWER } from './manners.ts'

type Headers = Reply['headers']
/**
 * Several headers at once: as the value of the first one, which contains the others. Kept as bytes, because text would
 * be encoded at each use.
 */
type Block = readonly [name: string, value: Uint8Array]

/** @property joined lists made by appending a further constant list, constant too. */
type Constant = { block: Block; joined: WeakMap<Headers, Headers> }

const constants = new WeakMap<Headers, Constant>()

/** Marks a list that is made once and is on many answers: it is sent as bytes, which are made once too. */
export function constantHeaders(headers: Headers): Headers {
  constants.set(headers, { block: blockOf(asSent(headers)), joined: new WeakMap() })
  return headers
}

/** The headers plus those that are on every answer. */
export const asSent = (headers: Headers): Headers => {
  const isSaid = headers.some(([name]) => name === NO_SNIFF)
  return [...headers, ...(isSaid ? [] : [[NO_SNIFF, 'nosniff'] as const]), ...ON_EVERY_ANSWER]
}

/** A constant list and what is on every answer; undefined for any other list. */
export const constantBlock = (headers: Headers): Block | undefined => constants.get(headers)?.block

/** One list followed by the other. */
export function joinHeaders(first: Headers, second: Headers): Headers {
  const constant = constants.get(first)
  if (constant === undefined || !constants.has(second)) return [...first, ...second]
  let both = constant.joined.get(second)
  if (both === undefined) {
    both = constantHeaders([...first, ...second])
    constant.joined.set(second, both)
  }
  return both
}

export const blockOf = ([first, ...rest]: Headers): Block => [
  first![0],
  Buffer.from(`${first![1]}${lines(rest)}`, 'latin1'),
]

/** Further headers, to be appended to a header's value. */
export const lines = (headers: Headers): string =>
  headers.map(([name, value]) => `\r\n${name}: ${value}`).join('')
