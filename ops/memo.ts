/**
 * Remembers what was made of a text, so that all who ask for the same one hold the same object: whoever gets it must not change it.
 * Holds at most `bound` of them, of short texts; full, it forgets all and starts anew, which costs time and nothing else.
 */
export class Memo<Made> {
  readonly #made = new Map<string, Made>()
  readonly #bound: number
  readonly #longest: number

  /** @param longest UTF-16 units of a text that is remembered: longer ones would make the bound a bound of nothing. */
  constructor(bound: number, longest = SHORT) {
    this.#bound = bound
    this.#longest = longest
  }

  get size(): number {
    return this.#made.size
  }

  of(text: string, make: (text: string) => Made): Made {
    if (text.length > this.#longest) return make(text)
    const known = this.#made.get(text)
    if (known !== undefined) return known
    const made = make(text)
    if (this.#made.size >= this.#bound) this.#made.clear()
    this.#made.set(text, made)
    return made
  }
}

/** Longer texts hardly ever come again. */
const SHORT = 256

const LISTS_BOUND = 50_000
const lists = new Memo<readonly (string | number)[]>(LISTS_BOUND)

/** One frozen list for all that read the same: most markets have the same few numbers, capitals and reasons as thousands of others. */
export function sharedList<Item extends string | number>(list: readonly Item[]): readonly Item[] {
  if (list.length === 0) return NONE
  //  the kind of the first item keeps 1 and '1' apart: a list holds items of one kind, and none with a line break
  return lists.of(`${typeof list[0]}${list.join('\n')}`, () => Object.freeze([...list])) as readonly Item[]
}

const NONE: readonly never[] = Object.freeze([])
