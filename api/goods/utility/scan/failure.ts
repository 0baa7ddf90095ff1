/** Which part of a system a failure lies in. */
export const AREAS = ['payment', 'host', 'database', 'network', 'access', 'request', 'code'] as const
export type Area = (typeof AREAS)[number]

/**
 * One kind of failure: the words real programs say it with (small letters; letters and digits at their ends do not run
 * on), the HTTP statuses and SQLSTATEs that say it, and what to do next.
 */
export type Failure = {
  name: string
  area: Area
  retryable: boolean // may the same thing succeed later, unchanged?
  next: string
  says: readonly string[]
  statuses?: readonly number[]
  sqlStates?: readonly string[]
}

/** Words of a table, one phrase between bars or line ends. */
export const said = (table: string): readonly string[] =>
  table
    .split(/[|\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '')
