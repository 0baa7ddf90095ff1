import { isAlnumAt } from '../pii/finder.ts'
import type { Failure } from './failure.ts'
import { FAILURES } from './failures.ts'
import type { Lines } from './lines.ts'

/** A place in the sample that speaks for a kind of failure. */
export type Evidence = { failure: Failure; offset: number }

/** A status is one where a program says so: `HTTP/1.1" 503`, `status=429`, `responded with 500`, `code: 402`. */
const STATUS =
  /(?:http\/[123](?:\.[01])?"? |status(?: ?code|_code)?["']? ?[:=]? ?|" |code["']? ?[:=] ?|responded with |response |returned |error |http |request failed with status code )\(?([45][0-9]{2})(?![0-9.])/g

const BY_STATUS: ReadonlyMap<number, Failure> = new Map(
  FAILURES.flatMap((failure) =>
    (failure.statuses ?? []).map((status): [number, Failure] => [status, failure]),
  ),
)
const CLIENT_ERROR = FAILURES.find(({ name }) => name === 'bad_request') as Failure
const SERVER_ERROR = FAILURES.find(({ name }) => name === 'server_error') as Failure

/** Words of a line that only reports: what it names did not happen, or is a setting. */
const QUIET = /\b(?:info|debug|trace|verbose|notice)\b|"level": ?[123]0\b/
const LOUD =
  /error|fail|exception|fatal|refused|denied|critical|panic|timed out|warn|exceeded|reject|unable|cannot|could not|" [45][0-9]{2} /
const MAX_HEAD = 96 // the level of a line stands at its front
const MAX_LINE = 2_048

/** Everything in the sample that speaks for a failure. @param text in small letters, as its lines */
export function evidenceIn(text: string, lines: Lines): Evidence[] {
  const found: Evidence[] = []
  const quiet = new Map<number, boolean>()
  for (const failure of FAILURES)
    for (const words of failure.says)
      for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length))
        if (standsAlone(text, at, at + words.length) && !isQuiet(at)) found.push({ failure, offset: at })
  for (const match of text.matchAll(STATUS)) {
    const status = Number(match[1])
    const failure = BY_STATUS.get(status) ?? (status < 500 ? CLIENT_ERROR : SERVER_ERROR)
    if (!isQuiet(match.index)) found.push({ failure, offset: match.index })
  }
  return found

  function isQuiet(offset: number): boolean {
    const line = lines.lineAt(offset)
    const known = quiet.get(line)
    if (known !== undefined) return known
    const said = lines.textAt(offset).slice(0, MAX_LINE)
    const isIt = QUIET.test(said.slice(0, MAX_HEAD)) && !LOUD.test(said)
    quiet.set(line, isIt)
    return isIt
  }
}

const standsAlone = (text: string, start: number, end: number): boolean =>
  !(isAlnumAt(text, start) && isAlnumAt(text, start - 1)) &&
  !(isAlnumAt(text, end - 1) && isAlnumAt(text, end))
