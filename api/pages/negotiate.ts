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
 * The form an `Accept` header prefers (RFC 9110, 12.5.1): the highest weight, among equals the order of FORMS. Where it
 * accepts none of them the answer is HTML, which the RFC allows and a person can read.
 */
export function preferredForm(accept: string): Form {
  const ranges = rangesOf(accept.toLowerCase())
  let best: Form = 'html'
  let bestWeight = 0
  for (const form of FORMS) {
    const weight = weightOf(TYPE_OF[form], ranges)
    if (weight > bestWeight) [best, bestWeight] = [form, weight]
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

/** The most specific range that fits decides, whatever the others say. */
function weightOf(type: string, ranges: readonly Range[]): number {
  for (const wanted of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const range = ranges.find((each) => each.type === wanted)
    if (range !== undefined) return range.weight
  }
  return 0
}
