/**
 * Publishers whose figure or judgement decides, each with all names it goes under; ESTIMATES tell which estimate of it.
 */
const PUBLISHERS: readonly string[] = [
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
]
//  One pass over a text for all of them, a group each: no name is a part of another's.
const ANY_PUBLISHER = new RegExp(`\\b(?:${PUBLISHERS.map((names) => `(${names})`).join('|')})\\b`, 'g')

const ESTIMATES: readonly RegExp[] = [
  /\b(?:advance|initial|first|preliminary) (?:estimate|release|print|report)\b/,
  /\b(?:second|third|final|revised) (?:estimate|release|print|figure)\b|\bas revised\b/,
]

const publishersIn = (lower: string): number[] => {
  const found = new Set<number>()
  for (const [, ...names] of lower.matchAll(ANY_PUBLISHER))
    found.add(names.findIndex((name) => name !== undefined))
  return [...found].sort((x, y) => x - y)
}

const estimatesIn = (lower: string): number[] =>
  ESTIMATES.flatMap((pattern, at) => (pattern.test(lower) ? [at] : []))

/** Is this the name of a publisher, in lower case? */
export const isPublisher = (name: string): boolean => name.search(ANY_PUBLISHER) !== -1

export type Published = { by: readonly number[]; estimate: readonly number[] }

/** @param lower the rules of a market, folded and in lower case. */
export function readPublished(lower: string): Published {
  return { by: publishersIn(lower), estimate: estimatesIn(lower) }
}

/** Does each side name who decides, or which estimate, with none in common? */
export function isPublishedElsewhere(a: Published, b: Published): boolean {
  return areDisjoint(a.by, b.by) || areDisjoint(a.estimate, b.estimate)
}

const areDisjoint = (x: readonly number[], y: readonly number[]): boolean =>
  x.length > 0 && y.length > 0 && !x.some((at) => y.includes(at))
