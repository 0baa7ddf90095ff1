/** Stands between the title of a describe and that of a test in it: `describe › test`. */
const WITHIN = ' › '
const ANY_SKIP = /\b(?:test|it|describe)\.(?:skip|todo|only|fails)\b/
/** `test('`, `test.skipIf(…)('`, and the end of `test.each(…)('`. */
const TEST = '(?:\\b(?:test|it)(?:\\.(?:skipIf|runIf)\\([^\\n]*?\\))?|\\))\\(\\s*'
const GROUP = '\\bdescribe(?:\\.(?:skipIf|runIf)\\([^\\n]*?\\))?\\(\\s*'
const NEXT_GROUP = /\ndescribe\b/

const quoted = (title: string): string =>
  `(['"\`])${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", "\\\\?'")}\\1\\s*,`

/** Whether a source has a test of this title, inside the describe if the title is `describe › test`. Pure. */
export function hasTest(source: string, path: string): boolean {
  const parts = path.split(WITHIN)
  const title = parts.pop()!
  let rest = source
  for (const group of parts) {
    const found = new RegExp(GROUP + quoted(group)).exec(rest)
    if (found === null) return false
    rest = rest.slice(found.index + found[0].length)
    rest = rest.slice(0, NEXT_GROUP.exec(rest)?.index)
  }
  return new RegExp(TEST + quoted(title)).test(rest)
}

/** Whether a source skips a test unconditionally, or runs only one. */
export const skips = (source: string): boolean => ANY_SKIP.test(source)

/** What a section of the specification says: a row of a table, an item of a list, or a sentence is one sentence. Pure. */
export function sentencesOf(spec: string, section: string): string[] {
  const lines = spec.split('\n')
  const head = new RegExp(`^#+ ${section.replace('.', '\\.')}\\.? `)
  const rest = lines.slice(lines.findIndex((line) => head.test(line)) + 1)
  const end = rest.findIndex((line) => line.startsWith('#'))
  const body = end < 0 ? rest : rest.slice(0, end)
  const isRule = (line = '') => /^\|[-| ]+\|$/.test(line)
  return body.flatMap((line, at) => {
    if (line.trim() === '' || isRule(line) || isRule(body[at + 1])) return []
    return line.startsWith('|') ? [line] : line.replace(/^(?:-|\d+\.) /, '').split(/(?<=\.) (?=[A-Z])/)
  })
}
