import { DAY, HOUR } from '../../../../units.ts'
import { everyMonths } from '../cadence.ts'
import { day } from '../calendar.ts'
import type { Family } from '../topic.ts'

const COUNTRIES =
  'US UK Canada Germany France Japan Australia Italy Spain Mexico Brazil India Korea Sweden Norway Poland Turkey Switzerland'.split(
    ' ',
  )

/** What is measured, the twin that is easily mistaken for it, unit, lowest threshold, step, code. */
const INDICATORS = [
  ['annual CPI inflation', 'annual core CPI inflation', '%', 1.9, 0.2, 'CPIYOY'],
  ['monthly CPI inflation', 'monthly core CPI inflation', '%', -0.1, 0.1, 'CPI'],
  ['unemployment rate', 'U-6 underemployment rate', '%', 3.6, 0.2, 'U3'],
  ['quarterly GDP growth', 'annual GDP growth', '%', 0.2, 0.4, 'GDP'],
  ['retail sales growth', 'core retail sales growth', '%', -0.3, 0.2, 'RETAIL'],
] as const

const STRIKES = 5

/** Published statistics against a ladder of thresholds. Figures have one decimal: 'above' is exact. */
export const prints: Family = {
  name: 'prints',
  weight: 8,
  capacity: COUNTRIES.length * INDICATORS.length,
  twists: ['different_threshold', 'different_measure', 'different_date'],
  flips: true,
  cadence: (subject) => everyMonths(1, 0, 8 + (subject % 15), 13.5 * HOUR, 4 * HOUR),
  topic: ({ subject, dice, decideMs, twist, flip }) => {
    const country = COUNTRIES[subject % COUNTRIES.length]!
    const [measure, twin, unit, lowest, step, code] = INDICATORS[Math.floor(subject / COUNTRIES.length)]!
    const month = day(decideMs - 28 * DAY)
    const monthB = twist === 'different_date' ? day(decideMs + 4 * DAY) : month
    const measureB = twist === 'different_measure' ? twin : measure
    const base = lowest + dice.int('base', 4) * step
    const strike = (i: number, extra = 0) => Number((base + i * step + extra).toFixed(2))
    const offset = twist === null ? 0 : STRIKES
    const extra = twist === 'different_threshold' ? step / 2 : 0
    const ladder = Array.from({ length: STRIKES }, (_, i) => i)
    const codeB = twist === 'different_measure' ? `${code}X` : code
    return {
      category: 'economics',
      tags: ['Economy', 'Inflation', country],
      shape: 'falling',
      count: STRIKES,
      a: {
        event: {
          title: `${country} ${measure} in ${month.month}?`,
          rules: `This market will resolve to "Yes" if the ${measure} of ${country} for ${month.month} ${month.year}, as first published by the national statistics office, is above the listed threshold. Otherwise, this market will resolve to "No".\n\nOnly the first published figure counts; later revisions will not be considered. The figure is published to one or two decimals and is compared as published.`,
        },
        markets: ladder.map((i) => ({
          prop: i,
          question: `Will ${country} ${measure} be above ${strike(i)}${unit} in ${month.month} ${month.year}?`,
          group: `>${strike(i)}${unit}`,
        })),
      },
      b: {
        events: [
          {
            series: `KX${codeB}${country.toUpperCase()}`,
            suffix: monthB.monthCode,
            title: `${country} ${measureB} in ${monthB.short.slice(0, 3)} ${monthB.year}?`,
            sub: `In ${monthB.month} ${monthB.year}`,
            extra: 'The figure is compared as first published. Revisions after expiration do not count.',
          },
        ],
        markets: ladder.map((i) => {
          const at = strike(i, extra)
          const says = flip ? `${at}${unit} or lower` : `Above ${at}${unit}`
          return {
            event: 0,
            prop: offset + i,
            flip,
            code: `T${at}`,
            title: flip
              ? `Will the ${country} ${measureB} be ${at}${unit} or lower in ${monthB.month} ${monthB.year}?`
              : `Will the ${country} ${measureB} be above ${at}${unit} in ${monthB.month} ${monthB.year}?`,
            yes: says,
            rules: `If the ${measureB} of ${country} for ${monthB.month} ${monthB.year} is ${flip ? `${at}${unit} or lower` : `above ${at}${unit}`}, then the market resolves to Yes.`,
            strike: flip ? { type: 'less_or_equal', cap: at } : { type: 'greater', floor: at },
          }
        }),
      },
    }
  },
}
