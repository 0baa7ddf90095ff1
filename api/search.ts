import { runNow, type Steps } from './steps.ts'

/** Rows that answer `q`, in the board's own order, at most `max`. */
export type Search<Row> = (q: string, max: number) => Row[]

/** Words of a question that say nothing about its topic. */
const STOP = new Set(
  'a an and are at be before by did do does for from has have how if in is it its of on or than that the their there this to vs was were what when where which who will with would'.split(
    ' ',
  ),
)
const MAX_QUERY_WORDS = 32
/** New rows, or runs of rows that stay, between two breaks. */
const SLICE_ROWS = 200
const RUN_ROWS = 2_000

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

/** A list of texts that is searched once built: the numbers of those that answer. */
export function createTopicIndex(texts: readonly string[], wanted: Wanted = 'all') {
  const rows = texts.map((text, at) => ({ at, text }))
  const index = new TopicIndex<(typeof rows)[number]>({
    idOf: ({ at }) => `${at}`,
    textOf: ({ text }) => text,
    wanted,
  })
  const search = runNow(index.update(rows))
  return (q: string, max: number): number[] => search(q, max).map(({ at }) => at)
}

/** Of the query's words: a row must have all of them, or shares any one. */
export type Wanted = 'all' | 'any'

/** A word and the slots of the rows that have it, in no order. */
type Posting = { slots: number[] }

/**
 * Topic search over one list, in memory: word → rows, kept from one version of the list to the next. A row keeps its
 * slot while it lives; only texts that changed are read, ranks are written anew: some 20 ns a row and version,
 * microseconds a query. While a version is taken in, the one before is searched as it was.
 */
export class TopicIndex<Row extends object> {
  readonly #idOf: (row: Row) => string
  readonly #textOf: (row: Row) => string
  readonly #wanted: Wanted
  readonly #slotOf = new Map<string, number>()
  readonly #postings = new Map<string, Posting>()
  //  by slot
  readonly #rows: (Row | null)[] = []
  readonly #ids: string[] = []
  readonly #words: Posting[][] = []
  readonly #free: number[] = []
  #ranks = new Int32Array(0) // of the newest version
  //  the newest version, best row first
  #list: readonly Row[] = []
  #order = new Int32Array(0)

  /** @param idOf unique within the list. */
  constructor({
    idOf,
    textOf,
    wanted = 'all',
  }: {
    idOf: (row: Row) => string
    textOf: (row: Row) => string
    wanted?: Wanted
  }) {
    this.#idOf = idOf
    this.#textOf = textOf
    this.#wanted = wanted
  }

  /**
   * Takes the list as it is now, best first. To be run to its end before the next.
   * @returns its search, which answers from these rows also when a newer version has been taken.
   */
  *update(rows: readonly Row[]): Steps<Search<Row>> {
    return (yield* this.prepare(rows))()
  }

