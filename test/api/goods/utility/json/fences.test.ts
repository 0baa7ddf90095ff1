import { describe, expect, test } from 'vitest'
import { refusalOf, repaired } from './support.ts'

const VALUE = { a: 1 }

describe('4.1 rule 8: markdown fences', () => {
  test.each([
    ['with a language', '```json\n{"a":1}\n```'],
    ['without a language', '```\n{"a":1}\n```'],
    ['tildes', '~~~json\n{"a":1}\n~~~'],
    ['four backticks', '````\n{"a":1}\n````'],
    ['a longer closing fence', '```\n{"a":1}\n`````'],
    ['an info string', '```json title="x.json"\n{"a":1}\n```'],
    ['CRLF, with text around', 'Here:\r\n```json\r\n{"a":1}\r\n```\r\nDone.\r\n'],
    ['indented', '1. This:\n   ```json\n   {"a":1}\n   ```'],
    ['text around', 'Use {x} or "y":\n```json\n{"a":1}\n```\nThat {is} all.'],
    ['not closed', '```json\n{"a":1}\n'],
    ['closed only', '{"a":1}\n```'],
    ['closed on the line of the value', '```json\n{"a":1}```'],
    ['on one line', '```json {"a":1} ```'],
    ['inline code', '`{"a":1}`'],
    ['inside a quote', '> ```json\n> {"a":\n> 1}\n> ```'],
    ['beside a block that is not JSON', '```bash\nls [a]\n```\n```json\n{"a":1}\n```'],
    ['with damage inside', "```python\n{'a': 1, # one\n}\n```"],
  ])('%s', (_, text) => {
    expect(repaired(text).value).toEqual(VALUE)
    expect(repaired(text).changes.map(({ kind }) => kind)).toContain('code_fence')
  })

  test('three backticks inside a block of four, and in the middle of a line, close nothing', () => {
    expect(repaired('````\n{"a":"```"}\n````').value).toEqual({ a: '```' })
    expect(repaired('```json\n{"a":"x ``` y"}\n```').value).toEqual({ a: 'x ``` y' })
    expect(repaired('````\n{"a":"\n```\n"}\n````').value).toEqual({ a: '\n```\n' })
  })

  test('a fence with an info string closes nothing', () => {
    expect(repaired('```\n{"a":"\n```js\n"}\n```').value).toEqual({ a: '\n```js\n' })
  })

  test.each([
    ['nothing inside', '```json\n```', 'empty'],
    ['white space inside', '```\n \n```', 'empty'],
    ['prose inside', '```\nsome text\n```', 'bare_word'],
    ['YAML inside', '```yaml\na: 1\n```', 'bare_word'],
    ['two blocks that are JSON', '```\n[1]\n```\n```\n[2]\n```', 'several_documents'],
    ['two blocks, none JSON', '```\nx\n```\n```\ny\n```', 'not_json'],
    ['a line break inside a string of a quoted block', '> ```\n> ["a\n> b"]\n> ```', 'mixed_quotes'],
    ['a quote mark inside a line of a quoted block', '> ```\n> [1, > 2]\n> ```', 'not_json'],
    ['text around bare JSON', 'Here it is: {"a":1}', 'bare_word'],
  ])('refused: %s', (_, text, reason) => {
    expect(refusalOf(text)?.[0]).toBe(reason)
  })
})
