import { HOUR } from '../../../../units.ts'
import { everyMonths } from '../cadence.ts'
import { day } from '../calendar.ts'
import { LEAGUES } from '../teams.ts'
import type { Family } from '../topic.ts'

/** Season titles: every team of a league, one winner. Twisted, venue B asks for the regular season or another year. */
export const champions: Family = {
  name: 'champions',
  weight: 2,
  capacity: LEAGUES.length,
  twists: ['different_date', 'different_condition'],
  flips: false,
  cadence: (subject) => everyMonths(12, 1 + subject * 2, 20, 3 * HOUR),
  topic: ({ subject, decideMs, twist }) => {
    const league = LEAGUES[subject]!
    const at = day(decideMs)
    const year = at.year + (twist === 'different_date' ? 1 : 0)
    const regular = twist === 'different_condition'
    const count = league.teams.length
    const offset = twist === null ? 0 : count
    const prize = regular ? 'best regular season record' : 'title'
    return {
      category: 'sports',
      tags: ['Sports', league.name, 'Champion'],
      shape: 'softmax',
      count,
      a: {
        event: {
          title: `${at.year} ${league.name} Champion`,
          exclusive: true,
          rules: `This market will resolve to "Yes" if the named team wins the ${at.year} ${league.name} title. Otherwise, this market will resolve to "No".\n\nIf it becomes impossible for a team to win the title, its market will resolve immediately to "No". If the season is cancelled, all markets will resolve to "No".`,
        },
        markets: league.teams.map((team, prop) => ({
          prop,
          question: `Will the ${team.a} win the ${at.year} ${league.name} title?`,
          group: team.a,
        })),
      },
      b: {
        events: [
          {
            series: `KX${league.code}${regular ? 'RECORD' : ''}`,
            suffix: String(year % 100),
            title: regular
              ? `${year} ${league.name} best regular season record?`
              : `${year} ${league.name} title winner?`,
            sub: `${league.sport} ${year}`,
            exclusive: true,
            extra: 'If the season is cancelled, all markets resolve to No.',
          },
        ],
        markets: league.teams.map((team, i) => ({
          event: 0,
          prop: offset + i,
          code: team.code,
          title: regular
            ? `Will ${team.b} have the best ${league.name} regular season record in ${year}?`
            : `Will ${team.b} win the ${year} ${league.name} title?`,
          yes: team.b,
          rules: `If ${team.b} ${regular ? 'has' : 'wins'} the ${year} ${league.sport} ${prize}, then the market resolves to Yes.`,
          strike: { type: 'structured' as const, custom: { team: `${league.code}-${team.code}` } },
        })),
      },
    }
  },
}
