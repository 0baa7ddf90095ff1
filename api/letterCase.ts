export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `bot`, `fuel`, `day` → `botFuelDay` */
export const camelCase = (words: readonly string[]): string =>
  words.map((word, at) => (at === 0 ? word : capital(word))).join('')
