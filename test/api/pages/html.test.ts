import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Html, html } from '../../../api/pages/html.ts'

describe('what is filled into a template is text', () => {
  test.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    [`" onmouseover='x'`, '&quot; onmouseover=&#39;x&#39;'],
    ['&lt;', '&amp;lt;'],
    ['`', '&#96;'],
    [7, '7'],
    [0, '0'],
    [null, ''],
    [false as const, ''],
  ])('%j → %s', (fill, text) => expect(html`${fill}`.text).toBe(text))

  test('but a template in a template stays what it is', () => {
    expect(html`<ul>${[html`<li>${'<'}</li>`, html`<li>b</li>`]}</ul>`.text).toBe(
      '<ul><li>&lt;</li><li>b</li></ul>',
    )
  })

  test('nothing of a fill can end an attribute or begin a tag', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = html`<a title="${text}">`.text.slice('<a title="'.length, -2)
        return !/["'<>`]/.test(shown)
      }),
    )
  })

  test('data that looks like Html is none', () => {
    const fake = JSON.parse('{"text":"<b>"}') as Html
    expect(() => html`${fake}`.text).toThrow()
    expect(fake instanceof Html).toBe(false)
  })
})
