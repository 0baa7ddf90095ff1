/** Longer than any name of ours, in UTF-16 units. */
const MAX_NAME = 64
const MAX_NAMES = 3

/** A name that a caller made up, as a refusal repeats it: a bounded one, and text that every JSON reader takes. */
export const shownName = (name: string): string =>
  (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name).toWellFormed()

/** The first of several such names, and how many more there are. */
export function listedNames(names: readonly string[]): string {
  const said = names.slice(0, MAX_NAMES).map(shownName).join(', ')
  return names.length > MAX_NAMES ? `${said} and ${names.length - MAX_NAMES} more` : said
}
