import type { Market } from '../../ingest/contract/market.ts'
import { cleanText } from './pairing/fold.ts'

const LONGEST = 200

type Words = Pick<Market, 'title' | 'eventTitle' | 'outcome'> & Partial<Pick<Market, 'yesMeans'>>

/**
 * The question of a market in one readable line of at most 200 characters: its title, with the event before it or
 * the outcome behind it where the title alone does not name what is asked. "Spread: Jets (-3.5)" is asked of every game
 * of theirs: where two meet both are named. Text of a venue is data: control, zero-width and direction characters are
 * gone, nothing else is interpreted (VEN-13).
 */
export function topicOf({ title, eventTitle, outcome, yesMeans = null }: Words): string {
  const named = cleanText(title)
  const side = cleanText(yesMeans ?? '')
  const event = cleanText(eventTitle)
  const asked = questionOf({
    title: named,
    event,
    outcome: isOneOfTwo(named, side) ? side : cleanText(outcome ?? ''),
  })
  const inEvent = namesAllOf(event, asked) ? asked : join(event, asked)
  return cut([...inEvent].length <= LONGEST ? inEvent : asked) //  never the event alone
}

function questionOf(plain: { title: string; event: string; outcome: string }): string {
  const nothingNew =
    plain.outcome === '' ||
    /^yes$/i.test(plain.outcome) ||
    isHandicapOf(plain.title, plain.outcome) ||
    (contains(plain.title, plain.outcome) && !isOneOfTwo(plain.title, plain.outcome))
  if (!nothingNew)
    return contains(plain.outcome, plain.title)
      ? join(plain.event, plain.outcome)
      : join(plain.title, plain.outcome)
  return namesSomething(plain.title) ? plain.title : join(plain.event, plain.title)
}

/** More words than a bare outcome has: from this length on a topic stands alone. */
const SENTENCE_WORDS = 5

/** The topic where it is shown alone: an outcome such as "New York" or ":: Republican" is preceded by its event. */
export function topicInEvent(market: Words): string {
  const topic = topicOf(market).replace(/^[:\s]+/, '')
  const isBare = !topic.endsWith('?') && topic.split(' ').length < SENTENCE_WORDS
  return isBare ? cut(join(cleanText(market.eventTitle), topic)) : topic
}

function join(first: string, second: string): string {
  return first === '' || contains(second, first)
    ? second
    : second === ''
      ? first
      : `${first.replace(/[?:\s]+$/, '')}: ${second}`
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}

/** "Spread -3.5" beside "Spread: Jets (-3.5)". */
function isHandicapOf(title: string, outcome: string): boolean {
  const points = /^spread ([-+]\d+(?:\.\d+)?)$/i.exec(outcome)?.[1]
  return points !== undefined && title.includes(`(${points})`)
}

const TWO_MEET = /\svs?\.?\s|\sat\s.*\bwinner\b/i
const LINK_BEFORE = /\s(?:vs?\.?|at)\s+$/
const LINK_BEHIND = /^\s+(?:vs?\.?|at)\s/

/**
 * Is the name only one of two opponents in the title? "Detroit vs Houston Winner?" is the title of both markets and
 * does not say whose price it is.
 */
function isOneOfTwo(title: string, name: string): boolean {
  if (name === '' || !TWO_MEET.test(title)) return false
  const around = title.toLowerCase().split(name.toLowerCase())
  const behind = around.slice(1)
  return (
    behind.length > 0 && behind.every((text, at) => LINK_BEHIND.test(text) || LINK_BEFORE.test(around[at]!))
  )
}

const MEETING = /^(?:.*: )?(.+?)\s(?:vs?\.?|@)\s(.+?)(?:\s[-–(].*|[:?].*)?$/i

/** Both who meet in an event, if it is one in which two do. */
function namesAllOf(event: string, topic: string): boolean {
  const [, one, other] = MEETING.exec(event) ?? []
  if (one === undefined || other === undefined) return true
  //  the longer first: "Michigan" is in "Michigan State", which is not named twice
  const [longer, shorter] = one.length >= other.length ? [one, other] : [other, one]
  const rest = withoutName(topic, longer)
  return rest !== null && withoutName(rest, shorter) !== null
}

/** A text without a name that it has as whole words; null when it has not. */
function withoutName(text: string, name: string): string | null {
  const [low, lowName] = [text.toLowerCase(), name.toLowerCase()]
  for (let at = low.indexOf(lowName); at >= 0; at = low.indexOf(lowName, at + 1)) {
    const end = at + lowName.length
    if (!IN_WORD.test(low.slice(0, at).slice(-1) + low.slice(end, end + 1)))
      return `${text.slice(0, at)} ${text.slice(end)}`
  }
  return null
}

const IN_WORD = /[\p{L}\p{N}]/u

/** A name or a number behind the first word: "Will both teams score?" has neither. */
function namesSomething(title: string): boolean {
  return /\s\S*[\p{Lu}\d]/u.test(title)
}

function cut(text: string): string {
  const letters = [...text]
  return letters.length <= LONGEST ? text : `${letters.slice(0, LONGEST - 1).join('')}…`
}
