import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plainText, safeUrl, TITLE_MAX } from '../../../api/live/plainText.ts'

describe('VEN-13 a title becomes one line of ordinary characters', () => {
  test.each([
    ['Fed cuts rates', 'Fed cuts rates'],
    ['  two\n lines\t ', 'two lines'],
    ['right \u202eot tfel\u202c', 'right ot tfel'],
    ['1\u061c2', '1 2'],
    ['zero\u200bwidth\ufeff', 'zero width'],
    ['bell\u0007 and \u001b[31mred', 'bell and [31mred'],
    ['half \ud83d', 'half \ufffd'],
    ['<b>kept as data</b>', '<b>kept as data</b>'],
  ])('%j → %j', (title, shown) => expect(plainText(title)).toBe(shown))

  test('cut at TITLE_MAX letters, never inside one', () => {
    expect(plainText('a'.repeat(TITLE_MAX))).toBe('a'.repeat(TITLE_MAX))
    expect(plainText('a'.repeat(TITLE_MAX + 1))).toBe(`${'a'.repeat(TITLE_MAX - 1)}…`)
    expect([...plainText('😀'.repeat(500))]).toHaveLength(TITLE_MAX)
    expect(plainText('😀'.repeat(500)).isWellFormed()).toBe(true)
  })

  test('of a long text no more than four times that is looked at', () => {
    expect(plainText(`${' '.repeat(4 * TITLE_MAX - 1)}xy`)).toBe('x')
  })

  test('any text: bounded, well formed, no control character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), (text) => {
        const shown = plainText(text)
        return (
          [...shown].length <= TITLE_MAX && shown.isWellFormed() && !/[\p{Cc}\p{Bidi_Control}]/u.test(shown)
        )
      }),
    )
  })
})

const LONGEST = 'https://kalshi.com/'.padEnd(500, 'x')

describe('VEN-14 a link is https or none', () => {
  test.each([
    ['https://kalshi.com/markets/kxfed', 'https://kalshi.com/markets/kxfed'],
    ['http://kalshi.com/', null],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['//evil.example', null],
    ['https://user:secret@kalshi.com/', null],
    ['https://kalshi.com/"onmouseover="x', 'https://kalshi.com/%22onmouseover=%22x'],
    ['https://user@kalshi.com/', null],
    ['https://:secret@kalshi.com/', null],
    [LONGEST, LONGEST],
    [`${LONGEST}x`, null],
    ['', null],
  ])('%s → %s', (url, link) => expect(safeUrl(url)).toBe(link))
})
