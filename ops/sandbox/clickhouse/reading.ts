import { type QueryError, refuse } from './errors.ts'
import type { Setting } from './settings.ts'
import { namesIn } from './statement.ts'

/**
 * What the analyst may not name although it only reads. Grants refuse most of it; these are what the embedded
 * engine, other than a server, neither grants nor confines: functions that read any file or call other machines,
 * and stack traces (they interrupt every thread).
 */
const REFUSED_NAMES: ReadonlySet<string> = new Set([
  'file',
  'catboostEvaluate',
  'hasColumnInTable',
  'reverseDNSQuery',
  'showCertificate',
  'aiClassify',
  'aiEmbed',
  'aiExtract',
  'aiGenerate',
  'aiTranslate',
  'stack_trace',
])

/**
 * Table functions that make rows out of nothing, or of tables the analyst is granted. All others are refused, such
 * as `eval`, which would run text that nobody has looked at.
 */
const ALLOWED_TABLE_FUNCTIONS: ReadonlySet<string> = new Set([
  'generaterandom',
  'generateseries',
  'generate_series',
  'merge',
  'null',
  'numbers',
  'numbers_mt',
  'primes',
  'values',
  'view',
  'viewifpermitted',
  'viewexplain',
  'zeros',
  'zeros_mt',
  'format', // by these two names there are harmless functions too; the table functions are not granted
  'fuzzquery',
])

/**
 * @param canonical the statement as the engine's parser prints it: no comments, no odd quotes, no escapes in names.
 *   A name counts wherever it stands, since functions can be passed by name (`APPLY file`, `arrayMap(file, …)`).
 * @param params of the request: `{p:Identifier}` puts a name where the statement shows none.
 * @param tableFunctions all that the engine knows, lower case.
 */
export function refuseReading(
  canonical: string,
  params: Setting[],
  tableFunctions: ReadonlySet<string>,
): QueryError | null {
  for (const { name, called } of namesIn(canonical)) {
    const tableFunction = name.toLowerCase()
    const refused =
      REFUSED_NAMES.has(name) ||
      (called && tableFunctions.has(tableFunction) && !ALLOWED_TABLE_FUNCTIONS.has(tableFunction))
    if (refused) return refuseName(name)
  }
  if (!/:\s*Identifier\s*\}/.test(canonical)) return null
  for (const [, value] of params)
    if (!/^[\w.]*$/.test(value) || value.split('.').some((part) => REFUSED_NAMES.has(part)))
      return refuseName(value.slice(0, 64))
  return null
}

const refuseName = (name: string): QueryError =>
  refuse('ACCESS_DENIED', `analyst: Not enough privileges: ${name} is not allowed.`)
