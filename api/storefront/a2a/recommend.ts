import { STOP, topicWords } from '../../search.ts'
import type { ServiceEntry } from '../entry.ts'
import { nameOf } from '../prose.ts'

/** Most reads named in one answer. */
const MAX_NAMED = 5

/**
 * Bounds of what is read of a request: one character may expand to eighteen, and each word is looked up in every read.
 */
export const MAX_CHARS = 1_024
export const MAX_WORDS = 64

/** A word in a name says more than one in a description. */
const NAME_WEIGHT = 3

/**
 * Finds the reads that share most words with a request, best first, of equal ones the cheapest. Pure; the words of the
 * reads are taken once. Only the beginning of a long request counts, so that no request costs more than a millisecond.
 * @returns nothing for a request that shares no word.
 */
export function createRecommender(entries: readonly ServiceEntry[]): (request: string) => ServiceEntry[] {
  const known = entries.map((entry) => ({
    entry,
    name: new Set(topicWords(`${nameOf(entry)} ${entry.title} ${entry.tags.join(' ')}`)),
    text: new Set(topicWords(`${entry.description} ${entry.delivers ?? ''}`)),
  }))
  return (request) => {
    const words = topicWords(request.slice(0, MAX_CHARS)).filter((word) => !STOP.has(word))
    const asked = [...new Set(words)].slice(0, MAX_WORDS)
    const shared = (words: ReadonlySet<string>) => asked.filter((word) => words.has(word)).length
    return known
      .map(({ entry, name, text }) => ({ entry, score: NAME_WEIGHT * shared(name) + shared(text) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || a.entry.priceUsdc - b.entry.priceUsdc)
      .slice(0, MAX_NAMED)
      .map(({ entry }) => entry)
  }
}

/** The reads in words, for a caller without a JSON parser. */
export const inWords = (entries: readonly ServiceEntry[], named: boolean): string =>
  [
    named ? 'These reads fit, best first:' : 'No read shares a word with that. Everything there is:',
    ...entries.map(({ url, priceUsdc, title, parameters }) => {
      const query = parameters
        .filter(({ in: place }) => place === 'query')
        .map(({ name, required }) => (required ? name : `${name}?`))
      return `- GET ${url}${query.length === 0 ? '' : ` (${query.join(', ')})`}: ${title}, ${priceUsdc} USD`
    }),
    'Each answers 402 with what to sign (x402 version 2); repeat the GET with PAYMENT-SIGNATURE.',
  ].join('\n')
