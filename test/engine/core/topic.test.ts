import { describe, expect, test } from 'vitest'
import { topicOf } from '../../../engine/core/topic.ts'

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
      '"Yes" adds nothing',
      { eventTitle: 'Recession', title: 'Recession in 2027?', outcome: 'Yes' },
      'Recession in 2027?',
    ],
  ])('%s', (_, market, topic) => {
    expect(topicOf(market)).toBe(topic)
  })

  test('VEN-13 text of a venue is data: no control or direction characters, at most 200 letters', () => {
    const hostile = {
      eventTitle: '',
      title: 'Will\u0000 \u202eOla\u202c Berg\r\n<b>win</b>\u200b?',
      outcome: null,
    }
    expect(topicOf(hostile)).toBe('Will Ola Berg <b>win</b> ?')
    const long = topicOf({ eventTitle: '', title: `Will Ola ${'🎾'.repeat(400)}`, outcome: null })
    expect([...long]).toHaveLength(200)
    expect(long).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/)
  })
})
