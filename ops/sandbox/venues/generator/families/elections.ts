import { HOUR } from '../../../../units.ts'
import { everyMonths } from '../cadence.ts'
import { day } from '../calendar.ts'
import { person } from '../names.ts'
import { STATES } from '../states.ts'
import type { Family, MarketA } from '../topic.ts'

/** Office, code, and the office with which a twisted venue B confuses it. */
const OFFICES = [
  ['Senate', 'SENATE', 'State Senate President', 'STSENPRES'],
  ['Governor', 'GOV', 'Lieutenant Governor', 'LTGOV'],
  ['Attorney General', 'AG', 'Solicitor General', 'SG'],
  ['Secretary of State', 'SOS', 'State Auditor', 'AUD'],
  ['State Treasurer', 'TREAS', 'State Comptroller', 'COMP'],
] as const

const SEATS = OFFICES.length * STATES.length
/** Ten people a seat: two stand in the general election, four seek each party's nomination. */
const PEOPLE_A_SEAT = 10

/** Statewide races: the election itself (stage 0) and each party's nomination (1, 2). */
export const elections: Family = {
  name: 'elections',
  weight: 16,
  capacity: SEATS * 3,
  twists: ['winner_vs_nominee', 'different_date', 'different_office'],
  flips: false,
  cadence: (subject) =>
    Math.floor(subject / SEATS) === 0
      ? everyMonths(24, 10, 5, 8 * HOUR)
      : everyMonths(24, 4 + (subject % 4), 3 + (subject % 20), 8 * HOUR),
  topic: ({ subject, slotDice, decideMs, twist }) => {
    const seat = subject % SEATS
    const stage = Math.floor(subject / SEATS)
    const [state, abbreviation] = STATES[Math.floor(seat / OFFICES.length)]!
    const [office, code, otherOffice, otherCode] = OFFICES[seat % OFFICES.length]!
    const year = day(decideMs).year
    const yearB = year + (twist === 'different_date' ? 2 : 0)
    const officeB = twist === 'different_office' ? otherOffice : office
    const codeB = `KX${twist === 'different_office' ? otherCode : code}${abbreviation}`
    const first = seat * PEOPLE_A_SEAT + (stage === 0 ? 0 : stage === 1 ? 2 : 6)
    const people = Array.from({ length: stage === 0 ? 2 : 4 }, (_, i) => person(first + i))
    const party = stage === 1 ? 'Republican' : 'Democratic'
    const nominee = stage !== 0
    const nomineeB = twist === 'winner_vs_nominee' ? !nominee : nominee
    // "Other" and a placeholder are on venue A alone
    const count = people.length + 2
    const offset = twist === null ? 0 : count
    const others: MarketA[] = [
      {
        prop: count - 2,
        kind: 'placeholder',
        question: `Will Person A win the ${year} ${state} ${office} ${nominee ? `${party} primary` : 'election'}?`,
        group: 'Person A',
      },
      {
        prop: count - 1,
        kind: 'other',
        question: `Will another person win the ${year} ${state} ${office} ${nominee ? `${party} primary` : 'election'}?`,
        group: 'Other',
      },
    ]
    const asksA = (name: string) =>
      nominee
        ? `Will ${name} win the ${year} ${state} ${office} ${party} primary?`
        : `Will ${name} win the ${year} ${state} ${office} election?`
    const kindB = twist === 'winner_vs_nominee' ? 'X' : ''
    return {
      category: 'politics',
      tags: ['Politics', 'Elections', state],
      shape: 'softmax',
      count,
      a: {
        event: {
          title: nominee
            ? `${state} ${office} ${party} Primary Winner`
            : `${state} ${office} Election Winner`,
          exclusive: true,
          rules: nominee
            ? `This market will resolve according to the person who wins the ${party} nomination for ${office} in ${state} in ${year}.\n\nThe resolution source is a consensus of official ${party} party sources, including the ballot of the general election. Replacement of the nominee before election day does not change the resolution.`
            : `This market will resolve according to the person who wins the ${year} ${state} ${office} election.\n\nThis market includes any potential second round. The resolution sources are the Associated Press, Fox News and NBC; if they do not agree, the official certification.`,
        },
        markets: [
          ...people.map(({ name }, prop) => ({ prop, question: asksA(name), group: name })),
          ...(slotDice.unit('others') < 0.6 ? others : []),
        ],
      },
      b: {
        events: [
          {
            series: `${codeB}${nominee ? party[0] : ''}${nomineeB ? 'NOM' : ''}${kindB}`,
            suffix: String(yearB % 100),
            title: nomineeB
              ? `${state} ${officeB} ${nominee ? `${party} ` : ''}nominee?`
              : `${state} ${officeB} winner?`,
            sub: `In ${yearB}`,
            exclusive: true,
            extra: nomineeB
              ? 'The nominee is the person on the ballot as the candidate of the party.'
              : 'The winner is the person who is inaugurated or sworn in as the result of the election.',
          },
        ],
        markets: people.map(({ name, code: who }, i) => ({
          event: 0,
          prop: offset + i,
          code: who,
          title: nomineeB
            ? `Will ${name} be the ${nominee ? `${party} ` : ''}nominee for ${officeB} in ${state} in ${yearB}?`
            : `Will ${name} win the ${officeB} race in ${state} in ${yearB}?`,
          yes: name,
          rules: nomineeB
            ? `If ${name} is the nominee for ${officeB} in ${state} in ${yearB}, then the market resolves to Yes.`
            : `If ${name} wins the ${yearB} election for ${officeB} in ${state}, then the market resolves to Yes.`,
          strike: { type: 'custom' as const, custom: { Candidate: name } },
        })),
      },
    }
  },
}
