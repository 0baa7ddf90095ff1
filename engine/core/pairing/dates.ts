import { type Day, dayOf, lastDayOf } from './days.ts'
import type { Word } from './words.ts'
import { wordTable } from './wordTable.ts'

/** How a date is bound to what is asked. `unclear`: "by 2027" may end or begin the year. */
export type Relation = 'before' | 'by' | 'in' | 'on' | 'after' | 'end' | 'from' | null

/** A date in words. What the text leaves out is null; a season 2025-26 has year 2026 and seasonStart 2025. */
export type DateMention = {
  year: number | null
  month: number | null
  day: number | null
  seasonStart: number | null
  relation: Relation
  byEnd: boolean //   "by the end of": the last day is meant, whatever the precision
}

const RELATIONS = wordTable<Relation>({
  before: 'before',
  prior: 'before',
  by: 'by',
  until: 'by',
  through: 'by',
  in: 'in',
  during: 'in',
  for: 'in',
  on: 'on',
  after: 'after',
  since: 'after',
  from: 'from',
  between: 'from',
  within: 'in',
})
const FILLERS = new Set([
  'the',
  'of',
  'to',
  'end',
  'close',
  'time',
  'day',
  'week',
  'month',
  'year',
  'calendar',
])

//  Month names that are not also a name, verb or adjective: they are dates even when nothing stands beside them.
const PLAIN_MONTHS = new Set(['january', 'february', 'july', 'september', 'october', 'november', 'december'])

//  Things held or decided in a month, so that the word before them is a month: "his April press conference".
const HELD = new Set(['press', 'meeting', 'decision', 'fomc'])

export function isYear(word: Word | undefined): word is Word & { value: number } {
  return (
    word !== undefined &&
    word.value !== null &&
    word.unit === '' &&
    !word.grouped &&
    word.value >= 1990 &&
    word.value <= 2100
  )
}

function isDayNumber(word: Word | undefined): word is Word & { value: number } {
  return (
    word !== undefined &&
    word.value !== null &&
    (word.unit === '' || word.unit === 'ordinal') &&
    Number.isInteger(word.value) &&
    word.value >= 1 &&
    word.value <= 31
  )
}

/** Reads every date of a text and marks the words it used, prepositions included, in `used`. */
export function readDates(words: readonly Word[], used: Uint8Array): DateMention[] {
  const mentions: DateMention[] = []
  for (let at = 0; at < words.length; at++) {
    if (used[at] === 1 || !mayBeDate(words[at]!)) continue
    const found = isoDay(words, at) ?? monthDay(words, at, used) ?? yearOnly(words, at)
    if (found === null) continue
    const { from, to, ...date } = found
    const bound = relationBefore(words, from, used, mentions.at(-1))
    if (
      date.day === null &&
      date.year === null &&
      bound.relation === null &&
      !PLAIN_MONTHS.has(words[at]!.text) &&
      !HELD.has(words[to]?.text ?? '')
    )
      continue
    used.fill(1, bound.from, to)
    mentions.push({ ...date, relation: bound.relation, byEnd: bound.byEnd })
    at = to - 1
  }
  return mentions
}

function mayBeDate({ value, month, text }: Word): boolean {
  return value !== null || month !== null || text === 'this'
}

type Span = Omit<DateMention, 'relation' | 'byEnd'> & { from: number; to: number }

function isoDay(words: readonly Word[], at: number): Span | null {
  const [year, month, day] = [words[at], words[at + 1], words[at + 2]]
  if (!isYear(year) || !month?.dash || !day?.dash || !isDayNumber(month) || !isDayNumber(day)) return null
  if (month.value > 12) return null
  return { year: year.value, month: month.value, day: day.value, seasonStart: null, from: at, to: at + 3 }
}

function monthDay(words: readonly Word[], at: number, used: Uint8Array): Span | null {
  const word = words[at]!
  const { month } = word
  if (month === null || !word.cap) return null
  const [before, next, afterNext] = [words[at - 1], words[at + 1], words[at + 2]]
  const span = (day: number | null, year: Word | undefined, from: number, to: number): Span => ({
    month,
    day,
    year: isYear(year) ? year.value : null,
    seasonStart: null,
    from,
    to,
  })
  if (isDayNumber(next)) return span(next.value, afterNext, at, at + (isYear(afterNext) ? 3 : 2))
  const end = at + (isYear(next) ? 2 : 1)
  //  "31 December 2026", "the 31st of December"; the 2 of "top 2 March" is not ours
  if (used[at - 1] === 0 && isDayNumber(before) && (isYear(next) || before.unit === 'ordinal'))
    return span(before.value, next, at - 1, end)
  return span(null, next, at, end)
}

