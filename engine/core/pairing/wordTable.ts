/** What words stand for. A map, because an object would answer for "constructor" too. */
export const wordTable = <Meaning>(
  meanings: Readonly<Record<string, Meaning>>,
): ReadonlyMap<string, Meaning> => new Map(Object.entries(meanings))

/** Words as a line, or lines, of them. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))
