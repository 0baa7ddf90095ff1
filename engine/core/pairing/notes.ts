/**
 * Splits off what asks nothing: "Name:: party", ":: Current incumbent: X", and notes the other venue leaves out, such
 * as who made a song or which series a role is from.
 * @returns the question or name, and the note; '' when there is none.
 */
export function withoutNote(text: string): [string, string] {
  const at = text.indexOf('::')
  if (at !== -1) return [text.slice(0, at), text.slice(at + 2).replace(/current incumbent:.*$/i, '')]
  const inChart = text.includes(' - ') && /\bbillboard\b/i.test(text)
  const found = inChart ? CREDIT.exec(text) : text.includes(' as ') ? ROLE.exec(text) : null
  if (found === null || VERSION.test(found[2]!)) return [text, '']
  return [text.replace(found[0], () => found[1]!), found[2]!]
}

/** `"Song - Artist"` in a question about a chart. */
const CREDIT = /("[^"]+?) - ([^"]+)(?=")/
/** `Actor as Role (Series)` */
const ROLE = /( as [^()?]+?) \(([^()]+)\)/
/** Words that distinguish two works, and so are no credit. */
const VERSION = /\b(?:part|vol|volume|deluxe|remix|live|version|edition|acoustic|remaster\w*)\b/i
