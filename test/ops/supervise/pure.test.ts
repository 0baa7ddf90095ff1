import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { onLines } from '../../../ops/supervise/lines.ts'
import { readLine } from '../../../ops/supervise/readable.ts'
import { createRepeats } from '../../../ops/supervise/repeats.ts'
import { judgeDeath, recentDeaths } from '../../../ops/supervise/restarts.ts'
import { createScreen } from '../../../ops/supervise/screen.ts'

describe('OPS-17: a child that dies is restarted with backoff, five times a minute and not more', () => {
  test.each([
    ['the first', 1, { waitMs: 100, isTooOften: false, isGivenUp: false }],
    ['the second', 2, { waitMs: 200, isTooOften: false, isGivenUp: false }],
    ['the fifth', 5, { waitMs: 1_600, isTooOften: false, isGivenUp: false }],
    ['the sixth', 6, { waitMs: 3_200, isTooOften: true, isGivenUp: true }],
    ['the seventh', 7, { waitMs: 5_000, isTooOften: true, isGivenUp: true }],
    ['the hundredth', 100, { waitMs: 5_000, isTooOften: true, isGivenUp: true }],
  ])('%s death', (_, recent, verdict) => {
    for (const wasReady of [true, false]) expect(judgeDeath(recent, {}, wasReady)).toEqual(verdict)
  })

  test.each<[string, Parameters<typeof judgeDeath>[1], boolean, boolean]>([
    ['what may come back without us, before it was ready', { isNeverGivenUp: true }, false, true],
    ['what may come back without us, once it was ready', { isNeverGivenUp: true }, true, false],
    ['what the rest works without, before it was ready', { withoutIt: 'no history' }, false, false],
    ['what the rest works without, once it was ready', { withoutIt: 'no history' }, true, false],
  ])('%s: the hundredth death', (_, part, wasReady, isGivenUp) => {
    expect(judgeDeath(100, part, wasReady)).toEqual({ waitMs: 5_000, isTooOften: true, isGivenUp })
    expect(judgeDeath(5, part, wasReady)).toMatchObject({ isTooOften: false, isGivenUp: false })
  })

  const NOW = 1_000_000
  test.each([
    ['none before', [], [NOW]],
    ['one just inside the minute', [NOW - 59_999], [NOW - 59_999, NOW]],
    ['one a minute ago is forgotten', [NOW - 60_000, NOW - 1], [NOW - 1, NOW]],
  ])('what counts: %s', (_, before, recent) => {
    expect(recentDeaths(before, NOW)).toEqual(recent)
  })
})

describe('warnings and errors of children are shown readable', () => {
  const line = (value: unknown) => JSON.stringify(value)
  test.each([
    [
      line({ level: 'warn', time: 1, pid: 2, role: 'api', msg: 'slow', ms: 5 }),
      { level: 'warn', text: 'slow (ms=5)' },
    ],
    [
      line({ level: 'warn', msg: 'slow', reason: 'gone', at: { a: 1 } }),
      { level: 'warn', text: 'slow (reason=gone, at={"a":1})' },
    ],
    [line({ level: 'warn', msg: 'x'.repeat(401) }), { level: 'warn', text: 'x'.repeat(400) }],
    [line({ level: 'info', msg: 'selling' }), { level: 'info', text: 'selling' }],
    [line({ level: 'error', msg: 'a\u001b[2Jb' }), { level: 'error', text: 'a [2Jb' }],
    [line({ level: 'error', msg: 'a\u202eb\u2066c' }), { level: 'error', text: 'a b c' }],
    [line({ level: 30, msg: 'numbers are not ours' }), null],
    ['{"ready":true}', null],
    ['{"level":"warn"', null],
    ['plain text', null],
  ])('%s', (text, expected) => {
    expect(readLine(text)).toEqual(expected)
  })

  test('nothing a child writes reaches the terminal as a control character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (words) => {
        let written = ''
        const screen = createScreen({ write: (text) => (written += text) }, { colour: false })
        screen.warn('x', words)
        screen.block(words)
        expect(/[\p{Cc}\p{Bidi_Control}]/u.test(written.replaceAll('\n', ''))).toBe(false)
      }),
    )
  })
})

describe('the same trouble does not fill the screen', () => {
  test('shown once a minute with how often it came, apart for each part and text', () => {
    let nowMs = 0
    const show = createRepeats({ nowMs: () => nowMs })
    expect(show('ingest', 'page 1 failed')).toBe('page 1 failed')
    nowMs = 59_999
    expect(show('ingest', 'page 2 failed')).toBeNull()
    expect(show('engine', 'page 2 failed')).toBe('page 2 failed')
    expect(show('ingest', 'something else')).toBe('something else')
    nowMs = 60_000
    expect(show('ingest', 'page 3 failed')).toBe('page 3 failed (and 1 times since it was shown last)')
    nowMs = 119_999
    expect(show('ingest', 'page 4 failed')).toBeNull()
    nowMs = 120_000
    expect(show('ingest', 'page 5 failed')).toBe('page 5 failed (and 1 times since it was shown last)')
  })

  test('what it remembers is bounded: the one shown longest ago goes', () => {
    let nowMs = 0
    const show = createRepeats({ nowMs: () => nowMs })
    const word = (n: number) => 'x'.repeat(n)
    for (let n = 1; n <= 200; n++) show('b', word(n))
    nowMs = 60_000
    for (let n = 200; n >= 1; n--) show('b', word(n))
    show('a', word(0))
    expect(show('b', word(1))).toBeNull() //  shown last, though first known
    expect(show('b', word(200))).toBe(word(200))
    for (let n = 1; n <= 201; n++) expect(show('a', word(n))).toBe(word(n))
    expect(show('a', word(201))).toBeNull()
    expect(show('a', word(1))).toBe(word(1)) //  forgotten, so shown again
  })
})

describe('lines of a child', () => {
  const linesOf = async (chunks: string[], longest?: number) => {
    const lines: string[] = []
    const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)))
    onLines(stream, (line) => lines.push(line), longest)
    await new Promise((resolve) => stream.once('close', resolve))
    return lines
  }

  test.each([
    [['a\nb\n'], ['a', 'b']],
    [
      ['a', 'b\nc', '\n'],
      ['ab', 'c'],
    ],
    [['a\r\n\n'], ['a', '']],
    [['no end'], ['no end']],
  ])('%j', async (chunks, expected) => {
    expect(await linesOf(chunks)).toEqual(expected)
  })

  test('one that never ends is cut, and the next is whole again', async () => {
    expect(await linesOf(['x'.repeat(50), 'y'.repeat(50), '\nnext\n'], 60)).toEqual([
      `${'x'.repeat(50)}${'y'.repeat(10)}`,
      'next',
    ])
  })

  test('wherever the chunks are cut, the lines are the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.stringMatching(/^[a-z]{0,5}$/)), fc.nat(7), async (lines, size) => {
        const text = lines.map((line) => `${line}\n`).join('')
        const chunks = text.match(new RegExp(`[^]{1,${size + 1}}`, 'g')) ?? []
        expect(await linesOf(chunks)).toEqual(lines)
      }),
    )
  })
})
