import { HOUR } from '../../../../units.ts'
import { everyMonths } from '../cadence.ts'
import { day } from '../calendar.ts'
import { film } from '../names.ts'
import type { Family, MarketA } from '../topic.ts'

const BODIES = [
  ['Oscars', 'OSCAR'],
  ['Golden Globes', 'GLOBE'],
  ['BAFTAs', 'BAFTA'],
  ["Critics' Choice Awards", 'CCA'],
  ['Producers Guild Awards', 'PGA'],
] as const
const PRIZES = [
  ['Best Picture', 'PIC'],
  ['Best Director', 'DIR'],
  ['Best Original Screenplay', 'SCR'],
  ['Best Cinematography', 'CIN'],
  ['Best Original Score', 'SCO'],
  ['Best Editing', 'EDI'],
] as const
const NOMINEES = 5

/** Prizes of one year. Venue A adds "Other", whose meaning shrinks as names are added. */
export const awards: Family = {
  name: 'awards',
  weight: 4,
  capacity: BODIES.length * PRIZES.length,
  twists: ['winner_vs_nominee', 'different_date'],
  flips: false,
  cadence: (subject) => everyMonths(12, subject % 5, 2 + (subject % 20), 4 * HOUR),
  topic: ({ subject, slotDice, decideMs, twist }) => {
    const [body, code] = BODIES[subject % BODIES.length]!
    const [prize, prizeCode] = PRIZES[Math.floor(subject / BODIES.length)]!
    const year = day(decideMs).year
    const yearB = year + (twist === 'different_date' ? 1 : 0)
    const nominated = twist === 'winner_vs_nominee'
    const films = Array.from({ length: NOMINEES }, (_, i) => film(subject * NOMINEES + i))
    const count = NOMINEES + 1
    const offset = twist === null ? 0 : count
    const other: MarketA = {
      prop: NOMINEES,
      kind: 'other',
      question: `Will another film win ${prize} at the ${year} ${body}?`,
      group: 'Other',
    }
    return {
      category: 'entertainment',
      tags: ['Pop Culture', 'Awards', body],
      shape: 'softmax',
      count,
      a: {
        event: {
          title: `${body} ${year}: ${prize} Winner`,
          exclusive: true,
          rules: `This market will resolve according to the film that wins ${prize} at the ${year} ${body}.\n\nIf the ceremony is cancelled or postponed beyond the end of the year, this market will resolve to "Other". In case of a tie, the film first in alphabetical order wins.`,
        },
        markets: [
          ...films.map(({ title }, prop) => ({
            prop,
            question: `Will "${title}" win ${prize} at the ${year} ${body}?`,
            group: title,
          })),
          ...(slotDice.unit('other') < 0.7 ? [other] : []),
        ],
      },
      b: {
        events: [
          {
            series: `KX${code}${nominated ? 'NOM' : ''}${prizeCode}`,
            suffix: String(yearB % 100),
            title: `${body} ${prize} ${nominated ? 'nominations' : 'winner'}?`,
            sub: `${yearB} ${body}`,
            exclusive: !nominated,
            extra: nominated
              ? 'Every film that is nominated resolves to Yes, whoever wins.'
              : 'In case of a tie, the film first in alphabetical order wins.',
          },
        ],
        markets: films.map(({ title, code: which }, i) => ({
          event: 0,
          prop: offset + i,
          code: which,
          title: nominated
            ? `Will ${title} be nominated for ${prize} at the ${yearB} ${body}?`
            : `Will ${title} win ${prize} at the ${yearB} ${body}?`,
          yes: title,
          rules: `If ${title} ${nominated ? 'is nominated for' : 'wins'} ${prize} at the ${yearB} ${body}, then the market resolves to Yes.`,
          strike: { type: 'custom' as const, custom: { Film: title } },
        })),
      },
    }
  },
}
