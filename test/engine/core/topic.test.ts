import { describe, expect, test } from 'vitest'
import { legOf } from '../../../engine/core/gapRow.ts'
import { topicInEvent, topicOf } from '../../../engine/core/topic.ts'
import { marketA, marketB, quote } from '../support/markets.ts'
import { bookBoard, moversBoard, topicsBoard } from './boards/atOnce.ts'
import { NOW_MS } from './boards/support.ts'

describe('topic: the question in one line', () => {
  test.each([
    [
      'a title that says it',
      {
        eventTitle: 'Who will visit Chile?',
        title: 'Will Ola Berg visit Chile before 2028?',
        outcome: 'Ola Berg',
      },
      'Will Ola Berg visit Chile before 2028?',
    ],
    [
      'an outcome the title leaves out',
      {
        eventTitle: 'Lisbon mayor',
        title: 'Who will win the Lisbon mayoral election?',
        outcome: 'Ada Brandt',
      },
      'Who will win the Lisbon mayoral election: Ada Brandt',
    ],
    [
      'a title that is the outcome',
      { eventTitle: 'Chicago WS vs Detroit Winner?', title: 'Detroit', outcome: 'Detroit' },
      'Chicago WS vs Detroit Winner: Detroit',
    ],
    [
      'a title that names nobody',
      { eventTitle: 'Aston Villa vs. Liverpool', title: 'Will both teams score?', outcome: null },
      'Aston Villa vs. Liverpool: Will both teams score?',
    ],
    [
      'a handicap that the title states',
      { eventTitle: 'Season opener', title: 'Spread: Jets (-3.5)', outcome: 'Spread -3.5' },
      'Spread: Jets (-3.5)',
    ],
    [
      'another handicap than the title states',
      { eventTitle: 'Season opener', title: 'Spread: Jets (-3.5)', outcome: 'Spread -13.5' },
      'Spread: Jets (-3.5): Spread -13.5',
    ],
    [
      '"Yes" adds nothing',
      { eventTitle: 'Recession', title: 'Recession in 2027?', outcome: 'Yes' },
      'Recession in 2027?',
    ],
  ])('%s', (_, market, topic) => {
    expect(topicOf(market)).toBe(topic)
  })

  test.each([
    ['Jets vs. Bills', 'Spread: Jets (-3.5)', 'Spread -3.5', 'Jets vs. Bills: Spread: Jets (-3.5)'],
    [
      'Jets vs. Bills',
      'Spread: Jets (-3.5)',
      'Spread -13.5',
      'Jets vs. Bills: Spread: Jets (-3.5): Spread -13.5',
    ],
    [
      'Texas vs Ohio: Spread',
      'Ohio wins by over 3.5 runs?',
      null,
      'Texas vs Ohio: Spread: Ohio wins by over 3.5 runs?',
    ],
    [
      'Ohio State vs. Ohio',
      'Spread: Ohio State (-3.5)',
      null,
      'Ohio State vs. Ohio: Spread: Ohio State (-3.5)',
    ],
    ['Ohio State vs. Ohio', 'Spread: Ohio (-3.5)', null, 'Ohio State vs. Ohio: Spread: Ohio (-3.5)'],
    ['Ohio State vs. Ohio', 'Ohio at Ohio State: O/U 4.5', null, 'Ohio at Ohio State: O/U 4.5'],
    ['LA vs. Dallas', 'Spread: Dallas (-3.5)', null, 'LA vs. Dallas: Spread: Dallas (-3.5)'],
    [`Jets vs. ${'B'.repeat(190)}`, 'Spread: Jets (-3.5)', null, 'Spread: Jets (-3.5)'],
    ['Jets @ Bills', 'Will the Bills score first?', null, 'Jets @ Bills: Will the Bills score first?'],
    ['Jets vs. Bills (Game 2)', 'Jets vs. Bills: O/U 4.5', 'O/U 4.5', 'Jets vs. Bills: O/U 4.5'],
    ['NFL: Jets vs. Bills', 'Do the Bills beat the Jets?', null, 'Do the Bills beat the Jets?'],
    ['Jets vs. Bills - More Markets', 'Bills and Jets to score?', null, 'Bills and Jets to score?'],
  ])('of the game that is meant, in %s: %s', (eventTitle, title, outcome, topic) => {
    expect(topicOf({ eventTitle, title, outcome })).toBe(topic)
  })

  test.each([
    ['Detroit vs Houston Winner?', 'Detroit', 'Detroit vs Houston Winner: Detroit'],
    ['Detroit vs Houston Winner?', 'Houston', 'Detroit vs Houston Winner: Houston'],
    [
      'Hall of Fame Game: Carolina vs Arizona Winner?',
      'Arizona',
      'Hall of Fame Game: Carolina vs Arizona Winner: Arizona',
    ],
    ['Miami (FL) at Indiana Winner?', 'Indiana', 'Miami (FL) at Indiana Winner: Indiana'],
    ['Egypt vs IR Iran Winner?', 'Tie', 'Egypt vs IR Iran Winner: Tie'],
    ['Will Hugo Dahl win the Dahl vs Lind match?', 'Hugo Dahl', 'Will Hugo Dahl win the Dahl vs Lind match?'],
    ['Will Dahl win the Dahl vs Lind match?', 'Dahl', 'Will Dahl win the Dahl vs Lind match?'],
    ['Will Ola Berg speak at Davos?', 'Davos', 'Will Ola Berg speak at Davos?'],
    ['Wild vs. Flyers: O/U 4.5', 'O/U 4.5', 'Wild vs. Flyers: O/U 4.5'],
  ])('markets of two that meet are told apart: %s of %s', (title, outcome, topic) => {
    expect(topicOf({ eventTitle: '', title, outcome })).toBe(topic)
  })

  test.each([
    ['Wild vs. Flyers', null, 'Wild', 'Wild vs. Flyers: Wild'],
    ['Wild vs. Flyers (Game 1)', null, 'Flyers', 'Wild vs. Flyers (Game 1): Flyers'],
    ['LoL: Red vs Blue - Map 1 Winner', 'Map 1 Winner', 'Blue', 'LoL: Red vs Blue - Map 1 Winner: Blue'],
    ['Wild vs. Flyers: O/U 4.5', 'O/U 4.5', 'Over', 'Wild vs. Flyers: O/U 4.5'],
    ['Spread: Wild (-1.5)', 'Spread -1.5', 'Wild', 'Spread: Wild (-1.5)'],
    ['Bitcoin up or down on May 3?', null, 'Up', 'Bitcoin up or down on May 3?'],
  ])('whose price a yes is, where a title names both: %s', (title, outcome, yesMeans, topic) => {
    expect(topicOf({ eventTitle: '', title, outcome, yesMeans })).toBe(topic)
  })

  test('VEN-13 text of a venue is data: no control or direction characters, at most 200 letters', () => {
    const hostile = {
      eventTitle: '',
      title: 'Will\u0000 \u202eOla\u202c Berg\r\n<b>win</b>\u200b?',
      outcome: null,
    }
    expect(topicOf(hostile)).toBe('Will Ola Berg <b>win</b> ?')
    const unseen = 'Ola\u00ad\u061cBerg\u180e \u{e0041}\u{e0042}wins\u2065'
    expect(topicOf({ eventTitle: '', title: unseen, outcome: null })).toBe('Ola Berg wins')
    const long = topicOf({ eventTitle: '', title: `Will Ola ${'🎾'.repeat(400)}`, outcome: null })
    expect([...long]).toHaveLength(200)
    expect(long).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/)
  })
})

