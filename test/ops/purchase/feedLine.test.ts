import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FeedAnswer, feedLine, feedTable } from '../../../ops/purchase/feedLine.ts'
import { createPaint } from '../../../ops/purchase/terminal.ts'

const screen = { paint: createPaint(false), columns: 100 }
const card = { topic: 'Fed cuts in December', gapCents: 7, edgeCents: 3.27, suggestedAction: 'buy_a_sell_b' }

describe('a message of the feed is one line', () => {
  test('the time of day, the topic, what the card says, the id at the end', () => {
    const atMs = Date.parse('2026-11-21T12:34:56.000Z')
    const line = feedLine({ kind: 'opened', id: '1-0', topic: 'gaps', atMs, card }, screen)
    expect(line).toContain('12:34:56 gaps gap 7c edge 3.27c buy_a_sell_b')
    expect([line.startsWith('opened'), line.endsWith('1-0'), line.includes('\n')]).toEqual([
      true,
      true,
      false,
    ])
  })

  test('an instant that is none is no reason to stop', () => {
    expect(feedLine({ kind: 'opened', atMs: 1e300, card }, screen)).toContain('Fed cuts')
  })

  test('whatever a stranger sends is shown or refused as a whole, on one line', () => {
    const message = fc.record(
      { kind: fc.string(), atMs: fc.double(), card: fc.object() },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(message, fc.jsonValue()), (data) => {
        expect(feedLine(data, screen)).not.toMatch(/[\r\n]/)
      }),
    )
  })
})

describe('a polled answer', () => {
  const shown = (answer: object) => feedTable(FeedAnswer.parse({ lastEventId: '9-0', ...answer }), screen)

  test('what is open, the largest edge first', () => {
    const text = shown({ openCards: { gaps: [card, { ...card, topic: 'Other', edgeCents: 5 }] } })
    expect(text.indexOf('Other')).toBeLessThan(text.indexOf('Fed cuts'))
    expect(text).toContain('2 cards open')
    expect(text).toContain('--from 9-0')
  })

  test('behind an event: the events, and whether there are more', () => {
    expect(shown({ openCards: null, events: [{ kind: 'closed' }], more: true })).toContain(
      '1 event, and more',
    )
  })

  test.each([{ events: 'none' }, { openCards: 'none' }, { more: 1 }])(
    '%j is no answer of a feed',
    (answer) => {
      expect(FeedAnswer.safeParse({ lastEventId: null, ...answer }).success).toBe(false)
    },
  )
})
