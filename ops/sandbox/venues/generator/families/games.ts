import { DAY, HOUR } from '../../../../units.ts'
import { everyMs } from '../cadence.ts'
import { day } from '../calendar.ts'
import { pairing } from '../names.ts'
import { LEAGUES, type League, type Team } from '../teams.ts'
import type { Family } from '../topic.ts'

const GAME_LENGTH = 3 * HOUR

/** Unordered pairs of a league that `pairing` reaches. */
const pairs = (league: League) => league.teams.length * Math.floor((league.teams.length - 1) / 2)

/** Leagues with (or without) draws take turns, so that small worlds see all of them. */
function fixture(draws: boolean, subject: number): { league: League; away: Team; home: Team } {
  const leagues = LEAGUES.filter((league) => league.draws === draws)
  const league = leagues[subject % leagues.length]!
  const [away, home] = pairing(Math.floor(subject / leagues.length), league.teams.length)
  return { league, away: league.teams[away]!, home: league.teams[home]! }
}

/** As many turns as the smallest league has pairs. */
const capacity = (draws: boolean) => {
  const leagues = LEAGUES.filter((league) => league.draws === draws)
  return leagues.length * Math.min(...leagues.map(pairs))
}

const cadence: Family['cadence'] = (_, dice) =>
  everyMs(3 * DAY, dice.int('day', 3) * DAY + (20 + dice.int('hour', 10)) * HOUR, HOUR)

/** Two-team games without draws: winner, spread, total. Venue A names one market, venue B one per team. */
export const games: Family = {
  name: 'games',
  weight: 14,
  capacity: capacity(false),
  twists: ['different_date', 'different_threshold', 'doubleheader'],
  flips: false,
  cadence,
  topic: ({ subject, slotDice, decideMs, twist }) => {
    const { league, away, home } = fixture(false, subject)
    const startMs = decideMs - GAME_LENGTH
    const startB = startMs + (twist === 'different_date' ? DAY : twist === 'doubleheader' ? 2 * HOUR : 0)
    const at = day(startMs)
    const atB = day(startB)
    const game = twist === 'doubleheader' ? ' (Game 1)' : ''
    const number = twist === 'doubleheader' ? 'G2' : ''
    const which = twist === 'doubleheader' ? 'second game of the day between ' : ''
    const spread = league.spread + slotDice.int('spread', 3)
    const total = league.total + slotDice.int('total', 5) - 2
    const extra = twist === 'different_threshold' ? 1 : 0
    const offset = twist === null ? 0 : 3
    // with a twist of the lines alone the winner is still the same question
    const winner = twist === 'different_threshold' ? 0 : offset
    const suffix = `${atB.code}${away.code}${home.code}${number}`
    const versus = `${away.b} vs ${home.b}`
    const when = `${league.sport} game originally scheduled for ${atB.short}`
    const event = (kind: string, title: string, exclusive = false) => ({
      series: `KX${league.code}${kind}`,
      suffix,
      title,
      sub: `${away.code} vs ${home.code} (${atB.shortDay})`,
      exclusive,
      gameMs: startB,
      extra: `The following market refers to the ${which}${versus} ${when}. If this game is postponed or delayed, the market will remain open and close after the rescheduled game has finished (within two days).`,
    })
    const win = (team: Team, flip: boolean) => ({
      event: 0,
      prop: winner,
      flip,
      code: team.code,
      title: `${versus} Winner?`,
      yes: team.b,
      rules: `If ${team.b} wins the ${which}${versus} ${when}, then the market resolves to Yes.`,
      strike: { type: 'structured' as const, custom: { team: `${league.code}-${team.code}` } },
    })
    return {
      category: 'sports',
      tags: ['Sports', league.name, 'Games'],
      shape: 'free',
      count: 3,
      a: {
        event: {
          title: `${away.a} vs. ${home.a}${game}`,
          gameMs: startMs,
          rules: `In the upcoming ${league.name} game, scheduled for ${at.monthDay} at ${at.hour} ET${game}:\n\nIf the ${away.a} win, the market will resolve to "${away.a}".\nIf the ${home.a} win, the market will resolve to "${home.a}".\n\nIf the game is postponed, this market will remain open until the game has been completed. If the game is canceled entirely, with no make-up game, this market will resolve 50-50. The result includes overtime and shootouts.`,
        },
        markets: [
          {
            prop: 0,
            question: `${away.a} vs. ${home.a}${game}`,
            group: '',
            sides: [away.a, home.a],
            sport: { type: 'moneyline', line: null },
          },
          {
            prop: 1,
            question: `Spread: ${home.a} (-${spread})`,
            group: `Spread -${spread}`,
            sides: [home.a, away.a],
            sport: { type: 'spreads', line: -spread },
            rules: `In the upcoming ${league.name} game, scheduled for ${at.monthDay}${game}: this market will resolve to "${home.a}" if the ${home.a} win by more than ${spread} ${league.unit}. Otherwise, this market will resolve to "${away.a}".`,
          },
          {
            prop: 2,
            question: `${away.a} vs. ${home.a}${game}: O/U ${total}`,
            group: `O/U ${total}`,
            sides: ['Over', 'Under'],
            sport: { type: 'totals', line: total },
            rules: `In the upcoming ${league.name} game, scheduled for ${at.monthDay}${game}: this market will resolve to "Over" if both teams together score more than ${total} ${league.unit}. Otherwise, this market will resolve to "Under".`,
          },
        ],
      },
      b: {
        events: [
          event('GAME', `${versus}${number === '' ? '' : ' Game 2'}`, true),
          event('SPREAD', `${versus}: Spread`),
          event('TOTAL', `${versus}: Total ${league.unit}`),
        ],
        markets: [
          win(away, false),
          win(home, true),
          {
            event: 1,
            prop: offset + 1,
            code: `${home.code}${Math.ceil(spread + extra)}`,
            title: `${home.b} wins by over ${spread + extra} ${league.unit}?`,
            yes: `${home.b} wins by over ${spread + extra} ${league.unit}`,
            rules: `If ${home.b} wins the ${which}${versus} ${when} by more than ${spread + extra} ${league.unit}, then the market resolves to Yes.`,
            strike: { type: 'greater', floor: spread + extra },
          },
          {
            event: 2,
            prop: offset + 2,
            code: `${Math.ceil(total + extra)}`,
            title: `${versus}: Total ${league.unit}`,
            yes: `Over ${total + extra} ${league.unit} scored`,
            rules: `If ${away.b} and ${home.b} together score more than ${total + extra} ${league.unit} in the ${which}${versus} ${when}, then the market resolves to Yes.`,
            strike: { type: 'greater', floor: total + extra },
          },
        ],
      },
    }
  },
}

