import type { PlacedRows } from './placedRows.ts'
import { SlotRows } from './slotRows.ts'
import { SlotSet } from './slotSet.ts'
import type { Steps } from './steps.ts'

/**
 * Rows that match `q`, in the board's own order, at most `max`, and behind them those that match and are `wanted`,
 * however far down. All of `q` is read: the caller must bound its length.
 */
export type Search<Row> = (q: string, max: number, wanted?: (row: Row) => boolean) => Row[]

/** Words of a question that say nothing about its topic. */
export const STOP: ReadonlySet<string> = new Set(
  'a an and are at be before by did do does for from has have how if in is it its of on or than that the their there this to vs was were what when where which who will with would'.split(
    ' ',
  ),
)
/** Changed rows between two breaks. */
const SLICE_ROWS = 200

/** Letters that Unicode does not take apart into a base and an accent, as they are typed without them on the keyboard. */
const LETTERS: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  ı: 'i',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')

/** Accents, and what is invisible inside a word: soft hyphens, joiners, direction controls. Pasted text is full of them. */
const UNSEEN = /[\p{M}\p{Bidi_Control}\p{Join_Control}\u00ad\u2060\ufeff]+/gu

/**
 * Lower case, without accents; plural s dropped, so that "rates" finds "rate", and the s of "Trump's", but not that of "A's"; "U.S." is
 * "us".
 *
 * A number is one word however it is written: "$88,000", "88000" and "88k" find each other, as do "1.5m" and
 * "1,500,000", or "16.50" and "16.5"; "0.1" is not "1.0". A negative number is found with and without its sign; with
 * its sign only that.
 */