function yearOnly(words: readonly Word[], at: number): Span | null {
  const word = words[at]!
  if (!isYear(word) || isThreshold(words, at)) {
    //  "this year": the year stays open
    if (word.text !== 'this' || words[at + 1]?.text !== 'year') return null
    return { year: null, month: null, day: null, seasonStart: null, from: at, to: at + 2 }
  }
  const next = words[at + 1]
  const short = next?.value ?? -1
  if (next?.dash && (short === (word.value + 1) % 100 || short === word.value + 1))
    return { year: word.value + 1, month: null, day: null, seasonStart: word.value, from: at, to: at + 2 }
  return { year: word.value, month: null, day: null, seasonStart: null, from: at, to: at + 1 }
}

/** "At least 2000 cases", "2000 or more", "2000+": a count, not a year. */
function isThreshold(words: readonly Word[], at: number): boolean {
  const text = (by: number) => words[at + by]?.text ?? ''
  return (
    words[at]!.sign !== '' ||
    /^(?:least|above|below|over|under)$/.test(text(-1)) ||
    (text(-1) === 'than' && /^(?:more|less|fewer|greater|higher|lower)$/.test(text(-2))) ||
    (text(1) === 'or' && /^(?:more|less|fewer|above|below|higher|lower)$/.test(text(2)))
  )
}

function relationBefore(
  words: readonly Word[],
  start: number,
  used: Uint8Array,
  previous: DateMention | undefined,
): { relation: Relation; byEnd: boolean; from: number } {
  if (words[start]!.text === 'this') return { relation: 'in', byEnd: false, from: start }
  let end = false
  for (let at = start - 1; at >= 0 && at >= start - 5; at--) {
    const word = words[at]!
    if (used[at] === 1 && word.text !== 'and') break
    if (
      (word.text === 'and' || word.text === 'to') &&
      (previous?.relation === 'from' || opensRange(words, at))
    )
      return { relation: 'by', byEnd: false, from: at }
    if (word.text === 'end') end = true
    const relation = RELATIONS.get(word.text)
    if (relation !== undefined)
      return { relation: end && relation !== 'by' ? 'end' : relation, byEnd: end, from: at }
    if (!FILLERS.has(word.text)) break
  }
  if (!end) return { relation: null, byEnd: false, from: start }
  //  "end of 2026" without a preposition: the state on the last day
  let from = start
  while (from > 0 && FILLERS.has(words[from - 1]!.text)) from--
  return { relation: 'end', byEnd: true, from }
}

/** "between market creation and June 30" */
function opensRange(words: readonly Word[], at: number): boolean {
  for (let back = at - 1; back >= 0 && back >= at - 5; back--)
    if (words[back]!.text === 'between') return true
  return false
}

/**
 * A resolved time limit: `by` the end of a day, `on` a day, or any time in a calendar `month`; `unclear` where "by
 * June" or "by 2027" leaves open whether the first or the last day is meant: it agrees only with another unclear limit.
 */
export type Limit = { kind: 'by' | 'on' | 'month' | 'unclear'; day: Day; from: Day | null }

/** The limit a mention sets, or null when it sets none (an edition year, a start, "by 2027"). */
export function limitOf({ relation, byEnd, year, month, day, seasonStart }: DateMention): Limit | null {
  if (year === null || seasonStart !== null || relation === 'from') return null
  //  "after the December 2026 meeting" is about that month; "after" a day or a year sets no limit
  if (relation === 'after' && (month === null || day !== null)) return null
  if (month !== null && day !== null) {
    const that = dayOf(year, month, day)
    if (relation === 'before') return { kind: 'by', day: that - 1, from: null }
    if (relation === 'by') return { kind: 'by', day: that, from: null }
    return { kind: 'on', day: that, from: null }
  }
  if (month !== null) {
    const last = lastDayOf(year, month)
    if (relation === 'before') return { kind: 'by', day: dayOf(year, month, 1) - 1, from: null }
    if (relation === 'by') return { kind: byEnd ? 'by' : 'unclear', day: last, from: null }
    if (relation === 'end') return { kind: 'on', day: last, from: null }
    return { kind: 'month', day: last, from: dayOf(year, month, 1) }
  }
  const last = lastDayOf(year, 12)
  if (relation === 'before') return { kind: 'by', day: dayOf(year, 1, 1) - 1, from: null }
  if (relation === 'by') return { kind: byEnd ? 'by' : 'unclear', day: last, from: null }
  if (relation === 'in') return { kind: 'by', day: last, from: dayOf(year, 1, 1) }
  if (relation === 'end') return { kind: 'on', day: last, from: null }
  return null
}
