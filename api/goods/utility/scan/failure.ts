/** Which part of a system a failure lies in. */
export const AREAS = ['payment', 'host', 'database', 'network', 'access', 'request', 'code'] as const
export type Area = (typeof AREAS)[number]

/**
 * One kind of failure: the phrases programs report it with (lower case, matched as whole words), what they print with a
 * number in it, the HTTP statuses and SQLSTATEs that mean it, and what to do next.
 */
export type Failure = {
  name: string
  area: Area
  retryable: boolean // may the same thing succeed later, unchanged?
  next: string
  says: readonly string[]
  shows?: readonly RegExp[] // global, over lower case, linear
  statuses?: readonly number[]
  sqlStates?: readonly string[]
}

/** The phrases of a table, separated by bars or line ends. */
export const phrases = (table: string): readonly string[] =>
  table
    .split(/[|\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '')
