import type { Fingerprint } from './fingerprint.ts'
import type { Vocabulary } from './vocabulary.ts'

/**
 * The steps in which both questions count: then more than 89 is 90 or more. Tenths are tenths of per cent; points are
 * per cent without the sign.
 */
export type Step = 'ones' | 'halves' | 'tenths' | 'points' | null

/** Statistics that are published in per cent with one decimal. */
const TO_TENTHS = new Set('cpi ppi pce unemployment'.split(' '))
/** Averages of polls, of which the sign is left out, see SHARES. */
const TO_POINTS = new Set('approval disapproval'.split(' '))
const FRACTIONS = /\b(?:fantasy|rating|average|per|percentage|era|minutes?|seconds?|price|odds)\b/i
const FAHRENHEIT = /[°º]\s?F\b|\bfahrenheit\b/i

/** The steps that the numbers of two questions come in; null where nothing says that they come in steps. */
export function stepOf(a: Fingerprint, b: Fingerprint, vocabulary: Vocabulary): Step {
  const says = (is: (word: string) => boolean) =>
    [a, b].every(({ core }) => core.some((id) => is(vocabulary.words[id]!)))
  const text = `${a.market.title} | ${b.market.title} | ${b.market.outcome ?? ''}`
  if (says((word) => word === 'seat' || word === 'rottentomatoes')) return 'ones'
  //  stations report whole degrees Fahrenheit, but tenths of degrees Celsius
  if (says((word) => word === 'temperature') && FAHRENHEIT.test(text)) return 'ones'
  if (says((word) => TO_TENTHS.has(word))) return 'tenths'
  if (says((word) => TO_POINTS.has(word))) return 'points'
  //  goals, points and yards of one game; an average of them need not be whole
  return b.ticker?.isGame === true && !FRACTIONS.test(text) ? 'halves' : null
}

/** The thresholds as the least and the most that come true: counted in ones, `>89` is `>=90`. */
export function inSteps(facts: readonly string[], step: Step): readonly string[] {
  if (step === null || facts.length === 0) return facts
  return [...new Set(facts.map((fact) => inStep(fact, step)))]
}

/** The same for one threshold; unchanged where it is none, or lies between two steps. */
export function inStep(fact: string, step: Exclude<Step, null>): string {
  const found = /^([<>])(-?\d+(?:\.\d+)?)(%?)$/.exec(fact)
  if (found === null) return fact
  const [, sign, digits, unit] = found as unknown as [string, string, string, string]
  if ((step === 'tenths') !== (unit === '%')) return fact
  //  only a line that no count can meet; at a whole number venue B may mean either
  if (step === 'halves' && !digits.endsWith('.5')) return fact
  const scale = scaleOf(step)
  const scaled = Number((Number(digits) * scale).toPrecision(12))
  if (scale === 10 && !Number.isInteger(scaled)) return fact
  const next = sign === '>' ? Math.floor(scaled) + 1 : Math.ceil(scaled) - 1
  return `${sign}=${next / scale}${unit}`
}

const scaleOf = (step: Step): number => (step === 'tenths' || step === 'points' ? 10 : 1)

/** Is the one threshold the step right above the other: 51 or more, 50 or fewer? */
export function areNeighbours(x: string, y: string, step: Step): boolean {
  if (step === null) return false
  const [low, high] = x.startsWith('<') ? [x, y] : [y, x]
  const [most, least] = [/^<=(-?[\d.]+)(%?)$/.exec(low), /^>=(-?[\d.]+)(%?)$/.exec(high)]
  if (most === null || least === null || most[2] !== least[2] || (step === 'tenths') !== (most[2] === '%'))
    return false
  const scale = scaleOf(step)
  return Math.round(Number(least[1]) * scale) - Math.round(Number(most[1]) * scale) === 1
}
