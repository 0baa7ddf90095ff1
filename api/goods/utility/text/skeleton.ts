/** Letters of other scripts, and digits, that are read as a Latin letter. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  а: 'a',
  в: 'b',
  с: 'c',
  ԁ: 'd',
  е: 'e',
  һ: 'h',
  і: 'i',
  ї: 'i',
  ј: 'j',
  к: 'k',
  ӏ: 'l',
  м: 'm',
  н: 'h',
  о: 'o',
  р: 'p',
  ԛ: 'q',
  ѕ: 's',
  т: 't',
  у: 'y',
  ү: 'y',
  ѵ: 'v',
  ԝ: 'w',
  х: 'x',
  г: 'r',
  п: 'n',
  α: 'a',
  β: 'b',
  γ: 'y',
  ε: 'e',
  η: 'n',
  ι: 'i',
  κ: 'k',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  σ: 'o',
  τ: 't',
  υ: 'u',
  χ: 'x',
  ω: 'w',
  ɑ: 'a',
  ɡ: 'g',
  ı: 'i',
  ɩ: 'i',
  ɪ: 'i',
  ʀ: 'r',
  ɴ: 'n',
  ʟ: 'l',
  ᴀ: 'a',
  ʙ: 'b',
  ᴄ: 'c',
  ᴅ: 'd',
  ᴇ: 'e',
  ꜰ: 'f',
  ɢ: 'g',
  ʜ: 'h',
  ᴊ: 'j',
  ᴋ: 'k',
  ᴍ: 'm',
  ᴏ: 'o',
  ᴘ: 'p',
  ꜱ: 's',
  ᴛ: 't',
  ᴜ: 'u',
  ᴠ: 'v',
  ᴡ: 'w',
  ʏ: 'y',
  ᴢ: 'z',
  օ: 'o',
  ս: 'u',
  հ: 'h',
  ց: 'g',
  ո: 'n',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ħ: 'h',
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
}

/**
 * What a word spells when look-alike letters and digits are read as Latin; null when that changes nothing or is not a
 * Latin word. Pure digits stay a number.
 * @param word folded and in lower case
 */
export function skeleton(word: string): string | null {
  let spelled = ''
  let letters = 0
  for (const letter of word) {
    const latin = latinLetter(letter)
    if (!/^[a-z]$/.test(latin)) return null
    if (letter < '0' || letter > '9') letters++
    spelled += latin
  }
  return letters === 0 || spelled === word ? null : spelled
}

/** Each letter of a text as the Latin one it looks like, whatever the text is. */
export const latinLetters = (text: string): string => text.replace(/./gsu, latinLetter)

const latinLetter = (letter: string): string => LOOKALIKES[letter] ?? letter
