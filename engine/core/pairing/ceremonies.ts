import type { Word } from './words.ts'

/** Ceremonies that are counted on one venue and named by their year on the other: the 99th Academy Awards are the Oscars of 2027. */
const CEREMONIES: readonly { words: readonly string[]; before: number; name: string }[] = [
  { words: ['academy', 'awards'], before: 1928, name: 'oscars' },
  { words: ['oscars'], before: 1928, name: 'oscars' },
  { words: ['grammy', 'awards'], before: 1958, name: 'grammys' },
  { words: ['annual', 'grammy', 'awards'], before: 1958, name: 'grammys' },
  { words: ['grammys'], before: 1958, name: 'grammys' },
  { words: ['golden', 'globe', 'awards'], before: 1943, name: 'goldenglobes' },
  { words: ['golden', 'globes'], before: 1943, name: 'goldenglobes' },
  { words: ['primetime', 'emmy', 'awards'], before: 1948, name: 'emmys' },
  { words: ['emmy', 'awards'], before: 1948, name: 'emmys' },
  { words: ['emmys'], before: 1948, name: 'emmys' },
  { words: ['tony', 'awards'], before: 1947, name: 'tonys' },
  { words: ['annual', 'tony', 'awards'], before: 1947, name: 'tonys' },
  { words: ['tonys'], before: 1947, name: 'tonys' },
  { words: ['american', 'music', 'awards'], before: 1974, name: 'amas' },
  { words: ['amas'], before: 1974, name: 'amas' },
  { words: ['british', 'academy', 'film', 'awards'], before: 1947, name: 'baftas' },
  { words: ['bafta', 'film', 'awards'], before: 1947, name: 'baftas' },
  { words: ['bafta', 'awards'], before: 1947, name: 'baftas' },
  { words: ['baftas'], before: 1947, name: 'baftas' },
  { words: ['screen', 'actors', 'guild', 'awards'], before: 1994, name: 'sagawards' },
  { words: ['sag', 'awards'], before: 1994, name: 'sagawards' },
]
/** Hardly any text names one, so one test of the whole text is cheaper than a look at each word. */
export const CEREMONY = /\b(?:awards|oscars|grammys|globes|emmys|tonys|amas|baftas|super bowl [lxvi]+)\b/i
const BEFORE_BOWLS = 1966
const ROMAN: ReadonlyMap<string, number> = new Map([
  ['l', 50],
  ['x', 10],
  ['v', 5],
  ['i', 1],
])

/** Replaces a counted ceremony by its year and name, and an uncounted one by its name, in place. */
export function nameCeremonies(words: Word[]): void {
  for (let at = words.length - 1; at > 1; at--) {
    if (words[at - 2]!.text !== 'super' || words[at - 1]!.text !== 'bowl') continue
    const nth = readRoman(words[at]!.text)
    if (nth === null) continue
    const year = BEFORE_BOWLS + nth
    const bowl = { ...words[at]!, text: String(year), cap: false, value: year }
    words.splice(at - 2, 3, bowl, words[at - 2]!, words[at - 1]!)
  }
  for (let at = words.length - 1; at >= 0; at--) {
    const found = CEREMONIES.filter((ceremony) => endsAt(words, at, ceremony.words)).sort(
      (x, y) => y.words.length - x.words.length,
    )[0]
    if (found === undefined) continue
    const from = at - found.words.length + 1
    const name = { ...words[from]!, text: found.name }
    const nth = words[from - 1]
    const year = nth?.unit === 'ordinal' ? found.before + nth.value! : null
    if (year === null) words.splice(from, found.words.length, name)
    else
      words.splice(
        from - 1,
        found.words.length + 1,
        { ...nth!, text: String(year), value: year, unit: '' },
        name,
      )
    at = from
  }
}

const endsAt = (words: readonly Word[], at: number, ending: readonly string[]): boolean =>
  at >= ending.length - 1 && ending.every((text, nth) => words[at - ending.length + 1 + nth]!.text === text)

function readRoman(text: string): number | null {
  const digits = [...text].map((letter) => ROMAN.get(letter))
  if (!digits.every((digit) => digit !== undefined)) return null
  return digits.reduce((sum, digit, at) => sum + ((digits[at + 1] ?? 0) > digit ? -digit : digit), 0)
}
