import { DAY, HOUR } from '../../../../units.ts'
import { everyMonths } from '../cadence.ts'
import { day, monthEnd } from '../calendar.ts'
import { person } from '../names.ts'
import type { Family } from '../topic.ts'

const COUNTRIES =
  'UK France Germany Italy Spain Poland Norway Sweden Denmark Finland Ireland Belgium Austria Greece Portugal Hungary Romania Czechia Canada Japan Australia India Israel Turkey Brazil Argentina Chile Peru Colombia Mexico'.split(
    ' ',
  )
const POSTS = [
  ['Prime Minister', 'PM'],
  ['Finance Minister', 'FIN'],
  ['Foreign Minister', 'FOR'],
  ['Defence Minister', 'DEF'],
  ['Interior Minister', 'INT'],
] as const

/** After the candidates of the elections, before the tennis players. */
const FIRST_PERSON = 2_600
const DEADLINES = 3

/**
 * Who leaves office by when: three month ends. "By December 31" and "before Jan 1" are the same day.
 * Flipped, venue B asks who stays; twisted, it asks for the announcement or for other deadlines.
 */
export const departures: Family = {
  name: 'departures',
  weight: 6,
  capacity: COUNTRIES.length * POSTS.length,
  twists: ['announce_vs_complete', 'different_deadline'],
  flips: true,
  // decided at the first midnight (Eastern) after the last month end
  cadence: (subject) => everyMonths(3, subject, 1, 5 * HOUR, 12 * HOUR),
  topic: ({ subject, decideMs, twist, flip }) => {
    const country = COUNTRIES[subject % COUNTRIES.length]!
    const [post, code] = POSTS[Math.floor(subject / COUNTRIES.length)]!
    const who = person(FIRST_PERSON + subject)
    const role = `${post} of ${country}`
    const announce = twist === 'announce_vs_complete'
    const offset = twist === null ? 0 : DEADLINES
    const shift = twist === 'different_deadline' ? 15 * DAY : 0
    const deadlines = Array.from({ length: DEADLINES }, (_, i) =>
      monthEnd(decideMs - 15 * DAY, i - DEADLINES + 1),
    )
    return {
      category: 'politics',
      tags: ['Politics', 'World', country],
      shape: 'rising',
      count: DEADLINES,
      a: {
        event: {
          title: `${who.name} out as ${role} by...?`,
          rules: `This market will resolve to "Yes" if ${who.name} ceases to be ${role} for any length of time by the listed date, 11:59 PM ET. Otherwise, this market will resolve to "No".\n\nThe post must actually be vacated; an announcement of resignation alone does not count. The resolution source is official information from the government of ${country} and a consensus of credible reporting.`,
        },
        markets: deadlines.map((atMs, prop) => ({
          prop,
          question: `${who.name} out as ${role} by ${day(atMs).long}?`,
          group: day(atMs).monthDay,
          decideMs: Math.min(atMs + 12 * HOUR, decideMs),
        })),
      },
      b: {
        events: [
          {
            series: `KX${announce ? 'RESIGN' : flip ? 'STAY' : 'OUT'}${code}${country.toUpperCase()}`,
            suffix: `${who.code}-${day(decideMs - DAY).monthCode}`,
            title: announce
              ? `Will ${who.name} announce a resignation?`
              : flip
                ? `How long will ${who.name} stay ${role}?`
                : `When will ${who.name} leave office?`,
            sub: role,
            extra: announce
              ? 'A public announcement of the intent to leave is enough; the post need not be vacated.'
              : 'The post must actually be vacated. An announcement alone does not count.',
          },
        ],
        markets: deadlines.map((atMs, i) => {
          const last = day(atMs + shift)
          const next = day(atMs + shift + DAY)
          const asks = announce
            ? `Will ${who.name} announce leaving as ${role} before ${next.short}?`
            : flip
              ? `Will ${who.name} still be ${role} through ${last.short}?`
              : `Will ${who.name} leave office as ${role} before ${next.short}?`
          return {
            event: 0,
            prop: offset + i,
            flip,
            code: flip ? last.code : next.code,
            title: asks,
            yes: flip ? `Through ${last.short}` : `Before ${next.short}`,
            decideMs: Math.min(atMs + 12 * HOUR, decideMs),
            rules: announce
              ? `If ${who.name} announces the intent to leave the office of ${role} before ${next.short}, then the market resolves to Yes.`
              : flip
                ? `If ${who.name} is ${role} without interruption through ${last.short}, then the market resolves to Yes.`
                : `If ${who.name} leaves the office of ${role} before ${next.short}, then the market resolves to Yes.`,
            strike: { type: 'custom' as const, custom: { Deadline: flip ? last.iso : next.iso } },
          }
        }),
      },
    }
  },
}
