import { type Located, locatePii, summary } from '../pii/countPii.ts'
import type { KindName } from '../pii/kinds.ts'
import { lowerInPlace } from '../text/lower.ts'
import { type Evidence, evidenceIn } from './evidence.ts'
import type { Area, Failure } from './failure.ts'
import { FAILURES } from './failures.ts'
import { type Lines, linesOf } from './lines.ts'
import type { Scan } from './result.ts'
import { withoutZeroCounts } from './zeroCounts.ts'

const MAX_ALSO_SEEN = 12

/** Colours of terminals: their letters would run into the words. */
const COLOUR = /\u001b\[[0-9;]{0,16}[A-Za-z]/g
/** Something failed, even where no kind is known; but `error-handler`, `/errors` and `errors.test.ts` are names. */
const FAILED =
  /(?<!\/)\b(?:error|errors|exception|failed|failure|fatal|panic|traceback|critical|abort|aborted|crash|crashed)\b(?![-/]\w|(?:\.\w{1,10})?\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|log|html?|json)\b)/
/** JSON says so without any of these words; its quotes may be escaped. A reason `none` is no reason. */
const SAID_NO =
  /"(?:ok|success|isvalid)\\?" ?: ?false\b|"(?:error|invalid)reason\\?" ?: ?\\?"(?!(?:none|null|nil)\\?")\w/

const UNKNOWN_NEXT =
  'No known kind of failure: read the named line and the few before it; send a longer sample if it is cut.'
const NONE_NEXT = 'Nothing in the sample says that something failed; send the lines around the failure.'

/**
 * What failed in a log sample, what to do next, and how many sensitive-looking strings it holds. The class is the first
 * of the published order that the sample shows (of the given area first). Pure; linear; any string is read.
 */
export function scanLog(sample: string, area: Area | null = null): Scan {
  const text = sample.replace(COLOUR, '')
  const lower = lowerInPlace(text)
  const lines = linesOf(lower)
  const evidence = evidenceIn(lower, lines)
  const seen = grouped(evidence, lines)
  const preferred = [...seen].sort(
    (a, b) => Number(b.failure.area === area) - Number(a.failure.area === area),
  )
  const [named, ...others] = preferred
  const located = locatePii(text)
  return {
    ...(named === undefined ? unnamed(lower, lines) : shown(named)),
    alsoSeen: others
      .slice(0, MAX_ALSO_SEEN)
      .map(({ failure, count, line }) => ({ failureClass: failure.name, count, line })),
    sensitive: { ...summary(located), firstLine: firstLines(located, lines) },
    lines: text === '' ? 0 : lines.count,
    storedAsReport: false,
  }
}

type Seen = { failure: Failure; count: number; line: number }
type Named = Pick<Scan, 'failureClass' | 'area' | 'retryable' | 'nextAction' | 'line'>

/** One entry a kind, in the order of precedence. */
function grouped(evidence: readonly Evidence[], lines: Lines): Seen[] {
  const byFailure = Map.groupBy(evidence, ({ failure }) => failure)
  return FAILURES.flatMap((failure) => {
    const offsets = byFailure.get(failure)?.map(({ offset }) => offset)
    if (offsets === undefined) return []
    return [{ failure, count: offsets.length, line: lines.lineAt(offsets.reduce((a, b) => Math.min(a, b))) }]
  })
}

const shown = ({ failure, line }: Seen): Named => ({
  failureClass: failure.name,
  area: failure.area,
  retryable: failure.retryable,
  nextAction: failure.next,
  line,
})

function unnamed(lower: string, lines: Lines): Named {
  const found = [FAILED.exec(withoutZeroCounts(lower)), SAID_NO.exec(lower)].filter((match) => match !== null)
  return found.length === 0
    ? { failureClass: 'none', area: null, retryable: null, nextAction: NONE_NEXT, line: null }
    : {
        failureClass: 'unknown',
        area: null,
        retryable: null,
        nextAction: UNKNOWN_NEXT,
        line: lines.lineAt(Math.min(...found.map(({ index }) => index))),
      }
}

function firstLines(located: readonly Located[], lines: Lines): Partial<Record<KindName, number>> {
  const first: Partial<Record<KindName, number>> = {}
  for (const { kind, span } of located)
    first[kind] = Math.min(first[kind] ?? Infinity, lines.lineAt(span.start))
  return first
}
