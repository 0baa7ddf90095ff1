/** The forms of a page; the first is the default. */
export const FORMS = ['html', 'markdown', 'json'] as const
export type Form = (typeof FORMS)[number]

const TYPE_OF: Readonly<Record<Form, string>> = {
  html: 'text/html',
  markdown: 'text/markdown',
  json: 'application/json',
}

const RANGES_MAX = 32

/**
 * The form an `Accept` header prefers (RFC 9110, 12.5.1): the highest weight. Among equals what is named goes before what
 * fits a wildcard, then what comes first: programs that name a type and then anything weigh neither (axios: JSON, agents:
 * markdown), and want what they name. Last, the order of FORMS. Where it accepts none of them the answer is HTML, which the
 * RFC allows and a person can read.
 */
export function preferredForm(accept: string): Form {
  const ranges = rangesOf(accept.toLowerCase())
  let best: Form = 'html'
  let bestFit: Fit = { weight: 0, breadth: 0, place: 0 } //  what has no weight is not accepted, wherever it stands
  for (const form of FORMS) {
    const fit = fitOf(TYPE_OF[form], ranges)
    if (fit !== null && isBetter(fit, bestFit)) [best, bestFit] = [form, fit]
  }
  return best
}

/** Whether HTML is named with a higher weight than every other named form, as browsers do and programs do not. */
export function asksForHtml(accept: string): boolean {
  const wanted = namedWeight(accept, TYPE_OF.html)
  return wanted > 0 && FORMS.every((form) => form === 'html' || namedWeight(accept, TYPE_OF[form]) < wanted)
}

/** The weight of a media type that is named explicitly, 0 to 1; 0 when it is not named. */
export function namedWeight(accept: string, type: string): number {
  const named = accept.toLowerCase()
  if (!named.includes(type)) return 0
  return rangesOf(named).find((range) => range.type === type)?.weight ?? 0
}

type Range = { type: string; weight: number }

const rangesOf = (accept: string): Range[] => accept.split(',', RANGES_MAX).map(rangeOf)

function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const weight = q === undefined ? 1 : /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q) ? Number(q) : 0
  return { type, weight }
}

/** How a range fits a type: its weight, how little it says (0: it names the type), its place in the header. */
type Fit = { weight: number; breadth: number; place: number }

/** The most specific range that fits decides, whatever the others say. */
function fitOf(type: string, ranges: readonly Range[]): Fit | null {
  for (const [breadth, wanted] of [type, `${type.split('/')[0]}/*`, '*/*'].entries()) {
    const place = ranges.findIndex((each) => each.type === wanted)
    if (place !== -1) return { weight: ranges[place]!.weight, breadth, place }
  }
  return null
}

const isBetter = (fit: Fit, other: Fit): boolean =>
  (other.weight - fit.weight || fit.breadth - other.breadth || fit.place - other.place) < 0
