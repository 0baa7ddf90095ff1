import type { Limit } from './dates.ts'
import { fold } from './fold.ts'
import { readRulesLimit } from './timing.ts'
import { readTokens } from './tokens.ts'
import type { Vocabulary } from './vocabulary.ts'
import { readWords } from './words.ts'

/** What the contract text of one market says, read only when a pair hangs on it. */
export type RulesFacts = {
  present: boolean
  limit: Limit | null
  question: Int32Array //  words of the first sentence: what is asked, precisely
  words: Int32Array //     words of the beginning
  numbers: Float64Array // numbers of the beginning
  deathExcluded: boolean //  death does not pay, or settles at some other price
  announcementPays: boolean //  an announced departure is enough
  mustVacate: boolean //  the post must really be left
  formality: string //  how far an agreement must go: announced, signed, ratified
  remote: boolean //  a call or a video counts as a meeting
  sources: readonly string[] //  stations, indices and feeds that decide
}

/** @param text contract text as the venue gives it; '' when it gives none. */
export function readRules(text: string, closeMs: number | null, vocabulary: Vocabulary): RulesFacts {
  const plain = fold(text)
  const sentence = SENTENCE.exec(plain)?.[0] ?? plain.slice(0, 400)
  const beginning = readWords(plain.slice(0, 700), 140)
  const lower = plain.toLowerCase()
  const ids = (words: ReturnType<typeof readWords>) =>
    Int32Array.from(new Set(readTokens(words, new Uint8Array(words.length), vocabulary).map(({ id }) => id)))
  return {
    present: plain.trim() !== '',
    limit: readRulesLimit(plain, closeMs),
    question: ids(readWords(sentence, 80)),
    words: ids(beginning),
    numbers: Float64Array.from(beginning.flatMap(({ value }) => (value === null ? [] : [value]))),
    deathExcluded:
      /\b(?:death|dies|deceased)\b/.test(lower) &&
      /last (?:fair|traded|trading) (?:market )?price|death does not|does not (?:satisfy|count)|other than (?:by |due to )?death|excluding death|except (?:for |by )?death|not (?:including|count) death/.test(
        lower,
      ),
    announcementPays:
      /announcement of [^.]{0,90}(?:resign|removal|departure|retire)[^.]{0,120}(?:resolve|qualify|count)/.test(
        lower,
      ) || /announced? (?:that )?[^.]{0,60}(?:intention to (?:leave|resign)|will leave)/.test(lower),
    mustVacate:
      /vacat(?:e|es|ing) (?:the|this|their) (?:role|post|office|position)/.test(lower) &&
      /actual departure|must (?:have|vacate)/.test(lower),
    formality: [/\bratif/, /\bsigned|\bsignature/, /\bannounc/]
      .map((pattern) => (pattern.test(lower.slice(0, 1_500)) ? '1' : '0'))
      .join(''),
    remote:
      /\bvirtual(?:ly)?\b|\bphone call|\bvideo ?conference|\bcall counts/.test(lower) &&
      !/virtual(?:ly)?[^.]{0,60}(?:not|n't) (?:count|qualify)/.test(lower),
    sources: readSources(lower),
  }
}

//  A dot after a capital (U.S., J.D.) ends nothing.
const SENTENCE = /^[\s\S]{20,}?(?:[a-z0-9%)"]|[AP]M|ET)[.?!](?=\s|$)/

const SOURCES =
  /\b(?:binance|coinbase|kraken|chainlink|pyth|cf benchmarks|brti|coingecko|coinmarketcap|bloomberg|yahoo finance|tradingview|wunderground|weather underground|national weather service|nws|noaa|central park|laguardia|midway|o'hare|heathrow|lax|dfw|k[a-z]{3}\b(?= station)|[a-z]+ (?:international )?airport|hobby airport)\b/g

function readSources(lower: string): string[] {
  return [...new Set(lower.slice(0, 3_000).match(SOURCES) ?? [])]
}
