import type { GapRow } from '../../../engine/contract/gaps.ts'
import type { TopicRow } from '../../../engine/contract/topics.ts'
import type { Search } from '../../search.ts'
import type { GoodPorts } from '../good.ts'
import { openNow } from './open.ts'

/** Hits fetched where one is sold, because some may have closed since the snapshot. */
const HITS = 50

type Named = { topic: string; a: Pick<GapRow['a'], 'title'>; b: Pick<GapRow['b'], 'title'> }

/**
 * Hits of `q`, in the board's order. The outcomes of an event share most of their words: one that is asked for in its very
 * words is among them, however many come before it.
 */
export const hitsOf = <Row extends Named>(search: Search<Row>, q: string): Row[] => {
  const isAsked = isAskedBy(q)
  return search(q, HITS, ({ topic, a, b }) => isAsked(topic) || isAsked(a.title) || isAsked(b.title))
}

/**
 * The pair to sell where only one is sold: the first of `namedFirst`. None if `q` is the very question of a pair that has
 * no price on both venues now: the price of another pair with all of its words would be taken for its own.
 */
export function bestHit(search: Search<GapRow>, q: string, ports: GoodPorts): GapRow | undefined {
  const [hit] = namedFirst(hitsOf(search, q).filter(openNow(ports)), q)
  if (hit === undefined) return undefined
  const isAsked = isAskedBy(q)
  if ([hit.topic, hit.a.title, hit.b.title].some(isAsked)) return hit
  const listed = ports.boards.topics?.search
  const isListed = listed !== undefined && [listed.a, listed.b].some((of) => pairedTopic(of, q) !== undefined)
  return isListed ? undefined : hit
}

/** The listing in a pair whose very question `q` is. */
export function pairedTopic(search: Search<TopicRow>, q: string): TopicRow | undefined {
  const isAsked = isAskedBy(q)
  const isMeant = ({ pairId, topic }: TopicRow) => pairId !== null && isAsked(topic)
  return search(q, 1, isMeant).find(isMeant)
}

/**
 * Puts first the pair whose exact question `q` is, as we or a venue word it; question mark, quotation marks and spaces
 * count for nothing. Which words there are does not distinguish "above $28 on November 28" from "above $30 on November
 * 28", and a figure of the other one is a wrong figure.
 *
 * @param hits rows that match `q`, in the board's order.
 */
export function namedFirst<Row extends Named>(hits: readonly Row[], q: string): readonly Row[] {
  const isAsked = isAskedBy(q)
  const named =
    hits.find(({ topic }) => isAsked(topic)) ??
    hits.find(({ a, b }) => isAsked(a.title) || isAsked(b.title)) ??
    hits[0]
  return named === undefined || named === hits[0] ? hits : [named, ...hits.filter((row) => row !== named)]
}

/**
 * The same words in the same order, whatever their case and whatever is written between them; an accent may be part of
 * its letter or follow it, as some systems write it.
 */
function isAskedBy(q: string): (text: string) => boolean {
  const forms = [...new Set([q, q.normalize('NFC'), q.normalize('NFD')])].map(isWordedAs)
  return (text) => forms.some((isSame) => isSame(text))
}

/** By code units, and no further than they agree, because every row that has the words is looked at. */
function isWordedAs(q: string): (text: string) => boolean {
  const asked = Uint16Array.from({ length: q.length }, (_, at) => told(q, at)).filter(
    (code) => code !== NOTHING,
  )
  return (text) => {
    if (text.length < asked.length || text.length > 2 * asked.length) return false //  no text has more marks than letters
    let matched = 0
    for (let at = 0; at < text.length; at++) {
      const code = told(text, at)
      if (code === NOTHING) continue
      if (code !== asked[matched]) return false
      matched += 1
    }
    return matched === asked.length
  }
}

const NOTHING = 0
const LOWER = Uint16Array.from({ length: 0x80 }, (_, code) => lowerOf(code))
for (const mark of ' \t\r\n?!,.:;"\'') LOWER[mark.charCodeAt(0)] = NOTHING
const OTHER_MARKS = /[\s“”‘’\p{Bidi_Control}\u00ad\u200b-\u200d\u2060]/u // what cannot be seen, too
const DASHES = /[\u2010-\u2015\u2212]/ // typesetters put them where a hyphen or minus is typed
const [SPACE, COMMA, HYPHEN, DOT, ZERO, NINE] = [0x20, 0x2c, 0x2d, 0x2e, 0x30, 0x39]

/**
 * What a letter says, in lower case; NOTHING of a mark that may be left out: a sign and a decimal point may not, nor what
 * parts two numbers: 1:11 is not 11:1.
 */
function told(text: string, at: number): number {
  const said = letterAt(text, at)
  if (said !== NOTHING || !isDigitAt(text, at + 1)) return said
  const mark = text.charCodeAt(at)
  if (mark === DOT) return mark
  if (mark === COMMA) return NOTHING //  of thousands
  let before = at - 1
  while (before >= 0 && letterAt(text, before) === NOTHING) before--
  return isDigitAt(text, before) ? SPACE : NOTHING
}

function letterAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code < LOWER.length) return LOWER[code]!
  const mark = text.charAt(at)
  if (DASHES.test(mark)) return HYPHEN
  return OTHER_MARKS.test(mark) ? NOTHING : lowerOf(code)
}

function isDigitAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= ZERO && code <= NINE
}

function lowerOf(code: number): number {
  return String.fromCharCode(code).toLowerCase().charCodeAt(0)
}
