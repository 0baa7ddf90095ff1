/**
 * Publishers whose figure or judgement decides, each with all names it goes under; ESTIMATES tell which estimate of it.
 */
const PUBLISHERS: readonly RegExp[] = [
  'silver bulletin',
  'real ?clear ?(?:politics|polling)|rcp',
  'gallup',
  'decision desk',
  'yougov',
  'the[ -]numbers',
  'box ?office ?mojo',
  'metacritic',
  'rotten ?tomatoes',
  'imdb',
  'luminate',
  'billboard',
  'lm ?arena|chatbot arena|text arena',
  'artificial analysis',
  'livebench',
  'webdev arena',
  'epoch ai',
  'bureau of labor statistics|bls',
  'bureau of economic analysis|bea',
  'truflation',
  'adp',
  'atlanta fed',
  'case-shiller',
  'zillow',
  'redfin',
  'freddie mac',
  'mortgage news daily',
  'aaa',
  'eia|energy information',
  'flix ?patrol',
  'tudum|netflix top 10',
  'kworb',
  'forbes',
  'bloomberg',
  'companies ?market ?cap',
].map((names) => new RegExp(`\\b(?:${names})\\b`))

const ESTIMATES: readonly RegExp[] = [
  /\b(?:advance|initial|first|preliminary) (?:estimate|release|print|report)\b/,
  /\b(?:second|third|final|revised) (?:estimate|release|print|figure)\b|\bas revised\b/,
]

/** Indices of the patterns that a text matches. */
const found = (lower: string, patterns: readonly RegExp[]): number[] =>
  patterns.flatMap((pattern, at) => (pattern.test(lower) ? [at] : []))

/** Is this the name of a publisher, in lower case? */
export const isPublisher = (name: string): boolean => PUBLISHERS.some((pattern) => pattern.test(name))

export type Published = { by: readonly number[]; estimate: readonly number[] }

/** @param lower the rules of a market, folded and in lower case. */
export function readPublished(lower: string): Published {
  return { by: found(lower, PUBLISHERS), estimate: found(lower, ESTIMATES) }
}

/** Does each side name who decides, or which estimate, with none in common? */
export function isPublishedElsewhere(a: Published, b: Published): boolean {
  return areDisjoint(a.by, b.by) || areDisjoint(a.estimate, b.estimate)
}

const areDisjoint = (x: readonly number[], y: readonly number[]): boolean =>
  x.length > 0 && y.length > 0 && !x.some((at) => y.includes(at))
