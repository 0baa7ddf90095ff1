import type { Good } from './good.ts'

/** What others call these parameters. */
const MISNOMERS: Readonly<Record<string, readonly string[]>> = {
  q: ['query', 'search', 'topic', 'keyword', 'keywords', 'text'],
  window: ['period', 'interval', 'range', 'timeframe'],
}

/**
 * A name that must be meant for a parameter which was not given: overlooked as unknown names are, the read would be sold
 * without it, and answer something else for the same money.
 * @returns what to say of the first such name; null: there is none
 */
export function misnamed({ parameters }: Pick<Good<unknown>, 'parameters'>, given: Iterable<string>) {
  const names = [...given]
  const absent = parameters.map(({ name }) => name).filter((name) => !names.includes(name))
  for (const name of names) {
    const spelling = name.toLowerCase()
    const meant = absent.find((known) => spelling === known || MISNOMERS[known]?.includes(spelling))
    if (meant !== undefined) return `${name}: is no parameter here; ${meant} is`
  }
  return null
}
