import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSseReader, type SseEvent } from '../../../ops/purchase/sse.ts'

const readAll = (...pieces: string[]): SseEvent[] => {
  const reader = createSseReader()
  return pieces.flatMap((piece) => reader.read(piece))
}

describe('server-sent events are read by the letter of the standard', () => {
  test.each([
    ['data: a\n\n', [{ kind: 'message', data: 'a', id: '' }]],
    ['event: opened\nid: 1-0\ndata: {"a":1}\n\n', [{ kind: 'opened', data: '{"a":1}', id: '1-0' }]],
    ['data:a\ndata:  b\n\n', [{ kind: 'message', data: 'a\n b', id: '' }]], // one blank belongs to the colon
    ['data\n\n', [{ kind: 'message', data: '', id: '' }]],
    [': heartbeat\n\n', []],
    ['event: lonely\n\n', []], //                                            no data, no event
    ['data: unfinished', []],
    [
      '\ufeffdata: a\r\n\r\ndata: b\r\rdata: c\n\n',
      ['a', 'b', 'c'].map((data) => ({ kind: 'message', data, id: '' })),
    ],
    ['id: 1\0\ndata: a\n\n', [{ kind: 'message', data: 'a', id: '' }]], //   an id with NUL is ignored
  ])('%j', (text, events) => {
    expect(readAll(text)).toEqual(events)
  })

  test('an id holds until the next one; an event type does not', () => {
    expect(readAll('id: 7\nevent: x\ndata: a\n\ndata: b\n\n')).toEqual([
      { kind: 'x', data: 'a', id: '7' },
      { kind: 'message', data: 'b', id: '7' },
    ])
  })

  test('retry is kept when it is a number', () => {
    const reader = createSseReader()
    reader.read('retry: 2000\n\nretry: soon\n\n')
    expect(reader.retryMs()).toBe(2_000)
  })

  test('however the text is cut, the events are the same', () => {
    const line = fc.constantFrom('data: a', 'data: b:c', 'event: x', 'id: 1', ': note', 'retry: 5', '')
    const end = fc.constantFrom('\n', '\r\n')
    fc.assert(
      fc.property(fc.array(line), end, fc.array(fc.nat(60)), (lines, newline, cuts) => {
        const text = lines.map((each) => each + newline).join('')
        const places = [...new Set(cuts.filter((at) => at < text.length))].sort((a, b) => a - b)
        const pieces = [0, ...places].map((from, at) => text.slice(from, [...places, text.length][at]))
        expect(readAll(...pieces)).toEqual(readAll(text))
      }),
    )
  })

  test('an event without an end is not collected for ever', () => {
    const reader = createSseReader()
    const piece = `data: ${'x'.repeat(1_000_000)}`
    expect(() => {
      for (let at = 0; at < 10; at++) reader.read(piece)
    }).toThrow(RangeError)
  })
})
