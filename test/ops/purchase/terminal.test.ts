import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createPaint,
  prettyJson,
  printable,
  printableLines,
  short,
  wrap,
} from '../../../ops/purchase/terminal.ts'

describe('what a stranger sends is shown, but drives nothing', () => {
  test.each([
    ['\u001b[31mred', '\ufffd[31mred'],
    ['a\rb', 'a\ufffdb'], //        would overwrite the line
    ['a\u202eb', 'a\ufffdb'], //    would reverse the direction of writing
    ['a\u009bb', 'a\ufffdb'], //    the one-byte escape
    ['a\u200bb\u2028c\ufeffd\u00ade', 'a\ufffdb\ufffdc\ufffdd\ufffde'], // invisible characters
    ['a\u{e0041}b', 'a\ufffdb'], //   letters that are not drawn
    ['good\n\nBought and verified', 'good Bought and verified'], // would pass for a line of ours
    ['tab\tand – ü 👩\u200d💻', 'tab and – ü 👩\u200d💻'],
  ])('%j', (text, shown) => {
    expect(printable(text)).toBe(shown)
  })

  test('lines stay lines where they are wanted', () => {
    expect(printableLines('tab\tand\nline\u001b')).toBe('tab\tand\nline\ufffd')
  })

  test('JSON with colours is the same text without them', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const coloured = prettyJson(value, createPaint(true))
        expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(prettyJson(value, createPaint(false)))
      }),
    )
  })
})

describe('lines', () => {
  test('wrapping keeps every word in order and no line but a lone word is too long', () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/)
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 1, max: 30 }), (words, width) => {
        const lines = wrap(words.join(' '), width)
        expect(lines.join(' ')).toBe(words.join(' '))
        for (const line of lines) expect(line.length <= width || !line.includes(' ')).toBe(true)
      }),
    )
  })

  test('long hex is shown by its ends', () => {
    expect(short(`0x${'12'.repeat(32)}`)).toBe('0x1212…1212')
    expect(short('0x1234')).toBe('0x1234')
  })
})
