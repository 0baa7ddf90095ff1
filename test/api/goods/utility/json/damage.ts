import fc from 'fast-check'

/** Any JSON value whose strings are whole characters. */
export const wellFormedJson = fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' })

/** Pieces that are awkward next to each other. */
const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  "'",
  '“',
  '”',
  '‘',
  '’',
  '`',
  '```',
  '```json\n',
  '\n',
  '\r\n',
  ' ',
  '\t',
  '//',
  '/*',
  '*/',
  '#',
  '\\',
  '\\"',
  "\\'",
  '\\u0041',
  '\\x41',
  '\\ud83d\\ude00',
  '\u00a0',
  '\ufeff',
  '> ',
  'a',
  '"a"',
  "'b'",
  'é',
  'c-d',
  '1',
  '0',
  '-',
  '+',
  '.',
  '.5',
  '6.',
  'e1',
  '1e400',
  '12345678901234567890',
  'true',
  'null',
  'True',
  'False',
  'None',
  '"a":',
  'b:',
  '__proto__:',
  '{"k":1}',
  '{"k" 1}',
  '"\n"',
  '["v"]',
  "{'q': True,}",
]

/** Text near JSON: pieces of it in any order, sometimes inside brackets or a block. */
export const brokenText = fc
  .tuple(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }),
    fc.constantFrom(
      ['', ''],
      ['[', ']'],
      ['{', '}'],
      ['{"x":', '}'],
      ['["y",', ']'],
      ['```\n', '\n```'],
      ['[', ''],
    ),
  )
  .map(([pieces, [before, after]]) => before + pieces.join('') + after)

/** Contains everything that could end a value. */
const COMMENT = '/* , ] } " */'

/** Which damage is done; each is undone by a named change. */
const Damage = fc.record({
  single: fc.boolean(),
  unquoted: fc.boolean(),
  python: fc.boolean(),
  trailing: fc.boolean(),
  comment: fc.constantFrom('', COMMENT, '// it\'s "x" ]\n', '# {"z":0}\n'),
  space: fc.constantFrom('', ' ', '\n', '\u00a0'),
  frame: fc.constantFrom<[string, string]>(
    ['', ''],
    ['```json\n', '\n```'],
    ['Here {it} is:\n~~~\n', '\n~~~\nDone.'],
  ),
  comma: fc.constantFrom(',', ',', '\n'), // a line break: the comma is missing
})
type Damage = typeof Damage extends fc.Arbitrary<infer Value> ? Value : never

/** A value, and a text of it with damage of the named kinds at every place. */
export const damaged = fc.tuple(wellFormedJson, Damage).map(([value, damage]) => ({
  value: JSON.parse(JSON.stringify(value)) as unknown,
  text: damage.frame[0] + write(value, damage) + damage.frame[1],
}))

function write(value: unknown, damage: Damage): string {
  const blank = damage.space + damage.comment
  const join = (open: string, items: string[], close: string): string =>
    open +
    blank +
    items.join(blank + (open === '[' && items.some(mayGoOn) ? ',' : damage.comma) + blank) +
    (items.length > 0 && damage.trailing ? ',' : '') +
    blank +
    close
  if (Array.isArray(value))
    return join(
      '[',
      value.map((item) => write(item, damage)),
      ']',
    )
  if (typeof value === 'object' && value !== null)
    return join(
      '{',
      Object.entries(value).map(
        ([name, item]) => `${writeName(name, damage)}${blank}:${blank}${write(item, damage)}`,
      ),
      '}',
    )
  if (typeof value === 'string') return writeString(value, damage)
  const text = JSON.stringify(value)
  return damage.python ? ({ true: 'True', false: 'False', null: 'None' }[text] ?? text) : text
}

/** A string that ends in white space and a string on the next line may be one string. */
const mayGoOn = (item: string): boolean => /(?:\s|\\[nrt])["']$/.test(item)

const writeName = (name: string, damage: Damage): string =>
  damage.unquoted && /^[a-z_$][\w$]*$/i.test(name) ? name : writeString(name, damage)

const writeString = (text: string, { single }: Damage): string =>
  single
    ? `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : JSON.stringify(text)

/** The same without what jsonrepair does not know or reads differently: hash comments, odd spaces, framing text. */
export const damagedAsTheyKnow = fc.tuple(wellFormedJson, Damage).map(([value, damage]) => {
  const known: Damage = {
    ...damage,
    comment: damage.comment === '' ? '' : COMMENT,
    space: damage.space === '\u00a0' ? ' ' : damage.space,
    frame: ['', ''],
    comma: ',',
  }
  return { value: JSON.parse(JSON.stringify(value)) as unknown, text: write(value, known) }
})
