/** The words that matter: is it one, and how long is the longest of them, in UTF-16 units? */
export type KnownWords = { has(word: string): boolean; longest: number }

/**
 * The best reading of a run up to one place: letters in known words after their first, how many words they make,
 * where its last stretch begins.
 */
type Reading = { letters: number; words: number; from: number; isWord: boolean }

/**
 * Cuts a run of letters into known words at some of the given places: as many letters as possible in known words, in as
 * few words as that takes. Returns the places beside a known word; what lies between known words stays together. Linear
 * in the length of the run.
 * @param spellings the run in several spellings of the same length: a word of any of them counts
 * @param places offsets inside the run, ascending
 */
export function wordBorders(
  spellings: readonly string[],
  places: readonly number[],
  known: KnownWords,
): number[] {
  const isKnown = (start: number, end: number): boolean =>
    spellings.some((spelling) => known.has(spelling.slice(start, end)))
  const at = [0, ...places, spellings[0]!.length]
  const readings: Reading[] = [{ letters: 0, words: 0, from: 0, isWord: true }]
  for (let to = 1; to < at.length; to++) {
    let best: Reading = { ...readings[to - 1]!, from: to - 1, isWord: false }
    for (let from = to - 1; from >= 0 && at[to]! - at[from]! <= known.longest; from--) {
      const before = readings[from]!
      const letters = before.letters + at[to]! - at[from]! - 1
      const words = before.words + 1
      const isBetter = letters > best.letters || (letters === best.letters && words < best.words)
      if (isBetter && isKnown(at[from]!, at[to]!)) best = { letters, words, from, isWord: true }
    }
    readings.push(best)
  }
  const borders: number[] = []
  for (let to = readings.length - 1, isBeforeWord = false; to > 0; to = readings[to]!.from) {
    const { isWord } = readings[to]!
    if (to < readings.length - 1 && (isWord || isBeforeWord)) borders.push(at[to]!)
    isBeforeWord = isWord
  }
  return borders.reverse()
}
