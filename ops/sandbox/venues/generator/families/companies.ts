import { DAY, HOUR } from '../../../../units.ts'
import { everyMonths } from '../cadence.ts'
import { day, monthEnd } from '../calendar.ts'
import { COMPANIES, company } from '../names.ts'
import type { Family } from '../topic.ts'

const DEADLINES = 2

/** Listings on an exchange by two deadlines. Flipped, venue B asks whether the company stays private. */
export const listings: Family = {
  name: 'listings',
  weight: 5,
  capacity: COMPANIES,
  twists: ['announce_vs_complete', 'different_deadline'],
  flips: true,
  cadence: (subject) => everyMonths(6, subject, 1, 5 * HOUR),
  topic: ({ subject, decideMs, twist, flip }) => {
    const { name, code } = company(subject)
    const announce = twist === 'announce_vs_complete'
    const shift = twist === 'different_deadline' ? 15 * DAY : 0
    const offset = twist === null ? 0 : DEADLINES
    const deadlines = [monthEnd(decideMs - 15 * DAY, -3), monthEnd(decideMs - 15 * DAY, 0)]
    return {
      category: 'companies',
      tags: ['Business', 'IPOs', name],
      shape: 'rising',
      count: DEADLINES,
      a: {
        event: {
          title: `${name} IPO by ___?`,
          rules: `This market will resolve to "Yes" if ${name} completes an Initial Public Offering (IPO) by the listed date, 11:59 PM ET. Otherwise, this market will resolve to "No".\n\nAn IPO is completed when shares of ${name} trade on a public exchange. Filing or announcing an IPO does not count.`,
        },
        markets: deadlines.map((atMs, prop) => ({
          prop,
          question: `${name} IPO by ${day(atMs).long}?`,
          group: day(atMs).long,
          decideMs: Math.min(atMs + 12 * HOUR, decideMs),
        })),
      },
      b: {
        events: [
          {
            series: announce ? 'KXIPOFILE' : flip ? 'KXPRIVATE' : 'KXIPO',
            suffix: `${code}-${day(decideMs - DAY).monthCode}`,
            title: announce
              ? `When will ${name} announce an IPO?`
              : flip
                ? `Will ${name} stay private?`
                : `When will ${name} IPO?`,
            sub: name,
            extra: announce
              ? 'A public filing of a registration statement, or a public statement by the company, is enough.'
              : 'The IPO is complete when shares trade on a public exchange.',
          },
        ],
        markets: deadlines.map((atMs, i) => {
          const last = day(atMs + shift)
          const next = day(atMs + shift + DAY)
          const asks = announce
            ? `Will ${name} announce an IPO before ${next.short}?`
            : flip
              ? `Will ${name} still have no IPO by the end of ${last.short}?`
              : `Will ${name} complete an IPO before ${next.short}?`
          return {
            event: 0,
            prop: offset + i,
            flip,
            code: flip ? last.code : next.code,
            title: asks,
            yes: flip ? `No IPO through ${last.short}` : `Before ${next.short}`,
            decideMs: Math.min(atMs + 12 * HOUR, decideMs),
            rules: announce
              ? `If ${name} announces or files for an Initial Public Offering before ${next.short}, then the market resolves to Yes.`
              : flip
                ? `If no shares of ${name} trade on a public exchange through ${last.short}, then the market resolves to Yes.`
                : `If ${name} completes an Initial Public Offering before ${next.short}, then the market resolves to Yes.`,
            strike: { type: 'custom' as const, custom: { Deadline: flip ? last.iso : next.iso } },
          }
        }),
      },
    }
  },
}