  /** All of an update that takes long. @returns its end, to be called before the next: lists that belong together change together. */
  *prepare(rows: readonly Row[]): Steps<() => Search<Row>> {
    const ranks = new Int32Array(this.#rows.length + rows.length).fill(GONE)
    const order = new Int32Array(rows.length)
    const reworded: number[] = []
    let next = 0 // most rows stand behind the same one as before
    for (let [rank, told] = [0, 0]; rank < rows.length; told++) {
      if (told % SLICE_ROWS === 0) yield
      const known = { list: this.#list, order: this.#order, from: next }
      const same = takeRun(known, { rows, order, ranks, from: rank, most: RUN_ROWS })
      next += same
      rank += same
      if (same > 0) continue
      const row = rows[rank]!
      const slot = this.#slotFor(row, rank, ranks)
      if (this.#rows[slot] === row) next = (this.#ranks[slot] ?? GONE) + 1
      else if (this.#take(slot, row)) reworded.push(slot)
      ranks[slot] = rank
      order[rank] = slot
      rank++
    }
    return () => {
      for (const slot of reworded) this.#post(slot, this.#textOf(this.#rows[slot]!))
      for (let slot = 0; slot < this.#rows.length; slot++) if (ranks[slot] === GONE) this.#release(slot)
      this.#ranks = ranks
      this.#list = rows
      this.#order = order
      return (q, max) => this.#search(rows, ranks, q, max)
    }
  }

  #search(rows: readonly Row[], ranks: Int32Array, q: string, max: number): Row[] {
    const words = wordsOfQuery(q)
    const found =
      this.#ranks === ranks ? this.#find(words, max) : scan(rows, this.#textOf, words, this.#wanted, max)
    return found.map((rank) => rows[rank]!)
  }

  #slotFor(row: Row, rank: number, ranks: Int32Array): number {
    const id = this.#idOf(row)
    const slot = this.#slotOf.get(id) ?? this.#newSlot(id)
    //  an id that comes twice is two rows
    return ranks[slot] === GONE ? slot : (this.#slotOf.get(`${id} ${rank}`) ?? this.#newSlot(`${id} ${rank}`))
  }

  /** @returns whether the words of a row of the version before are to change. */
  #take(slot: number, row: Row): boolean {
    const before = this.#rows[slot]
    this.#rows[slot] = row
    const text = this.#textOf(row)
    if (before != null) return this.#textOf(before) !== text
    this.#post(slot, text)
    return false
  }

  #newSlot(id: string): number {
    const slot = this.#free.pop() ?? this.#rows.length
    this.#slotOf.set(id, slot)
    this.#rows[slot] = null
    this.#ids[slot] = id
    this.#words[slot] = []
    return slot
  }

  #post(slot: number, text: string): void {
    this.#unpost(slot)
    this.#words[slot] = [...new Set(topicWords(text))].map((word) => {
      const posting = this.#postings.get(word) ?? { slots: [] }
      this.#postings.set(word, posting)
      posting.slots.push(slot)
      return posting
    })
  }

  #unpost(slot: number): void {
    for (const { slots } of this.#words[slot]!) {
      slots[slots.indexOf(slot)] = slots.at(-1)!
      slots.pop()
    }
  }

  #release(slot: number): void {
    if (this.#rows[slot] === null) return
    this.#unpost(slot)
    this.#slotOf.delete(this.#ids[slot]!)
    this.#rows[slot] = null
    this.#words[slot] = []
    this.#free.push(slot)
  }

  /** Ranks of the rows that answer, ascending. */
  #find(words: readonly string[], max: number): number[] {
    const postings = words.map((word) => this.#postings.get(word) ?? NOBODY)
    const best: number[] = []
    //  a row that is being taken in has no rank yet
    const keep = (slot: number) => {
      const rank = this.#ranks[slot] ?? GONE
      if (rank !== GONE) keepBest(best, rank, max)
    }
    if (this.#wanted === 'any') {
      for (const { slots } of postings) for (const slot of slots) keep(slot)
      return best
    }
    const [rarest, ...others] = postings.sort((x, y) => x.slots.length - y.slots.length)
    for (const slot of rarest?.slots ?? [])
      if (others.every((posting) => this.#words[slot]!.includes(posting))) keep(slot)
    return best
  }
}

type Run<Row> = { list: readonly Row[]; order: Int32Array; from: number }
type Taken<Row> = { rows: readonly Row[]; order: Int32Array; ranks: Int32Array; from: number; most: number }

/** Takes over the slots of rows that are the same objects one after the other. @returns how many. */
function takeRun<Row>({ list, order: slots, from: next }: Run<Row>, taken: Taken<Row>): number {
  const { rows, order, ranks, from } = taken
  const most = Math.min(taken.most, list.length - next, rows.length - from)
  for (let same = 0; same < most; same++) {
    const slot = slots[next + same]!
    if (list[next + same] !== rows[from + same] || ranks[slot] !== GONE) return same
    ranks[slot] = from + same
    order[from + same] = slot
  }
  return Math.max(0, most)
}

const GONE = -1
const NOBODY: Posting = { slots: [] }

/** Inserts a rank where it belongs among the `max` lowest, each once. */
function keepBest(best: number[], rank: number, max: number): void {
  if (best.length === max && rank >= (best[max - 1] ?? GONE)) return
  let at = best.length
  while (at > 0 && best[at - 1]! > rank) at--
  if (best[at - 1] === rank) return
  best.splice(at, 0, rank)
  if (best.length > max) best.pop()
}

/** The same without an index: for whoever still holds an older version. */
function scan<Row>(
  rows: readonly Row[],
  textOf: (row: Row) => string,
  wanted: readonly string[],
  how: Wanted,
  max: number,
): number[] {
  const found: number[] = []
  if (wanted.length === 0) return found
  for (let rank = 0; rank < rows.length && found.length < max; rank++) {
    const words = new Set(topicWords(textOf(rows[rank]!)))
    const has = (word: string) => words.has(word)
    if (how === 'all' ? wanted.every(has) : wanted.some(has)) found.push(rank)
  }
  return found
}

function wordsOfQuery(q: string): string[] {
  const all = [...new Set(topicWords(q.slice(0, 4_096)))]
  const telling = all.filter((word) => !STOP.has(word))
  return (telling.length > 0 ? telling : all).slice(0, MAX_QUERY_WORDS)
}
