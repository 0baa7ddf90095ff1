/**
 * Topic search over one board, in memory: word → rows. Rows keep the board's own order, so the best-ranked
 * row that has all the words comes first. Microseconds a query; built once a snapshot.
 */
export type TopicIndex = (q: string, max: number) => number[]

/** Words of a question that say nothing about its topic. */
const STOP = new Set(
  'a an and are at be before by did do does for from has have how if in is it its of on or than that the their there this to vs was were what when where which who will with would'.split(
    ' ',
  ),
)
const MAX_QUERY_WORDS = 32

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

export function createTopicIndex(texts: readonly string[]): TopicIndex {
  const rowsOf = new Map<string, number[]>()
  texts.forEach((text, row) => {
    for (const word of new Set(topicWords(text))) {
      const rows = rowsOf.get(word)
      if (rows === undefined) rowsOf.set(word, [row])
      else rows.push(row)
    }
  })
  return (q, max) => {
    const all = [...new Set(topicWords(q.slice(0, 4_096)))]
    const telling = all.filter((word) => !STOP.has(word))
    const words = (telling.length > 0 ? telling : all).slice(0, MAX_QUERY_WORDS)
    const lists = words.map((word) => rowsOf.get(word) ?? []).sort((a, b) => a.length - b.length)
    const [rarest, ...others] = lists
    if (rarest === undefined) return []
    const sets = others.map((rows) => new Set(rows))
    const hits: number[] = []
    for (const row of rarest) {
      if (hits.length >= max) break
      if (sets.every((rows) => rows.has(row))) hits.push(row)
    }
    return hits
  }
}
