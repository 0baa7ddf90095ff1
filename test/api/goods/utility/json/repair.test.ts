import { describe, expect, test } from 'vitest'
import { kindsOf, repaired } from './support.ts'

describe('4.1 rule 8: each repair that is named, alone', () => {
  test.each([
    ['comment //', '{"a":1 // one\n}', '{"a":1 \n}', ['comment']],
    ['comment /* */', '[1,/* , */2]', '[1,2]', ['comment']],
    ['comment #', '[1] # done', '[1] ', ['comment']],
    ['trailing comma, object', '{"a":1,}', '{"a":1}', ['trailing_comma']],
    ['trailing comma, array', '[1, ]', '[1 ]', ['trailing_comma']],
    ['trailing comma, root', '{"a":1},', '{"a":1}', ['trailing_comma']],
    ['single quotes', "['a']", '["a"]', ['quote', 'quote']],
    ['typographic quotes', '[“a”, ‘b’]', '["a", "b"]', ['quote', 'quote', 'quote', 'quote']],
    ['a double quote in single ones', `['"']`, '["\\""]', ['quote', 'escape', 'quote']],
    ['an escaped apostrophe', `["it\\'s"]`, `["it's"]`, ['escape']],
    ['unquoted key', '{a_$1:1}', '{"a_$1":1}', ['unquoted_key']],
    ['unquoted key, letters of any script', '{ключ:1}', '{"ключ":1}', ['unquoted_key']],
    ['unquoted key that is a constant', '{True:null}', '{"True":null}', ['unquoted_key']],
    ['numeric key', '{1:2}', '{"1":2}', ['unquoted_key']],
    ['Python True', '[True]', '[true]', ['python_constant']],
    ['Python False', '[False]', '[false]', ['python_constant']],
    ['Python None', '[None]', '[null]', ['python_constant']],
    ['raw line break in a string', '["a\nb"]', '["a\\nb"]', ['control_character']],
    ['raw control character in a string', '["\u0001"]', '["\\u0001"]', ['control_character']],
    ['Python hex escape', "['\\x1b']", '["\\u001b"]', ['quote', 'escape', 'quote']],
    ['leading plus', '[+1]', '[1]', ['number_form']],
    ['leading dot', '[-.5]', '[-0.5]', ['number_form']],
    ['trailing dot', '[5.]', '[5.0]', ['number_form']],
    ['no-break space', '[\u00a01]', '[ 1]', ['white_space']],
    ['byte order mark', '\ufeff[]', ' []', ['white_space']],
    ['missing comma between members', '{"a":1 "b":2}', '{"a":1, "b":2}', ['missing_comma']],
    ['missing comma between lines', '["a"\n"b"]', '["a",\n"b"]', ['missing_comma']],
    ['missing comma between objects', '[{}{}]', '[{},{}]', ['missing_comma']],
    ['missing colon', '{"a" 1}', '{"a": 1}', ['missing_colon']],
    ['missing closers', '{"a":["b"', '{"a":["b"]}', ['missing_closer']],
    ['cut after a comma', '[1,', '[1]', ['trailing_comma', 'missing_closer']],
  ])('%s', (_, text, expected, kinds) => {
    expect(repaired(text).repaired).toBe(expected)
    expect(kindsOf(text)).toEqual(kinds)
  })

  test('all together', () => {
    const text = "// settings\n{port: 8080, # default\n hosts: ['a', 'b',], tls: {on: True, key: None,},}"
    expect(repaired(text).value).toEqual({
      port: 8080,
      hosts: ['a', 'b'],
      tls: { on: true, key: null },
    })
  })

  test('a change says what it replaces: offset, length, text', () => {
    expect(repaired('[True,]').changes).toEqual([
      { kind: 'python_constant', offset: 1, length: 4, text: 'true' },
      { kind: 'trailing_comma', offset: 5, length: 1, text: '' },
    ])
  })

  test('what is written follows its value; a comment behind it stays behind it', () => {
    expect(repaired('[1//x\n2]').repaired).toBe('[1,\n2]')
    expect(repaired('["a"\u00a0').repaired).toBe('["a"] ')
    expect(repaired('[5.\n6]').repaired).toBe('[5.0,\n6]')
  })
})

describe('4.1 rule 8, INP-04: commas inside strings stay, and so does everything else there', () => {
  test.each([
    '["a,]", ",}"]',
    '{"url":"https://x.example//y","css":"/* a */","color":"#fff"}',
    '["None of these", "True"]',
    '["it\'s", "“hi”"]',
    '["```json\\n{}\\n```"]',
    '["{a: 1,}"]',
  ])('%s is unchanged', (text) => {
    expect(repaired(text)).toMatchObject({ repaired: text, changes: [], changeCount: 0 })
  })

  test.each(Array.from({ length: 0x20 }, (_, unit) => unit))('control character %i is kept', (unit) => {
    const inside = `a${String.fromCharCode(unit)}b`
    expect(repaired(`["${inside}"]`)).toMatchObject({ value: [inside], changeCount: 1 })
  })

  test('also while something beside it is repaired', () => {
    expect(repaired(`['a,]', "b,}", {c: '// x # y /* z */ None'},]`).value).toEqual([
      'a,]',
      'b,}',
      { c: '// x # y /* z */ None' },
    ])
  })

  test('a fence inside a string with real line breaks is text, not a block', () => {
    expect(repaired('{"md":"x\n```json\n{}\n```\n"}').value).toEqual({ md: 'x\n```json\n{}\n```\n' })
  })
})

describe('INP-06 special names are own data', () => {
  test('__proto__, constructor, toString, hasOwnProperty', () => {
    const { value, repaired: text } = repaired('{__proto__:{x:1},constructor:2,toString:3,hasOwnProperty:4}')
    expect(text).toBe('{"__proto__":{"x":1},"constructor":2,"toString":3,"hasOwnProperty":4}')
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })
})
