import type { Market } from '../../../ingest/contract/market.ts'
import { marketA, marketB } from './markets.ts'

/** A small deterministic random source, so that the same seed makes the same world. */
export function random(seed: number): () => number {
  let state = seed >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4_294_967_296
  }
}

const STATES = [
  'Texas',
  'Ohio',
  'Iowa',
  'Maine',
  'Georgia',
  'Nevada',
  'Arizona',
  'Michigan',
  'Wisconsin',
  'Pennsylvania',
  'Alaska',
  'Kansas',
]
const CLASSES = ['Open', 'Classic', 'Cup', 'Invitational', 'Masters', 'Challenge']
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/**
 * A made-up world of both venues: tournaments with many players, nominations, yearly thresholds and visits by a
 * deadline. A share of events is listed on both venues in each venue's own words.
 * @returns the ids that truly belong together.
 */
export function makeUniverse(
  perVenue: number,
  seed = 1,
  shared = 0.3,
): { a: Market[]; b: Market[]; truth: Map<string, string> } {
  const next = random(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!
  const syllables = [
    'ka',
    'lo',
    'mi',
    'ren',
    'tor',
    'vel',
    'zan',
    'bri',
    'dor',
    'fen',
    'gal',
    'hul',
    'jas',
    'kel',
    'lun',
    'mor',
    'nar',
    'pol',
    'quin',
    'ros',
    'sel',
    'tam',
    'ur',
    'wex',
    'yor',
  ]
  const word = () => {
    const text = pick(syllables) + pick(syllables) + (next() < 0.6 ? pick(syllables) : '')
    return text[0]!.toUpperCase() + text.slice(1)
  }
  const person = () => `${word()} ${word()}`
  const [a, b] = [[] as Market[], [] as Market[]]
  const truth = new Map<string, string>()
  let events = 0
  const rules = (what: string) =>
    `This market will resolve to "Yes" if ${what}. Otherwise, this market will resolve to "No". The resolution source will be a consensus of credible reporting.`
  while (a.length < perVenue || b.length < perVenue) {
    const id = ++events
    const both = next() < shared
    const [onA, onB] = both ? [true, true] : next() < 0.5 ? [true, false] : [false, true]
    const kind = next()
    const year = 2026 + Math.floor(next() * 3)
    const closeMs = Date.UTC(year, Math.floor(next() * 12), 1 + Math.floor(next() * 27))
    const outcomes =
      kind < 0.5
        ? 5 + Math.floor(next() * 20)
        : kind < 0.8
          ? 2 + Math.floor(next() * 6)
          : 1 + Math.floor(next() * 3)
    const [place, state, series] = [`${word()} ${word()}`, pick(STATES), `KX${word().toUpperCase()}${id}`]
    const tournament = `${place} ${pick(CLASSES)}`
    const month = Math.floor(next() * 12)
    for (let at = 0; at < outcomes; at++) {
      const name = person()
      const [idA, idB] = [
        `${id * 100 + at}`,
        `${series}-${year - 2000}-${name.split(' ')[0]![0]!.toUpperCase()}${name.split(' ')[1]!.slice(0, 3).toUpperCase()}${at}`,
      ]
      let [titleA, titleB, eventA, eventB, what] = ['', '', '', '', '']
      if (kind < 0.5) {
        ;[titleA, titleB, eventA, eventB] = [
          `Will ${name} win the ${year} ${tournament}?`,
          `Will ${name} win the ${tournament}?`,
          `${year} ${tournament} winner`,
          tournament,
        ]
        what = `${name} wins the ${tournament}`
      } else if (kind < 0.8) {
        const party = kind < 0.65 ? 'Republican' : 'Democratic'
        ;[titleA, titleB, eventA, eventB] = [
          `Will ${name} be the ${party} nominee for Senate in ${state} in ${year}?`,
          `Will ${name} be the ${party} nominee for the Senate in ${state}?`,
          `${state} ${party} Senate primary ${place}`,
          `${state} ${party} Senate nominee ${place}?`,
        ]
        what = `${name} wins the nomination`
      } else {
        const [land, last] = [word(), new Date(Date.UTC(year, month + 1, 0)).getUTCDate()]
        const [nextMonth, nextYear] =
          month === 11 ? ['Jan', year + 1] : [MONTHS[month + 1]!.slice(0, 3), year]
        ;[titleA, titleB, eventA, eventB] = [
          `Will ${name} visit ${land} by ${MONTHS[month]} ${last}, ${year}?`,
          `Will ${name} visit ${land} before ${nextMonth} 1, ${nextYear}?`,
          `Who will visit ${land}?`,
          `Who will visit ${land}?`,
        ]
        what = `${name} visits ${land}`
      }
      const common = { rules: rules(what), closeMs }
      if (onA && a.length < perVenue)
        a.push(
          marketA(idA, titleA, {
            ...common,
            eventId: `e${id}`,
            eventTitle: eventA,
            outcome: name,
            exclusive: true,
          }),
        )
      if (onB && b.length < perVenue)
        b.push(
          marketB(idB, titleB, {
            ...common,
            eventId: `${series}-${year - 2000}`,
            eventTitle: eventB,
            outcome: name,
            exclusive: true,
          }),
        )
      if (both && a.at(-1)?.marketId === idA && b.at(-1)?.marketId === idB) truth.set(idA, idB)
    }
  }
  return { a, b, truth }
}
