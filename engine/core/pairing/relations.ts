import { readDates } from './dates.ts'
import { type Fingerprint, readAsked } from './fingerprint.ts'
import { isTurned, type Order, readOrder } from './order.ts'
import { isPassedBill } from './phrasing.ts'
import { readTokens, type Token } from './tokens.ts'
import { type Judgement, refuse } from './verdict.ts'
import { type Vocabulary, WEIGHT } from './vocabulary.ts'
import type { Word } from './words.ts'

/** How a question relates two things: which is more, which comes first, both or either, and who does it to whom. */
export type Relations = {
  kinds: number //              bits of KIND, other than those of dates and thresholds
  names: readonly number[] //   in the order in which they are related, each once
  subject: readonly number[] // names the question begins with: they do what is asked
  from: readonly number[] //    the name after "from" …
  to: readonly number[] //      … and after "to" or "into"
  joined: readonly number[] //  what "and" or "or" joins, on either side of it
  order: Order
  core: readonly number[] //    all words of the question, and with its event …
  context: readonly number[]
}

const KIND = {
  up: 1,
  down: 2,
  before: 4,
  after: 8,
  against: 16,
  and: 32,
  or: 64,
  beside: 128,
  by: 256,
  byNumber: 512,
  toNumber: 1_024,
  mutual: 2_048,
  margin: 4_096,
  byPart: 8_192,
  inPart: 16_384,
  lasting: 32_768,
  afterDate: 65_536,
} as const
const KIND_OF: ReadonlyMap<string, number> = new Map(
  Object.entries({
    above: KIND.up,
    over: KIND.up,
    more: KIND.up,
    greater: KIND.up,
    higher: KIND.up,
    below: KIND.down,
    under: KIND.down,
    less: KIND.down,
    fewer: KIND.down,
    before: KIND.before,
    after: KIND.after,
    than: KIND.against,
    against: KIND.against,
    and: KIND.and,
    or: KIND.or,
    with: KIND.beside,
    for: KIND.beside,
    by: KIND.by,
    //  what two do together, in either order
    x: KIND.mutual,
    vs: KIND.mutual,
    between: KIND.mutual,
    meet: KIND.mutual,
    meets: KIND.mutual,
    fight: KIND.mutual,
    face: KIND.mutual,
    play: KIND.mutual,
    debate: KIND.mutual,
    marry: KIND.mutual,
    divorce: KIND.mutual,
    merge: KIND.mutual,
    normalize: KIND.mutual,
    trade: KIND.mutual,
  }),
)
/** The order of the names matters. */
const ORDERS = KIND.up | KIND.down | KIND.before | KIND.after | KIND.against
/** "Before the election": a limit that is no date. */
const LIMITS = KIND.before | KIND.after
/** The order of the names does not matter, or a passive may have reversed it. */
const TOGETHER = KIND.and | KIND.or | KIND.beside | KIND.mutual | KIND.by
/** Two kinds that exclude each other where each side says only one of them, with the reason to refuse. */
const OPPOSITES = [
  [KIND.up, KIND.down, 'negation'],
  [KIND.before, KIND.after, 'negation'],
  [KIND.beside, KIND.against, 'negation'],
  [KIND.and, KIND.or, 'conjunction'],
  [KIND.byNumber, KIND.toNumber, 'numbers'],
  [KIND.byPart, KIND.inPart, 'limit'],
] as const
/** Words between "by" and the number of a margin: "by more than 5 points". */
const COMPARING = new Set(
  'over above under below more less fewer than at least most exactly a an about'.split(' '),
)
/** Parts of a year without a date of their own: "by Q3 2026" is not "in Q3 2026". */
const YEAR_PART = /^(?:q[1-4]|spring|summer|autumn|fall|winter)$/
const BOUND_OF: ReadonlyMap<string, number> = new Map([
  ...['by', 'until', 'before'].map((word) => [word, KIND.byPart] as const),
  ...['in', 'during', 'within', 'for'].map((word) => [word, KIND.inPart] as const),
])
const OF_PART = new Set('the end of start early mid late close'.split(' '))

