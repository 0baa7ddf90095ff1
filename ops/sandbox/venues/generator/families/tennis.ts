import { DAY, HOUR } from '../../../../units.ts'
import { everyMs } from '../cadence.ts'
import { day } from '../calendar.ts'
import { PEOPLE, pairing, person } from '../names.ts'
import type { Family } from '../topic.ts'

const PLAYERS = 901
const TOURS = [
  ['ATP', 'Metz Open', 'ATP'],
  ['WTA', 'Linz Open', 'WTA'],
  ['ATP', 'Quito Challenger', 'ATPCH'],
  ['WTA', 'Oslo Challenger', 'WTACH'],
] as const

/**
 * Singles matches: winner, first set, total games. Venue A names one market for two players, venue B one
 * per player. Its many pairings take what the other families of a large world cannot.
 */
export const tennis: Family = {
  name: 'tennis',
  weight: 6,
  capacity: PLAYERS * Math.floor((PLAYERS - 1) / 2),
  twists: ['different_date', 'different_threshold'],
  flips: false,
  cadence: (_, dice) =>
    everyMs(2 * DAY, dice.int('day', 2) * DAY + (12 + dice.int('hour', 16)) * HOUR, HOUR / 2),
  topic: ({ subject, dice, decideMs, twist }) => {
    const [tour, tournament, code] = TOURS[subject % TOURS.length]!
    const [i, j] = pairing(subject, PLAYERS)
    // players different from the candidates and officials of other families
    const [p, q] = [person(PEOPLE - 1 - i), person(PEOPLE - 1 - j)]
    const startMs = decideMs - 2 * HOUR
    const startB = startMs + (twist === 'different_date' ? DAY : 0)
    const at = day(startMs)
    const atB = day(startB)
    const offset = twist === null ? 0 : 3
    const result = twist === 'different_threshold' ? 0 : offset
    const line = 20.5 + dice.int('line', 5)
    const lineB = line + (twist === 'different_threshold' ? 2 : 0)
    const versus = `${p.last} vs ${q.last}`
    const match = `${p.name} vs ${q.name} professional tennis match in the ${tournament} scheduled for ${atB.short}`
    const event = (kind: string, title: string, exclusive: boolean) => ({
      series: `KX${code}${kind}`,
      suffix: `${atB.code}${p.code}${q.code}`,
      title,
      sub: `${p.last} vs ${q.last} (${atB.shortDay})`,
      exclusive,
      gameMs: startB,
      extra:
        'If the match does not begin within two weeks of its scheduled date, the market resolves to a fair price in accordance with the rules.',
    })
    const players = [p, q]
    const custom = (who: string) => ({ type: 'structured' as const, custom: { tennis_competitor: who } })
    return {
      category: 'sports',
      tags: ['Sports', 'Tennis', tour],
      shape: 'free',
      count: 3,
      a: {
        event: {
          title: `${tournament}: ${p.name} vs ${q.name}`,
          gameMs: startMs,
          rules: `This market refers to the ${tour} match between ${p.name} and ${q.name} in the ${tournament}, scheduled for ${at.long}.\n\nThis market will resolve to "${p.name}" if ${p.name} wins the match and to "${q.name}" if ${q.name} wins the match. If the match is canceled, ends in a tie, or is delayed beyond 7 days from the scheduled date, this market will resolve to 50-50.`,
        },
        markets: [
          {
            prop: 0,
            question: `${tournament}: ${p.name} vs ${q.name}`,
            group: '',
            sides: [p.name, q.name],
            sport: { type: 'moneyline', line: null },
          },
          {
            prop: 1,
            question: `${p.name} vs ${q.name}: Set 1 Winner`,
            group: 'Set 1 Winner',
            sides: [p.name, q.name],
            rules: `This market will resolve to the player who wins the first set of the match between ${p.name} and ${q.name} in the ${tournament}, scheduled for ${at.long}.`,
          },
          {
            prop: 2,
            question: `${p.name} vs ${q.name}: Match O/U ${line}`,
            group: `O/U ${line}`,
            sides: ['Over', 'Under'],
            sport: { type: 'totals', line },
            rules: `This market will resolve to "Over" if more than ${line} games are played in the match between ${p.name} and ${q.name} in the ${tournament}, scheduled for ${at.long}. Otherwise, this market will resolve to "Under".`,
          },
        ],
      },
      b: {
        events: [
          event('MATCH', versus, true),
          event('SETWINNER', `${versus}: Set 1 Winner`, true),
          event('TOTALGAMES', `${versus}: Total games`, false),
        ],
        markets: [
          ...players.map((player, side) => ({
            event: 0,
            prop: result,
            flip: side === 1,
            code: player.code,
            title: `Will ${player.name} win the ${versus} : ${tournament} match?`,
            yes: player.name,
            rules: `If ${player.name} wins the ${match}, then the market resolves to Yes.`,
            strike: custom(player.code),
          })),
          {
            event: 1,
            prop: result === 0 ? 1 : offset + 1,
            flip: true,
            code: q.code,
            title: `Will ${q.name} win set 1 of the ${versus} match?`,
            yes: q.name,
            rules: `If ${q.name} wins the first set of the ${match}, then the market resolves to Yes.`,
            strike: custom(q.code),
          },
          {
            event: 2,
            prop: offset + 2,
            code: String(Math.ceil(lineB)),
            title: `Will more than ${lineB} games be played in the ${versus} match?`,
            yes: `Over ${lineB} games`,
            rules: `If more than ${lineB} games are played in the ${match}, then the market resolves to Yes.`,
            strike: { type: 'greater', floor: lineB },
          },
        ],
      },
    }
  },
}
