import { runNow, type Steps } from './steps.ts'

/**
 * Topic search over one board, in memory: word → rows. Rows keep the board's own order, so the best-ranked
 * row that has the words comes first. Microseconds a query; built once a snapshot.
 */
export type TopicIndex = (q: string, max: number) => number[]

/** Words of a question that say nothing about its topic. */
const STOP = new Set(
  'a an and are at be before by did do does for from has have how if in is it its of on or than that the their there this to vs was were what when where which who will with would'.split(
    ' ',
  ),
)
const MAX_QUERY_WORDS = 32
const SLICE_TEXTS = 200

/** Lower case, without accents; plural s dropped, so that "rates" finds "rate". */
export function topicWords(text: string): string[] {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
  return (words ?? []).map(stem)
}

const stem = (word: string) =>
  word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word

/** @param wanted of the query's words: a row must have all of them, or shares any one. */
export const createTopicIndex = (texts: readonly string[], wanted: 'all' | 'any' = 'all'): TopicIndex =>
  runNow(indexRows(texts.length, (row) => new Set(topicWords(texts[row]!)), wanted))

/** The same in slices: a board may have forty thousand rows. @param wordsOf a row, each word once. */
export function* indexRows(
  count: number,
  wordsOf: (row: number) => Iterable<string>,
  wanted: 'all' | 'any',
): Steps<TopicIndex> {
  const rowsOf = new Map<string, number[]>() //  ascending
  for (let row = 0; row < count; row++) {
    if (row % SLICE_TEXTS === 0) yield
    for (const word of wordsOf(row)) {
      const rows = rowsOf.get(word)
      if (rows === undefined) rowsOf.set(word, [row])
      else rows.push(row)
    }
  }
  return (q, max) => {
    const all = [...new Set(topicWords(q.slice(0, 4_096)))]
    const telling = all.filter((word) => !STOP.has(word))
    const words = (telling.length > 0 ? telling : all).slice(0, MAX_QUERY_WORDS)
    const lists = words.map((word) => rowsOf.get(word) ?? []).sort((a, b) => a.length - b.length)
    if (wanted === 'any') return [...new Set(lists.flat())].sort((a, b) => a - b).slice(0, max)
    const [rarest, ...others] = lists
    const hits: number[] = []
    for (const row of rarest ?? []) {
      if (hits.length >= max) break
      if (others.every((rows) => includesSorted(rows, row))) hits.push(row)
    }
    return hits
  }
}

function includesSorted(rows: readonly number[], row: number): boolean {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (rows[middle]! < row) low = middle + 1
    else high = middle
  }
  return rows[low] === row
}