/** Reads how a market relates the names in its question. Done once two markets agree in everything else: few come that far. */
export function readRelations(
  { market, league, core, context }: Fingerprint,
  vocabulary: Vocabulary,
): Relations {
  const { words, outcomeAt } = readAsked(market)
  const used = new Uint8Array(words.length)
  readDates(words, used)
  //  "One Battle After Another" relates nothing
  const kinds = readKinds(
    words,
    used,
    (at) => words[at]!.quoted || (words[at]!.cap && at >= outcomeAt[0] && at < outcomeAt[1]),
  )
  const all = readTokens(words, used, vocabulary, league)
  const tokens = all.filter(({ cap }) => cap)
  //  who does what is asked: "Will Ola Berg visit …", else the outcome, unless the title already says it
  const asked = subjectAt(words)
  const isOutcome = ({ at }: Token) => at >= outcomeAt[0] && at < outcomeAt[1]
  const titled = new Set(all.flatMap(({ id, at }) => (at < outcomeAt[0] ? [id] : [])))
  const isListed = tokens.some((token) => isOutcome(token) && !titled.has(token.id))
  const isFirst = (token: Token) => (asked === -1 ? isListed && isOutcome(token) : token.at >= asked)
  const ordered = [...tokens.filter(isFirst), ...tokens.filter((token) => !isFirst(token))]
  const behind = (pattern: RegExp) =>
    tokens.filter(({ at }) => pattern.test(previous(words, at))).map(({ id }) => id)
  //  "No change in ECB rates", "Hold": an act is not an actor
  const actors = ordered.filter(({ id }) => (vocabulary.weight(id) & WEIGHT.scheduled) === 0)
  const endOfRun = actors.findIndex(({ at }, nth) => nth > 0 && !followsOn(words, actors[nth - 1]!.at, at))
  return {
    kinds,
    names: [...new Set(ordered.map(({ id }) => id))],
    subject: actors.slice(0, endOfRun === -1 ? undefined : endOfRun).map(({ id }) => id),
    from: behind(/^from$/),
    to: behind(/^(?:to|into)$/),
    joined: readJoined(words, all),
    order: readOrder(words, used, all),
    core,
    context,
  }
}

/** "Best Picture and Best Director": the words next to "and" or "or", and all of the name they belong to. */
function readJoined(words: readonly Word[], tokens: readonly Token[]): number[] {
  const joined: number[] = []
  for (let at = 1; at < words.length; at++) {
    if (!/^(?:and|or)$/.test(words[at]!.text) || (isNumber(words, at - 1) && isNumber(words, at + 1)))
      continue
    const next = tokens.findIndex((token) => token.at > at)
    if (next < 1) continue
    for (const step of [1, -1]) {
      let place = step === 1 ? next : next - 1
      joined.push(tokens[place]!.id)
      for (; isOneName(words, tokens, place, place + step); place += step)
        joined.push(tokens[place + step]!.id)
    }
  }
  return joined
}

/** Do two tokens next to each other belong to one name? */
function isOneName(words: readonly Word[], tokens: readonly Token[], place: number, other: number): boolean {
  const [first, second] = [tokens[Math.min(place, other)], tokens[Math.max(place, other)]]
  return first?.cap === true && second?.cap === true && followsOn(words, first.at, second.at)
}

/** Index of the name after "will"; -1 when there is none. */
function subjectAt(words: readonly Word[]): number {
  const will = words.findLastIndex(({ text }) => text === 'will')
  if (will === -1) return -1
  const at = words[will + 1]?.text === 'the' ? will + 2 : will + 1
  return words[at]?.cap === true ? at : -1
}

function followsOn(words: readonly Word[], from: number, to: number): boolean {
  if (to <= from) return false
  return words.slice(from + 1, to).every(({ text, cap }) => cap || text === 'of' || text === 'the')
}

/** The word before, articles and names of the same phrase aside. */
function previous(words: readonly Word[], at: number): string {
  let place = at - 1
  while (place >= 0 && (words[place]!.cap || words[place]!.text === 'the')) place--
  return words[place]?.text ?? ''
}

function readKinds(words: readonly Word[], used: Uint8Array, isOfName: (at: number) => boolean): number {
  let kinds = 0
  for (let at = 0; at < words.length; at++) {
    const { text } = words[at]!
    if (text === 'through' || text === 'until') kinds |= KIND.lasting
    if (text === 'after' && used[at] === 1 && isDate(words, at + 1)) kinds |= KIND.afterDate
    if (used[at] === 1) continue
    if (isNumber(words, at + 1) && used[at + 1] === 0)
      kinds |= text === 'by' ? KIND.byNumber : text === 'to' && !isNumber(words, at - 1) ? KIND.toNumber : 0
    //  "lead after Round 1", "lead at the end of Round 1"
    if (text === 'end' && words[at + 1]?.text === 'of' && words[at + 2]?.text === 'round') kinds |= KIND.after
    if (text === 'by' && isMargin(words, at, used)) kinds |= KIND.margin
    if (YEAR_PART.test(text)) kinds |= boundOf(words, at - 1)
    else if (text === 'quarter' && words[at - 1]?.unit === 'ordinal') kinds |= boundOf(words, at - 2)
    const kind = isPassedBill(words, at) ? KIND.mutual : KIND_OF.get(text)
    if (kind !== undefined && !isOfNumber(words, at) && !isOfName(at)) kinds |= kind
  }
  return kinds
}