export function topicWords(text: string): string[] {
  const words = text
    .normalize('NFKD')
    .replace(UNSEEN, '')
    .toLowerCase()
    .replace(LETTER, (letter) => LETTERS[letter]!)
    .replace(/(?<=[\p{L}\p{N}]{2})['’]s(?![\p{L}\p{N}])/gu, '')
    .replace(/\.(?<=(?<![\p{L}\p{N}])\p{L}\.)(?=\p{L}(?![\p{L}\p{N}]))/gu, '')
    .replace(/(\d),(?=\d{3}(?!\d))/g, '$1')
    .replace(/\b(\d{1,6})(?:\.(\d{1,3}))?([km])\b/g, (_, whole: string, part = '', unit: 'k' | 'm') =>
      String(Number(whole + part.padEnd(ZEROS[unit], '0'))),
    )
    .replace(
      /(\d)\.(\d{1,20})(?!\d)/g,
      (_, whole: string, part: string) => whole + `.${part}`.replace(/\.?0+$/, ''),
    )
    .match(WORD)
  return (words ?? []).flatMap(withSign)
}

/** A minus sign belongs to the number right after it, unless it joins what is on both of its sides. */
const WORD = /(?:[-−](?<![^\s(<>=≤≥$].)(?=\d))?[\p{L}\p{N}]+(?:(?<=\d)\.\d[\p{L}\p{N}]*)?/gu

const withSign = (word: string) => (/^[-−]/.test(word) ? [`-${word.slice(1)}`, word.slice(1)] : [stem(word)])

const ZEROS = { k: 3, m: 6 }

const stem = (word: string) =>
  word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word

/** Whether a row must have all of the query's words, or any one. */
export type Wanted = 'all' | 'any'

/**
 * Topic search over one list, in memory: word → rows, kept from one version of the list to the next. Only changed texts
 * are read; ranks are rewritten: some nanoseconds per row and version, microseconds per query. While a version is being
 * taken in, the previous one is still searched.
 */
export class TopicIndex<Row extends object> {
  readonly #textOf: (row: Row) => string
  readonly #wanted: Wanted
  readonly #postings = new Map<string, SlotSet>() // of each word
  #rows = SlotRows.none<Row>()
  #newest: PlacedRows<Row> | null = null
  //  ranks by slot, of the newest version; and room for the next ones: fresh memory costs more than writing to it
  #ranks = new Int32Array()
  #spare = new Int32Array()

  constructor({ textOf, wanted = 'all' }: { textOf: (row: Row) => string; wanted?: Wanted }) {
    this.#textOf = textOf
    this.#wanted = wanted
  }

  /**
   * Takes in the current list. Must be run to its end before the next update.
   * @returns its search, which answers from these rows even after a newer version was taken in.
   */
  *update(list: PlacedRows<Row>): Steps<Search<Row>> {
    return (yield* this.prepare(list))()
  }

  /**
   * The slow part of an update.
   * @returns the fast rest, to be called before the next update, so that lists that belong together change together.
   */
  *prepare(list: PlacedRows<Row>): Steps<() => Search<Row>> {
    const [before, now] = [this.#rows, list.bySlot]
    const reworded: Reworded[] = []
    let changed = 0
    for (const slots of now.differences(before)) {
      yield
      for (const slot of slots) {
        const words = this.#take(slot, before.at(slot), now.at(slot))
        if (words !== null) reworded.push(words)
        if (++changed % SLICE_ROWS === 0) yield
      }
    }
    this.#rows = now
    const ranks = ranksOf(list, this.#spare)
    return () => {
      for (const { slot, before, now } of reworded) {
        this.#unpost(slot, before)
        this.#post(slot, now)
      }
      this.#newest = list
      this.#spare = this.#ranks
      this.#ranks = ranks
      return (q, max, wanted) => this.#search(list, q, { max, wanted })
    }
  }

  #unpost(slot: number, text: string): void {
    for (const word of wordsOf(text)) {
      const slots = this.#postings.get(word)
      slots?.delete(slot)
      if (slots?.size === 0) this.#postings.delete(word) //  names of markets that closed would gather otherwise
    }
  }

  #search(list: PlacedRows<Row>, q: string, keep: Keep<Row>): Row[] {
    const words = wordsOfQuery(q)
    const found = new Best(list, keep)
    if (this.#newest === list) this.#find(words, found)
    else this.#scan(list, words, found)
    return found.rows()
  }

  /**
   * Posts a row in a formerly empty slot immediately: it has no rank yet.
   * @returns a replaced row's texts, to be changed later.
   */
  #take(slot: number, known: Row | undefined, row: Row | undefined): Reworded | null {
    const [before, now] = [known, row].map((each) => (each === undefined ? '' : this.#textOf(each)))
    if (before === now) return null
    if (known !== undefined) return { slot, before: before!, now: now! }
    this.#post(slot, now!)
    return null
  }

  #post(slot: number, text: string): void {
    for (const word of wordsOf(text)) {
      const slots = this.#postings.get(word) ?? new SlotSet()
      this.#postings.set(word, slots)
      slots.add(slot)
    }
  }

  #find(words: readonly string[], best: Best<Row>): void {
    const postings = words.map((word) => this.#postings.get(word) ?? NO_SLOTS)
    //  a row that is being taken in has no rank yet
    const keep = (slot: number) => {
      const rank = this.#ranks[slot] ?? GONE
      if (rank !== GONE) best.keep(rank)
    }
    if (this.#wanted === 'any') {
      for (const slots of postings) for (const slot of slots.all()) keep(slot)
      return
    }
    const [rarest, ...others] = postings.sort((x, y) => x.size - y.size)
    for (const slot of rarest?.all() ?? []) if (others.every((slots) => slots.has(slot))) keep(slot)
  }

  /** What `#find` finds, without the index: for readers that still hold an older version. */
  #scan(list: PlacedRows<Row>, asked: readonly string[], best: Best<Row>): void {
    if (asked.length === 0) return
    for (let rank = 0; rank < list.length; rank++) {
      if (!best.mayKeep(rank)) continue
      const words = wordsOf(this.#textOf(list.at(rank)))
      const has = (word: string) => words.has(word)
      if (this.#wanted === 'all' ? asked.every(has) : asked.some(has)) best.keep(rank)
    }
  }
}

type Keep<Row> = { max: number; wanted: ((row: Row) => boolean) | undefined }

/** Of the rows that match, those to be returned. */
class Best<Row> {
  readonly #list: PlacedRows<Row>
  readonly #keep: Keep<Row>
  readonly #lowest: number[] = [] // ranks, ascending
  readonly #wanted = new Set<number>()

  constructor(list: PlacedRows<Row>, keep: Keep<Row>) {
    this.#list = list
    this.#keep = keep
  }

  /** Whether a row would be returned if it matched, behind all lower ranks that do. */
  mayKeep(rank: number): boolean {
    return this.#lowest.length < this.#keep.max || this.#keep.wanted?.(this.#list.at(rank)) === true
  }

  keep(rank: number): void {
    keepBest(this.#lowest, rank, this.#keep.max)
    if (this.#keep.wanted?.(this.#list.at(rank))) this.#wanted.add(rank)
  }

  rows(): Row[] {
    const further = [...this.#wanted]
      .sort((x, y) => x - y)
      .filter((rank) => rank > (this.#lowest.at(-1) ?? GONE))
    return [...this.#lowest, ...further].map((rank) => this.#list.at(rank))
  }
}

/** Rank by slot; GONE for an empty slot. */
function ranksOf({ slots, bySlot }: PlacedRows<unknown>, room: Int32Array<ArrayBuffer>) {
  const ranks = room.length < bySlot.size ? new Int32Array(bySlot.size) : room
  ranks.fill(GONE)
  for (let rank = 0; rank < slots.length; rank++) ranks[slots[rank]!] = rank
  return ranks
}

const GONE = -1
const NO_SLOTS = new SlotSet()

/** Texts of the row in a slot before and now, '' for none. */
type Reworded = { slot: number; before: string; now: string }

/** The distinct words of a text. */
const wordsOf = (text: string): Set<string> => new Set(topicWords(text))

/** Inserts a rank, unless present, in its place among the `max` lowest. */
function keepBest(best: number[], rank: number, max: number): void {
  if (best.length === max && rank >= (best[max - 1] ?? GONE)) return
  let at = best.length
  while (at > 0 && best[at - 1]! > rank) at--
  if (best[at - 1] === rank) return
  best.splice(at, 0, rank)
  if (best.length > max) best.pop()
}

function wordsOfQuery(q: string): string[] {
  const all = [...wordsOf(q)]
  const telling = all.filter((word) => !STOP.has(word))
  return telling.length > 0 ? telling : all
}
