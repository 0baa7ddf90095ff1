import type { z } from 'zod'
import { listedNames } from './names.ts'

type Issue = Parameters<z.core.$ZodErrorMap>[0]

/** Pass to `safeParse`: words each fault for the caller, who has never seen our schemas. */
export const IN_WORDS: z.core.ParseContext<z.core.$ZodIssue> = { error: wordsOf }

/** @returns undefined: zod's own words will do. */
function wordsOf(issue: Issue): string | undefined {
  if (issue.code === 'invalid_union') return unionWords(issue)
  const missing = issue.input === undefined
  if (issue.code === 'invalid_value') return `${missing ? 'is needed: ' : 'must be '}${oneOf(issue.values)}`
  if (missing) return 'is needed'
  if (issue.code === 'invalid_type') return `must be ${KINDS[issue.expected] ?? issue.expected}`
  if (issue.code === 'too_big') return `must ${amount(issue.origin, 'at most', issue.maximum)}`
  if (issue.code === 'too_small')
    return issue.minimum === 1 && issue.origin !== 'number' && issue.origin !== 'int'
      ? 'must not be empty'
      : `must ${amount(issue.origin, 'at least', issue.minimum)}`
  if (issue.code === 'invalid_format' && issue.format === 'regex') return 'has the wrong form'
  if (issue.code === 'unrecognized_keys') return `does not take ${listedNames(issue.keys)}`
  return undefined
}

const KINDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
}

function unionWords(issue: Issue & { code: 'invalid_union' }): string {
  const { options } = issue as { options?: readonly unknown[] } // of a union that one field decides
  return options === undefined ? 'matches none of the described forms' : `must be ${oneOf(options)}`
}

function amount(origin: string, bound: string, value: number | bigint): string {
  const unit = { string: 'characters', array: 'items' }[origin]
  return unit === undefined ? `be ${bound} ${value}` : `have ${bound} ${value} ${unit}`
}

const oneOf = (values: readonly unknown[]) =>
  values.length === 1 ? String(values[0]) : `one of ${values.map(String).join(', ')}`

/** `field: what is wrong with it`; never its value. @param whole name of the request, if no field is to blame. */
export function firstIssue(error: z.ZodError, whole = 'body'): string {
  const issue = error.issues[0] && toBlame(error.issues[0])
  return `${issue?.path.join('.') || whole}: ${issue?.message}`
}

/** For a value that matches none of several forms: the fault in the form it is nearest to, if it is near one at all. */
function toBlame(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue
  const [nearest] = issue.errors.toSorted((a, b) => a.length - b.length)
  const [first] = nearest ?? []
  const isAnotherKind = first === undefined || (first.path.length === 0 && first.code === 'invalid_type')
  return isAnotherKind ? issue : toBlame({ ...first, path: [...issue.path, ...first.path] })
}