test.each([
  ['a bare name', 'New York', 'Where will it snow first?', 'Where will it snow first: New York'],
  ['a bare party', ':: Republican', 'Senate race in Ohio', 'Senate race in Ohio: Republican'],
  ['a question says it all', 'Will Ola Berg visit Peru?', 'Visits', 'Will Ola Berg visit Peru?'],
  [
    'a sentence says it all',
    'Ola Berg wins the 2027 Oslo marathon',
    'Marathon',
    'Ola Berg wins the 2027 Oslo marathon',
  ],
  ['the event is in it already', 'Peru visit 2027', 'Peru visit', 'Peru visit 2027'],
  ['no event', 'New York', '', 'New York'],
])('beside a look-alike an outcome has its event before it: %s', (_what, title, eventTitle, expected) => {
  expect(topicInEvent({ title, eventTitle, outcome: null })).toBe(expected)
})

test('a leg of B that is a bare outcome shows its event; of A, the venue’s own title', () => {
  const event = { eventTitle: 'Senate race in Ohio' }
  const title = ':: Republican'
  expect([
    legOf({ market: marketB('K', title, event), quote: quote('b', 'K', 4_000, 4_100) }).title,
    legOf({ market: marketA('1', title, event), quote: quote('a', '1', 4_000, 4_100) }).title,
  ]).toEqual(['Senate race in Ohio: Republican', ':: Republican'])
})

test('a single market of B that is a bare outcome is sold and found with its event before it', () => {
  const market = marketB('K', ':: PSD', { eventTitle: 'Next prime minister of Romania?' })
  const figures = { lastBps: 4_500, previousBps: 4_000 }
  const markets = { a: [], b: [{ market, quote: quote('b', 'K', 4_000, 4_100, figures) }] }
  const boards = [
    bookBoard(markets, NOW_MS).b,
    moversBoard(markets, NOW_MS).day,
    topicsBoard(markets, () => null, NOW_MS).b,
  ]
  expect(boards.map((rows) => rows.map(({ topic }) => topic))).toEqual(
    Array.from({ length: 3 }, () => ['Next prime minister of Romania: PSD']),
  )
})
