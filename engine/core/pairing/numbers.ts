import type { Strike } from '../../../ingest/contract/market.ts'
import type { Word } from './words.ts'

/**
 * A number that is part of the question, with the shape of its threshold: `>2` is not `>=2`, and neither is
 * the exact 2. Ordinals are `#`, a plain number has no shape.
 */
export type NumberFact = {
  shape: '' | '>' | '>=' | '<' | '<=' | '=' | '#' | '-'
  value: number
  to: number | null
  unit: string
}

//  Things that come in whole numbers, so that "more than 2" is "at least 3".
const COUNTABLE = new Set([
  'seat',
  'seats',
  'goal',
  'goals',
  'game',
  'games',
  'assist',
  'assists',
  'shot',
  'shots',
  'run',
  'runs',
  'win',
  'wins',
  'cut',
  'cuts',
  'hike',
  'hikes',
  'member',
  'members',
  'combined',
  'total',
  'votes',
  'states',
  'countries',
])
const MORE = new Set(['over', 'above', 'exceed', 'exceeds', 'exceeding'])
const LESS = new Set(['under', 'below'])
const SPAN = /^(?:hour|day|week|month|quarter|year)s?$/

/** Reads the numbers of a text that no date, seat or other typed fact has used. */
export function readNumbers(words: readonly Word[], used: Uint8Array): NumberFact[] {
  const facts: NumberFact[] = []
  let counted: Map<string, NumberFact> | null = null
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (word.value === null || used[at] === 1) continue
    const next = words[at + 1]
    const unit = word.unit === 'ordinal' ? '' : word.unit
    if (word.unit === 'ordinal') {
      facts.push({ shape: '#', value: word.value, to: null, unit })
      continue
    }
    const joined = next?.value !== null && next?.dash === true && used[at + 1] === 0
    const until = joined ? at + 1 : rangeEnd(words, at)
    const end = until === null ? undefined : words[until] //  none where a text breaks off: "between 5 and ___"
    if (until !== null && end !== undefined && end.value !== null) {
      facts.push({ shape: '-', value: word.value, to: end.value, unit: unit === '' ? plainUnit(end) : unit })
      at = until
      continue
    }
    const shape = shapeAt(words, at)
    const fact = { shape, value: word.value, to: null, unit }
    const from = next?.text === 'regular' ? at + 3 : at + 1 //  "10 regular season games"
    const found = whole(fact, words.slice(from, from + 2))
    if (found !== fact) counted = (counted ?? new Map()).set(factKey(fact), found)
    facts.push(found)
  }
  //  an outcome may repeat the threshold without what is counted: "over 2 goals", "Over 2"
  return counted === null ? facts : facts.map((fact) => counted.get(factKey(fact)) ?? fact)
}

function plainUnit(word: Word): string {
  return word.unit === '$' || word.unit === '%' || word.unit === 'bps' ? word.unit : ''
}

function rangeEnd(words: readonly Word[], at: number): number | null {
  if (words[at - 1]?.text === 'between' && words[at + 1]?.text === 'and') return at + 2
  const end = words[at + 2]
  const rises = end != null && end.value !== null && end.value > words[at]!.value!
  return words[at + 1]?.text === 'to' && rises ? at + 2 : null
}

function shapeAt(words: readonly Word[], at: number): NumberFact['shape'] {
  //  "at least a 25% tariff"
  const first = /^(?:an?|the)$/.test(words[at - 1]?.text ?? '') ? at - 1 : at
  const back = (by: number) => words[first - by]?.text ?? ''
  const ahead = (by: number) => words[at + by]?.text ?? ''
  if (words[at]!.sign !== '') return words[at]!.sign
  //  "over the 12 months ending in June" says how long, not how much
  if (back(1) === 'over' && first !== at && SPAN.test(ahead(1))) return ''
  //  "5 or more", "5 points or more"
  const or = ahead(1) === 'or' ? 1 : ahead(2) === 'or' && words[at + 1]!.value === null ? 2 : null
  if (or !== null) {
    if (/^(more|above|higher|greater|over|later|better)$/.test(ahead(or + 1))) return '>='
    if (/^(less|below|lower|fewer|under|worse)$/.test(ahead(or + 1))) return '<='
  }
  if (back(1) === 'least' && back(2) === 'at') return '>='
  if (back(1) === 'most' && back(2) === 'at') return '<='
  if (back(1) === 'than') {
    if (/^(more|greater|higher|larger|bigger)$/.test(back(2))) return '>'
    if (/^(less|fewer|lower|smaller)$/.test(back(2))) return '<'
  }
  if (MORE.has(back(1)) || (back(1) === 'u' && back(2) === 'o')) return '>'
  if (LESS.has(back(1))) return '<'
  return back(1) === 'exactly' ? '=' : ''
}