/** "After 2027", "after Jan 1", but not "after the 2027 election", nor "after June 2027 meeting" with or without "the". */
function isDate(words: readonly Word[], at: number): boolean {
  const [first, next] = [words[at], words[at + 1]]
  return isNumber(words, at)
    ? next === undefined || !/^[a-z]/.test(next.text)
    : first?.month != null && isNumber(words, at + 1) && !HELD.test(words[at + 2]?.text ?? '')
}

/** What is held in a month: "June 2027 meeting" is that meeting and no limit. */
const HELD = /^(?:meeting|election|primary|vote|runoff|referendum|summit|session)s?$/

/** Figures that are themselves a change: an increase by so much means a figure of so much. */
const IS_CHANGE = /^(?:inflation|cpi|ppi|pce|gdp)$/

/**
 * "By over 5%", "by 3 goals": a margin, not a share or a count. Basis points do not count: central banks move by
 * nothing else.
 */
function isMargin(words: readonly Word[], by: number, used: Uint8Array): boolean {
  if (IS_CHANGE.test(words[by - 2]?.text ?? '')) return false
  let at = by + 1
  while (COMPARING.has(words[at]?.text ?? '')) at++
  const number = words[at]
  if (number === undefined || number.value === null || used[at] === 1) return false
  return number.unit !== 'bps' && number.unit !== 'ordinal' && words[at + 1]?.text !== 'basis'
}

/** Is the part of a year the time in which something happens, or by which? */
function boundOf(words: readonly Word[], from: number): number {
  let at = from
  while (at > from - 4 && OF_PART.has(words[at]?.text ?? '')) at--
  return BOUND_OF.get(words[at]?.text ?? '') ?? 0
}

/** "over 3", "more than 3", "3 or more", "between 3 and 5": a threshold, which is compared as a number. */
function isOfNumber(words: readonly Word[], at: number): boolean {
  const text = (place: number) => words[place]?.text
  if (isNumber(words, at + 1) || (text(at + 1) === 'than' && isNumber(words, at + 2))) return true
  const isThing = (place: number) => isNumber(words, place - 1) && !isNumber(words, place)
  return text(at) === 'or' || text(at) === 'and'
    ? isNumber(words, at - 1) || (isThing(at - 1) && OPEN_ENDED.test(text(at + 1) ?? ''))
    : text(at - 1) === 'or' && (isNumber(words, at - 2) || isThing(at - 2))
}

/** "5 points or more" */
const OPEN_ENDED = /^(?:more|less|fewer|above|below|over|under|higher|lower|greater|better|worse)$/

const isNumber = (words: readonly Word[], at: number): boolean => (words[at]?.value ?? null) !== null

/** The same words in another relation: above against below, before against after, or roles swapped. */
export function refuseRelations(a: Relations, b: Relations): Judgement | null {
  for (const [one, other, reason] of OPPOSITES)
    if ((only(a, one, other) && only(b, other, one)) || (only(a, other, one) && only(b, one, other)))
      return refuse('related', reason)
  if ((a.kinds & LIMITS) === 0 ? (b.kinds & LIMITS) !== 0 : (b.kinds & LIMITS) === 0)
    return refuse('related', 'limit_unknown')
  if (((a.kinds ^ b.kinds) & KIND.margin) !== 0) return refuse('related', 'numbers')
  //  what lasts through a day holds all the time, what happens by it does so once
  if (((a.kinds ^ b.kinds) & (KIND.lasting | KIND.afterDate)) !== 0) return refuse('related', 'limit')
  if (asksForTwo(a, b) || asksForTwo(b, a)) return refuse('related', 'conjunction')
  const swapped = refuse('related', 'roles_swapped')
  if (meet(a.from, b.to) || meet(a.to, b.from)) return swapped
  if (isTurned(a.order, b.order)) return swapped
  //  a passive on both sides turns nothing round
  const apart = TOGETHER & ~(a.kinds & b.kinds & KIND.by)
  if (((a.kinds | b.kinds) & apart) === 0 && isOther(a, b) && isOther(b, a)) return swapped
  if ((a.kinds & b.kinds & ORDERS) === 0) return null
  const [namesA, namesB] = [
    a.names.filter((id) => b.names.includes(id)),
    b.names.filter((id) => a.names.includes(id)),
  ]
  return namesA.join() === namesB.join() ? null : swapped
}

/** Is the actor here acted upon there? */
const isOther = (here: Relations, there: Relations): boolean =>
  here.subject.length > 0 &&
  here.subject.every((id) => there.names.includes(id) && !there.subject.includes(id))

/**
 * Are two things asked for here, while there only the event names the other one: "La Liga and the Champions League"?
 */
const asksForTwo = ({ joined }: Relations, { core, context }: Relations): boolean =>
  joined.some((id) => !core.includes(id) && context.includes(id))

const meet = (x: readonly number[], y: readonly number[]): boolean => x.some((id) => y.includes(id))

const only = ({ kinds }: Relations, wanted: number, other: number): boolean =>
  (kinds & wanted) !== 0 && (kinds & other) === 0
