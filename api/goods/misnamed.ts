import { z } from 'zod'
import { shownName } from '../problems/names.ts'
import type { Sellable } from './good.ts'

/** What others call these parameters. */
const MISNOMERS: Readonly<Record<string, readonly string[]>> = {
  q: ['query', 'search', 'topic', 'keyword', 'keywords', 'text'],
  since: ['after', 'cursor', 'from', 'lasteventid', 'last-event-id', 'last_event_id'],
  topic: ['topics', 'channel', 'channels'],
  window: ['period', 'interval', 'range', 'timeframe'],
}

/**
 * Finds a name that must be meant for a parameter that was not given. If it were ignored as unknown names are, the read
 * would be sold without the parameter and answer something else for the same money.
 * @returns what to say about the first such name; null: there is none
 */
export function misnamed(known: readonly string[], given: Iterable<string>): string | null {
  const names = [...given]
  const absent = known.filter((name) => !names.includes(name))
  for (const name of names) {
    if (known.includes(name)) continue
    const spelling = spellingOf(name)
    const meant = absent.find(
      (each) => spelling === each.toLowerCase() || MISNOMERS[each]?.includes(spelling),
    )
    if (meant !== undefined) return `${shownName(name)}: is not a parameter here; ${meant} is`
  }
  return null
}

/** In small letters, without what HTML, a second question mark, a stray blank or the list of another language leaves around a name. */
const spellingOf = (name: string): string => {
  const lower = name.toLowerCase()
  return /^(?:amp;|[^a-z0-9_])*([a-z0-9_]+(?:-[a-z0-9_]+)*)(?:\[|[^a-z0-9_]*$)/.exec(lower)?.[1] ?? lower
}

/** The same for a payload that is paid for: its names are those of the input, where that is a plain object. */
export function misnamedIn({ input }: Pick<Sellable<unknown>, 'input'>, payload: object): string | null {
  const schema: z.ZodType = input
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  return misnamed(names, Object.keys(payload))
}