function whole(fact: NumberFact, after: readonly Word[]): NumberFact {
  //  central banks move in quarters of a point: more than 25 is 50 or more
  if (fact.unit === 'bps' && fact.shape === '>' && fact.value % 25 === 0)
    return { ...fact, shape: '>=', value: fact.value + 25 }
  if (fact.unit !== '' || !after.some(({ text }) => COUNTABLE.has(text))) return fact
  if (fact.shape === '>') return { ...fact, shape: '>=', value: Math.floor(fact.value) + 1 }
  if (fact.shape === '<') return { ...fact, shape: '<=', value: Math.ceil(fact.value) - 1 }
  return fact
}

/** One text per fact, so that facts compare as strings. */
export function factKey({ shape, value, to, unit }: NumberFact): string {
  return `${shape}${value}${to === null ? '' : `..${to}`}${unit}`
}

const STRIKE_SHAPE = { greater: '>', greater_or_equal: '>=', less: '<', less_or_equal: '<=' } as const

/**
 * The venue's own threshold fields give an unshaped number of the text its shape, and add the threshold a text leaves
 * out. Null when text and fields contradict each other: then the threshold is unknown.
 */
export function withStrike(facts: readonly NumberFact[], strike: Strike | null): NumberFact[] | null {
  if (strike === null || strike.type === 'other') return [...facts]
  if (strike.type === 'between') {
    const { floor, cap } = strike
    if (floor === null || cap === null) return [...facts]
    if (facts.some((fact) => fact.shape === '-')) return [...facts]
    return [
      ...facts.filter(({ value }) => value !== floor && value !== cap),
      { shape: '-', value: floor, to: cap, unit: '' },
    ]
  }
  const shape = STRIKE_SHAPE[strike.type]
  const value = strike.type.startsWith('greater') ? strike.floor : strike.cap
  if (value === null) return [...facts]
  const same = facts.findIndex((fact) => fact.value === value || isWholeTwin(fact, shape, value))
  //  "Rain" with a floor of 0 asks about no number
  if (same === -1)
    return value === 0 && facts.length === 0 ? [] : [...facts, { shape, value, to: null, unit: '' }]
  const found = facts[same]!
  if (found.shape === '') return facts.map((fact, at) => (at === same ? { ...fact, shape } : fact))
  return found.shape === shape || isWholeTwin(found, shape, value) ? [...facts] : null
}

function isWholeTwin(fact: NumberFact, shape: string, value: number): boolean {
  return (
    (fact.shape === '>=' && shape === '>' && fact.value === Math.floor(value) + 1) ||
    (fact.shape === '<=' && shape === '<' && fact.value === Math.ceil(value) - 1)
  )
}

const COMPLEMENT: Readonly<Record<string, string>> = { '>': '<=', '<=': '>', '>=': '<', '<': '>=' }

/**
 * Do two lists of facts agree except in one threshold, where one is what the other leaves over: `>70` and `<=70`?
 * @param areNext for what is counted in steps: does one threshold begin where the other ends?
 */
export function areComplements(
  x: readonly string[],
  y: readonly string[],
  areNext: (x: string, y: string) => boolean = () => false,
): boolean {
  if (x === y || x.length !== y.length) return false
  const [onlyX, onlyY] = [x.filter((fact) => !y.includes(fact)), y.filter((fact) => !x.includes(fact))]
  if (onlyX.length !== 1 || onlyY.length !== 1) return false
  const [left, right] = [/^([<>]=?)(.*)$/.exec(onlyX[0]!), /^([<>]=?)(.*)$/.exec(onlyY[0]!)]
  if (left === null || right === null) return false
  return (left[2] === right[2] && COMPLEMENT[left[1]!] === right[1]) || areNext(onlyX[0]!, onlyY[0]!)
}

/** Degrees of one scale against degrees of the other. */
export function areOtherScales(x: string, y: string): boolean {
  const celsius = /[°º]\s?C\b|\d ?C\b|\bcelsius\b|\bcentigrade\b/i
  const fahrenheit = /[°º]\s?F\b|\d ?F\b|\bfahrenheit\b/i
  const [xIsC, xIsF, yIsC, yIsF] = [celsius.test(x), fahrenheit.test(x), celsius.test(y), fahrenheit.test(y)]
  return (xIsC && !xIsF && yIsF && !yIsC) || (xIsF && !xIsC && yIsC && !yIsF)
}