/** Soccer: three ways. Twisted, venue B asks who advances, where a draw is impossible. */
export const matches: Family = {
  name: 'matches',
  weight: 6,
  capacity: capacity(true),
  twists: ['different_date', 'different_condition'],
  flips: false,
  cadence,
  topic: ({ subject, decideMs, twist }) => {
    const { league, away, home } = fixture(true, subject)
    const startMs = decideMs - GAME_LENGTH
    const startB = startMs + (twist === 'different_date' ? DAY : 0)
    const at = day(startMs)
    const atB = day(startB)
    const advance = twist === 'different_condition'
    const offset = twist === null ? 0 : 3
    const versus = `${home.b} vs ${away.b}`
    const teams = [
      [home, 'H'],
      [null, 'D'],
      [away, 'A'],
    ] as const
    return {
      category: 'sports',
      tags: ['Sports', 'Soccer', league.name],
      shape: 'softmax',
      count: 3,
      a: {
        event: {
          title: `${home.a} vs. ${away.a}`,
          exclusive: true,
          gameMs: startMs,
          rules: `In the upcoming ${league.name} game, scheduled for ${at.monthDay} at ${at.hour} ET, this market refers to the result after 90 minutes of regular play plus stoppage time. Extra time and penalties do not count.\n\nIf the game is postponed, this market will remain open until the game has been completed. If the game is canceled entirely, with no make-up game, this market will resolve "No".`,
        },
        markets: teams.map(([team], prop) => ({
          prop,
          question:
            team === null
              ? `Will ${home.a} vs. ${away.a} end in a draw?`
              : `Will ${team.a} win on ${at.iso}?`,
          group: team === null ? `Draw (${home.a} vs. ${away.a})` : team.a,
          sport: { type: 'moneyline', line: null },
        })),
      },
      b: {
        events: [
          {
            series: `KX${league.code}${advance ? 'ADVANCE' : 'GAME'}`,
            suffix: `${atB.code}${home.code}${away.code}`,
            title: advance ? `${versus}: To Advance` : `${versus}`,
            sub: `${home.code} vs ${away.code} (${atB.shortDay})`,
            exclusive: true,
            gameMs: startB,
            extra: advance
              ? 'Extra time, penalties and, where played, the second leg count.'
              : 'The result after 90 minutes plus stoppage time counts. Extra time and penalties do not.',
          },
        ],
        markets: teams
          .map(([team], i) => ({
            event: 0,
            prop: offset + i,
            code: team === null ? 'TIE' : team.code,
            title: advance ? `${versus}: To Advance?` : `${versus} Winner?`,
            yes: team === null ? 'Tie' : team.b,
            rules: `If ${team === null ? 'the match ends in a tie in' : `${team.b} ${advance ? 'advances from' : 'wins'}`} the ${versus} ${league.sport} match originally scheduled for ${atB.short}${advance ? '' : ' (after 90 minutes plus stoppage time)'}, then the market resolves to Yes.`,
            strike: { type: 'structured' as const, custom: { team: team === null ? 'tie' : team.code } },
          }))
          .filter((_, i) => !(advance && i === 1)),
      },
    }
  },
}
