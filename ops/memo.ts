/**
 * Caches what was made of a text, so that everybody who asks for the same text gets the same object: nobody may
 * change it. Holds at most `bound` objects, of short texts only; when full it is emptied, which costs only time.
 */
export class Memo<Made> {
  readonly #made = new Map<string, Made>()
  readonly #bound: number
  readonly #longest: number

  /** @param longest UTF-16 units of a text that is cached: with longer ones `bound` would not bound the memory. */
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

/** One frozen list for all equal lists: most markets share their few numbers, capitals and reasons with thousands. */
export function sharedList<Item extends string | number>(list: readonly Item[]): readonly Item[] {
  if (list.length === 0) return NONE
  //  the kind of the first item keeps 1 and '1' apart: a list holds items of one kind, and none with a line break
  return lists.of(`${typeof list[0]}${list.join('\n')}`, () => Object.freeze([...list])) as readonly Item[]
}

const NONE: readonly never[] = Object.freeze([])
