import { DAY, HOUR } from '../../../../units.ts'
import { everyMonths } from '../cadence.ts'
import { day, monthEnd } from '../calendar.ts'
import type { Family } from '../topic.ts'

/** Short name, name on venue B, code. */
const BANKS = [
  ['Fed', 'Federal Reserve', 'FED'],
  ['ECB', 'European Central Bank', 'ECB'],
  ['Bank of England', 'Bank of England', 'ENGLAND'],
  ['Bank of Canada', 'Bank of Canada', 'CANADA'],
  ['Bank of Japan', 'Bank of Japan', 'JAPAN'],
  ['Reserve Bank of Australia', 'RBA', 'AUSTRALIA'],
  ['Reserve Bank of New Zealand', 'RBNZ', 'NEWZEALAND'],
  ['Swiss National Bank', 'SNB', 'SWISS'],
  ['Riksbank', 'Swedish Riksbank', 'SWEDEN'],
  ['Norges Bank', 'Norges Bank', 'NORWAY'],
  ['Bank of Korea', 'Bank of Korea', 'KOREA'],
  ['Reserve Bank of India', 'RBI', 'INDIA'],
  ['Banxico', 'Bank of Mexico', 'MEXICO'],
  ['Central Bank of Brazil', 'Brazilian Central Bank', 'BRAZIL'],
  ['Central Bank of Turkey', 'Turkish Central Bank', 'TURKEY'],
  ['South African Reserve Bank', 'SARB', 'SAFRICA'],
] as const

/** What venue A asks, its short name, and venue B's name, code and strike. */
const MOVES = [
  ['decrease interest rates by 50+ bps', '50+ bps decrease', 'Cut >25bps', 'C26', { Cut: '>25' }],
  ['decrease interest rates by 25 bps', '25 bps decrease', 'Cut 25bps', 'C25', { Cut: '25' }],
  ['make no change in interest rates', 'No change', 'Maintains rate', 'H0', { Hold: '0' }],
  ['increase interest rates by 25+ bps', '25+ bps increase', 'Hike 25bps or more', 'H25', { Hike: '>=25' }],
] as const

/** Central bank decisions: one of four moves at one meeting. */
export const rates: Family = {
  name: 'rates',
  weight: 6,
  capacity: BANKS.length,
  twists: ['different_date'],
  flips: false,
  cadence: (subject) => everyMonths(2, subject, 10 + (subject % 12), 19 * HOUR, 6 * HOUR),
  topic: ({ subject, decideMs, twist }) => {
    const [nameA, nameB, code] = BANKS[subject]!
    const at = day(decideMs)
    const atB = twist === null ? at : day(monthEnd(decideMs, 1) - 10 * DAY)
    const offset = twist === null ? 0 : MOVES.length
    return {
      category: 'economics',
      tags: ['Economy', 'Economic Policy', 'Central banks'],
      shape: 'softmax',
      count: MOVES.length,
      a: {
        event: {
          title: `${nameA} decision in ${at.month}?`,
          exclusive: true,
          rules: `This market will resolve to the amount of basis points the policy rate of the ${nameA} is changed by versus the level it was prior to its ${at.month} ${at.year} meeting.\n\nIf the rate is changed to a level not expressed in the displayed options, the change will be rounded up to the nearest 25 and will resolve to the relevant bracket.\n\nThe resolution source for this market is the statement after the meeting scheduled for ${at.long}. If no statement is released by the end date of the next scheduled meeting, this market will resolve to the "No change" bracket.`,
        },
        markets: MOVES.map(([asks, group], prop) => ({
          prop,
          question: `Will the ${nameA} ${asks} after the ${at.month} ${at.year} meeting?`,
          group,
        })),
      },
      b: {
        events: [
          {
            series: `KXCBDECISION${code}`,
            suffix: atB.monthCode,
            title: `${nameB} decision in ${atB.short.slice(0, 3)} ${atB.year}?`,
            sub: `${atB.month} ${atB.year} meeting`,
            exclusive: true,
            extra:
              'Changes that are no multiple of 25 basis points are rounded up to the next multiple. If the meeting issues no statement before the next scheduled meeting, the rate counts as maintained.',
          },
        ],
        markets: MOVES.map(([, , yes, code], i) => ({
          event: 0,
          prop: offset + i,
          code,
          title: `Will the ${nameB} ${yes.replace('Maintains rate', 'maintain its rate').replace('Cut', 'cut rates by').replace('Hike', 'hike rates by')} at their ${atB.month} ${atB.year} meeting?`,
          yes,
          rules: `If the ${nameB} does: ${yes} at its ${atB.short} meeting, then the market resolves to Yes.`,
          strike: { type: 'custom', custom: MOVES[i]![4] },
        })),
      },
    }
  },
}
