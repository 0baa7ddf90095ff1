import { z } from 'zod'
import type { Sellable } from './good.ts'

/** What others call these parameters. */
const MISNOMERS: Readonly<Record<string, readonly string[]>> = {
  q: ['query', 'search', 'topic', 'keyword', 'keywords', 'text'],
  since: ['after', 'cursor', 'from', 'lasteventid', 'last-event-id', 'last_event_id'],
  topic: ['topics', 'channel', 'channels'],
  window: ['period', 'interval', 'range', 'timeframe'],
}

/**
 * A name that must be meant for a parameter which was not given: overlooked as unknown names are, the read would be sold
 * without it, and answer something else for the same money.
 * @returns what to say of the first such name; null: there is none
 */
export function misnamed(known: readonly string[], given: Iterable<string>): string | null {
  const names = [...given]
  const absent = known.filter((name) => !names.includes(name))
  for (const name of names) {
    if (known.includes(name)) continue
    const spelling = name.toLowerCase()
    const meant = absent.find(
      (each) => spelling === each.toLowerCase() || MISNOMERS[each]?.includes(spelling),
    )
    if (meant !== undefined) return `${name}: is no parameter here; ${meant} is`
  }
  return null
}

/** The same of a payload that is to be paid for: it has the names of the input itself, where that is a plain object. */
export function misnamedIn({ input }: Pick<Sellable<unknown>, 'input'>, payload: object): string | null {
  const schema: z.ZodType = input
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  return misnamed(names, Object.keys(payload))
}
