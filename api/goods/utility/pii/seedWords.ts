import { wordlist as czech } from '@scure/bip39/wordlists/czech.js'
import { wordlist as english } from '@scure/bip39/wordlists/english.js'
import { wordlist as french } from '@scure/bip39/wordlists/french.js'
import { wordlist as italian } from '@scure/bip39/wordlists/italian.js'
import { wordlist as japanese } from '@scure/bip39/wordlists/japanese.js'
import { wordlist as korean } from '@scure/bip39/wordlists/korean.js'
import { wordlist as portuguese } from '@scure/bip39/wordlists/portuguese.js'
import { wordlist as simplifiedChinese } from '@scure/bip39/wordlists/simplified-chinese.js'
import { wordlist as spanish } from '@scure/bip39/wordlists/spanish.js'
import { wordlist as traditionalChinese } from '@scure/bip39/wordlists/traditional-chinese.js'
import { fold } from '../text/fold.ts'

/** All lists of BIP-39. Many words are in several of them, at different positions. */
const LISTS = [
  english,
  spanish,
  french,
  italian,
  portuguese,
  czech,
  japanese,
  korean,
  simplifiedChinese,
  traditionalChinese,
]

/** @property isOfSigns each word is a single, very common sign: a text separated sign by sign is full of them. */
export type SeedList = { isOfSigns: boolean }
export type SeedWord = { list: SeedList; index: number }
const NONE: readonly SeedWord[] = []

/** Korean and Japanese are written composed or not: both are read as the same. */
const keyOf = (word: string): string => word.toLowerCase().normalize('NFKD')

/** Read in for the first text that has words: 20,000 words are a twentieth of the work of a start. */
let places: ReadonlyMap<string, readonly SeedWord[]> | null = null

function readIn(): ReadonlyMap<string, readonly SeedWord[]> {
  const read = new Map<string, SeedWord[]>()
  for (const words of LISTS) {
    const list = { isOfSigns: words === simplifiedChinese || words === traditionalChinese }
    for (const [index, word] of words.entries()) {
      const key = keyOf(fold(word).text)
      const known = read.get(key)
      if (known === undefined) read.set(key, [{ list, index }])
      else known.push({ list, index })
    }
  }
  return read
}

/** The lists that contain a word of a folded text. */
export function seedWordsOf(word: string): readonly SeedWord[] {
  places ??= readIn()
  return places.get(keyOf(word)) ?? NONE
}
