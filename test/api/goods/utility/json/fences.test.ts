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

  test.each([
    ['a language', 'Sure! ```json\n{"a":1}\n```'],
    ['no language', 'Sure! ```\n{"a":1}\n```'],
    ['an info string', 'Sure! ```json title="x"\n{"a":1}\n```'],
    ['CRLF', 'Sure! ```json\r\n{"a":1}\r\n```\r\n'],
    ['text behind', 'Sure! ```json\n{"a":1}\n``` Hope this helps.'],
    ['text with code behind', 'Sure! ```json\n{"a":1}\n```\nThen run ```npm i```.'],
    ['not closed', 'Sure! ```json\n{"a":1}\n'],
    ['a block at the start of a line goes first', 'Not ```[2]``` but\n```\n{"a":1}\n```'],
    ['one line', 'Sure: ```json {"a":1} ``` as asked'],
    ['one line, no blanks', 'Sure:```{"a":1}```'],
    ['four backticks', 'Sure! ````json\n{"a":1}\n````'],
    ['a block that is not JSON before', '```bash\nls\n```\ngives ```json\n{"a":1}\n```'],
    ['text that begins with a bracket', '[Note] as asked:\n```json\n{"a":1}\n```'],
    ['damage inside', "Sure! ```python\n{'a': 1,}\n```"],
  ])('a fence behind text: %s', (_, text) => {
    expect(repaired(text).value).toEqual(VALUE)
    expect(repaired(text).changes.map(({ kind }) => kind)).toContain('code_fence')
  })

  test('a fence behind text: backticks in a string end nothing when the whole is JSON', () => {
    expect(repaired('Sure! ```json\n{"a":"x ``` y"}\n```').value).toEqual({ a: 'x ``` y' })
    expect(repaired('Sure! ````json\n{"a":"```"}\n````').value).toEqual({ a: '```' })
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
    ['two that are JSON behind text', 'A ```[1]``` or ```[2]```', 'several_documents'],
    ['a scalar in the middle of a line', 'set it to ```true``` now', 'bare_word'],
    ['a shorter fence at the end', 'Sure! ````json\n{"a":1}\n```', 'bare_word'],
    ['text around bare JSON', 'Here it is: {"a":1}', 'bare_word'],
    [
      'a block inside a string of a document',
      '{"reply":"Use:\n```json\n[1, 2]\n```\n", "score":NaN}',
      'bare_word',
    ],
    [
      'a fence inside a string of a document',
      '{"reply":"use ```json [1]```", "score":undefined}',
      'bare_word',
    ],
    ['a block that breaks the string around it', '{"reply":"Use:\n```\n{"a":1}\n```\n"}', 'comma_missing'],
  ])('refused: %s', (_, text, reason) => {
    expect(refusalOf(text)?.[0]).toBe(reason)
  })
})
