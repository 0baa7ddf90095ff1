/** Rows of a CSV with names (RFC 4180): nothing without quotes is null, texts have quotes. Lists are read, too. */
export function readCsv(text: string): Record<string, unknown>[] {
  const lines: (string | null | string[])[][] = []
  let line: (string | null | string[])[] = []
  for (let at = 0; at < text.length; ) {
    let field: string | null
    if (text[at] === '"') {
      field = ''
      for (at++; ; at++) {
        if (text[at] !== '"') field += text[at]
        else if (text[at + 1] === '"') field += text[at++]
        else break
      }
      at++
    } else {
      const from = at
      while (at < text.length && text[at] !== ',' && text[at] !== '\n') at++
      field = text.slice(from, at) || null
    }
    line.push(field)
    if (text[at] !== ',' && text[at] !== '\n') throw new Error(`neither comma nor end of line at ${at}`)
    if (text[at++] === '\n') {
      lines.push(line)
      line = []
    }
  }
  const [names, ...rows] = lines
  for (const row of rows) if (row.length !== names!.length) throw new Error('a row of another length')
  return rows.map((row) =>
    Object.fromEntries(row.map((value, at) => [names![at]!, isList(names![at]) ? readList(value) : value])),
  )
}

const isList = (name: unknown) => name === 'tags' || name === 'risk_flags'

/** `['a','it\'s']` */
function readList(value: unknown): string[] {
  const text = String(value)
  const items: string[] = []
  for (let at = 1; text[at] !== ']' && at < text.length; at++) {
    if (text[at] === ',') continue
    if (text[at] !== "'") throw new Error(`no text at ${at} of ${text}`)
    let item = ''
    for (at++; text[at] !== "'"; at++) {
      if (text[at] !== '\\') item += text[at]
      else item += ESCAPES[text[++at]!] ?? text[at]
    }
    items.push(item)
  }
  return items
}
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', '0': '\0', b: '\b', f: '\f' }
