import { isAlnumAt } from '../pii/finder.ts'
import { occurrences } from '../text/occurrences.ts'
import type { Failure } from './failure.ts'
import { FAILURES } from './failures.ts'
import type { Lines } from './lines.ts'
import { withoutZeroCounts } from './zeroCounts.ts'

/** A place in the sample that speaks for a kind of failure. */
export type Evidence = { failure: Failure; offset: number }

/**
 * A number counts as a status only where a program says so: `HTTP/1.1" 503`, `GET /a 503`, `status=429`, `responded
 * with 500`, `code: 402`, Rails' `Completed 410 Gone in 5ms`; and in the words of HTTP clients: `RateLimitError: 429`,
 * `returned error: 503`, `Client error '410 Gone'`. `KeyError: 404` names a key.
 */
const STATUS =
  /(?:http\/[123](?:\.[01])?"? |status(?: ?code|_code)?["']? ?[:=]? ?|" |code["']? ?[:=] ?|responded with |response |returned |error |http |request failed with status code |\b(?:get|post|put|patch|delete|head|options) \/\S{0,200} |(?<!key|value|type|index|range|lookup|assertion)error: |(?:client|server)errorexception: |(?:client|server) error '|failed: |resulted in a `|indicate success: |error occurred |npm err! |npm err(?:or|!) code e|unexpected status from [a-z]{3,7} request to \S{1,200}: |completed (?=[45][0-9]{2} (?:[a-z -]{1,40} )?in [0-9]{1,9}ms))\(?([45][0-9]{2})(?![\w%]|\.[0-9])/g
const MAX_THING = 24
/** What follows a number that is a count and no status: a unit, or what is counted. */
const COUNTED =
  /^(?:,[0-9]{3}){0,3} (?:[mun]?s|secs?|seconds?|millis|milliseconds?|minutes?|hours?|[kmgt]i?b|bytes?|bits?|chars?|characters?|tokens?|rows?|items?|results?|records?|entries|requests?|times)(?![\w=:])/
/** A table of statuses, and how often each was: `404=0`, `status=404 count=0`. */
const TALLY = /^(?:=[0-9]| count=0\b)/
/** After `completed`, `returned`, `response` and a colon a count is as likely as a status: there any plural and a thousands comma make it a count. */
const WEAK = /^(?:completed |re(?:turned|sponse) |(?:error|failed): )/
const PLURAL =
  /^(?:,[0-9]{3}(?![0-9])|(?! (?:errors|responses|always|does|means|requires|indicates|exceeds)\b) [a-z]{1,20}[b-hj-rtv-z]s(?![\w=:]))/

/**
 * Five characters are an SQLSTATE only where a program calls them that: `SQLSTATE[40001]`, `code: '40001'`, `ERROR 1213
 * (40001)`.
 */
const SQL_STATE = /\b(?:sqlstate|code|error [0-9]{4})["']?[ :=]{0,3}[[(]?["']?([0-9a-z]{5})(?!\w)/g

const BY_STATUS: ReadonlyMap<number, Failure> = new Map(
  FAILURES.flatMap((failure) =>
    (failure.statuses ?? []).map((status): [number, Failure] => [status, failure]),
  ),
)
const BY_SQL_STATE: ReadonlyMap<string, Failure> = new Map(
  FAILURES.flatMap((failure) =>
    (failure.sqlStates ?? []).map((state): [string, Failure] => [state, failure]),
  ),
)
const CLIENT_ERROR = FAILURES.find(({ name }) => name === 'bad_request')!
const SERVER_ERROR = FAILURES.find(({ name }) => name === 'server_error')!

/** The level of a line that only reports: what it mentions is a setting, or did not happen. */
const QUIET = /\b(?:info|debug|trace|verbose|notice)\b|"level": ?[123]0\b/
/** Words that make a line of such a level evidence all the same. */
const LOUD =
  /error|fail|exception|fatal|refused|denied|critical|panic|timed out|warn|exceeded|reject|unable|cannot|could not|" [45][0-9]{2} /
const MAX_HEAD = 96 // the level is at the start of a line
const MAX_LINE = 2_048

/** Everything in the sample that speaks for a failure. @param text in lower case, and so its lines */
export function evidenceIn(text: string, lines: Lines): Evidence[] {
  const found: Evidence[] = []
  const quiet = new Map<number, boolean>()
  for (const failure of FAILURES) {
    for (const phrase of failure.says)
      for (const at of occurrences(text, phrase))
        if (standsAlone(text, at, at + phrase.length) && !isQuiet(at)) found.push({ failure, offset: at })
    for (const shown of failure.shows ?? [])
      for (const { index } of text.matchAll(shown))
        if (!isQuiet(index)) found.push({ failure, offset: index })
  }
  for (const match of text.matchAll(STATUS)) {
    const status = Number(match[1])
    const failure = BY_STATUS.get(status) ?? (status < 500 ? CLIENT_ERROR : SERVER_ERROR)
    if (!isCount(text, match) && (isStated(text, match) || !isQuiet(match.index)))
      found.push({ failure, offset: match.index })
  }
  for (const match of text.matchAll(SQL_STATE)) {
    const failure = BY_SQL_STATE.get(match[1]!)
    if (failure !== undefined && !isQuiet(match.index)) found.push({ failure, offset: match.index })
  }
  return found

  function isQuiet(offset: number): boolean {
    const line = lines.lineAt(offset)
    const known = quiet.get(line)
    if (known !== undefined) return known
    const start = lines.textAt(offset).slice(0, MAX_LINE)
    const isReport = QUIET.test(start.slice(0, MAX_HEAD)) && !LOUD.test(withoutZeroCounts(start))
    quiet.set(line, isReport)
    return isReport
  }
}

/** Requests are logged as information whatever became of them: a field or a printed request states it on any line. */
const STATED = /^(?:status(?: ?code|_code)?["']? ?[:=]|(?:get|post|put|patch|delete|head|options) \/)/
const isStated = (text: string, { 0: said, index }: RegExpExecArray): boolean =>
  STATED.test(said) && !/[\w-]/.test(text[index - 1] ?? ' ')

function isCount(text: string, { 0: said, index }: RegExpExecArray): boolean {
  const behind = text.slice(index + said.length, index + said.length + MAX_THING)
  return COUNTED.test(behind) || TALLY.test(behind) || (WEAK.test(said) && PLURAL.test(behind))
}

const standsAlone = (text: string, start: number, end: number): boolean =>
  !(isAlnumAt(text, start) && isAlnumAt(text, start - 1)) &&
  !(isAlnumAt(text, end - 1) && isAlnumAt(text, end))
