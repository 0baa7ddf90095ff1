import { describe, expect, test } from 'vitest'
import type { Content } from '../../../api/pages/content/content.ts'
import { contentHtml } from '../../../api/pages/content/html.ts'
import { inlineHtml, plainText } from '../../../api/pages/content/inline.ts'
import { contentJson } from '../../../api/pages/content/json.ts'
import { contentMarkdown } from '../../../api/pages/content/markdown.ts'
import { html } from '../../../api/pages/html.ts'

describe('a text of ours, in HTML', () => {
  test.each([
    ['plain < & >', 'plain &lt; &amp; &gt;', 'plain < & >'],
    ['send `{"a": 1}` now', 'send <code>{&quot;a&quot;: 1}</code> now', 'send {"a": 1} now'],
    ['see [errors](/errors#busy).', 'see <a href="/errors#busy">errors</a>.', 'see errors.'],
    ['**never** twice', '<strong>never</strong> twice', 'never twice'],
    ['`<b>`', '<code>&lt;b&gt;</code>', '<b>'],
    ['cards[5], card (one)', 'cards[5], card (one)', 'cards[5], card (one)'],
    ['', '', ''],
  ])('%s', (text, asHtml, asPlain) => {
    expect(inlineHtml(text).text).toBe(asHtml)
    expect(plainText(text)).toBe(asPlain)
  })
})

const content: Content = {
  lead: ['About `this`.'],
  sections: [
    {
      id: 'one',
      title: 'One',
      blocks: [
        { p: 'Words.' },
        { list: ['first', 'second'] },
        { steps: ['do', 'then'] },
        { table: { caption: 'Rows', head: ['Name', 'Says'], rows: [['`x`', 'a | b']], ids: ['x'] } },
        { code: 'curl "$A"\n', language: 'sh', name: 'Run' },
        { widget: html`<form></form>` },
      ],
    },
    { id: 'box', title: 'Box', blocks: [{ widget: html`<form></form>` }] },
  ],
}

describe('one content, three forms', () => {
  const page = contentHtml(content, 'Title', html``).text

  test('HTML: each cell knows its column, each row its place, code can be reached by the keyboard', () => {
    expect(page).toContain(
      '<tr id="x"><th scope="row"><code>x</code></th><td data-label="Says" class="short">a | b</td></tr>',
    )
    expect(page).toMatch(
      /<pre tabindex="0" role="region" aria-label="Run"[^>]*><code>curl &quot;\$A&quot;\n<\/code>/,
    )
    expect(page).toContain('<section id="one" aria-labelledby="h-one"><h2 id="h-one">One</h2>')
  })

  test('a short page has no list of its sections, a longer one has', () => {
    const [section] = content.sections
    const sections = ['a', 'b', 'c'].map((id) => ({ ...section!, id }))
    expect(page).not.toContain('On this page')
    expect(contentHtml({ ...content, sections }, 'Title', html``).text).toContain('<a href="#b">One</a>')
  })

  describe('what is folded', () => {
    const fold = { id: 'net', heading: '`GET /net`', note: 'Net', blocks: [{ p: 'Cents left.' }] }
    const folded: Content = { lead: [], sections: [{ id: 'one', title: 'One', blocks: [{ fold }] }] }

    test('HTML: the place to link to is inside, so that a link opens it', () => {
      expect(contentHtml(folded, 'Title', html``).text).toContain(
        '<details class="fold"><summary><h3><code>GET /net</code></h3> <span>Net</span></summary><div id="net">\n<p>Cents left.</p>\n</div></details>',
      )
    })

    test('markdown and JSON have all of it', () => {
      expect(contentMarkdown(folded, 'Title', '')).toContain('### `GET /net`\n\nNet.\n\nCents left.\n')
      expect(contentJson(folded).sections[0]!.blocks).toEqual([fold])
    })
  })

  test('markdown: a bar in a cell is no cell, what needs a script is left out', () => {
    expect(contentMarkdown(content, 'Title', 'Mode: live.')).toBe(
      '# Title\n\nAbout `this`.\n\nMode: live.\n\n## One\n\nWords.\n\n- first\n- second\n\n1. do\n2. then\n\nRows\n\n| Name | Says |\n| --- | --- |\n| `x` | a \\| b |\n\nRun\n\n```sh\ncurl "$A"\n\n```\n',
    )
  })

  test('JSON: rows by the names of their columns', () => {
    expect(contentJson(content).sections[0]!.blocks).toContainEqual({
      table: 'Rows',
      rows: [{ Name: '`x`', Says: 'a | b' }],
    })
  })
})
