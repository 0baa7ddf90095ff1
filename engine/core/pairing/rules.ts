import { Memo } from '../../../ops/memo.ts'
import { earlierAct, readRefused, readStances } from './acts.ts'
import { type Limit, readDates } from './dates.ts'
import { fold } from './fold.ts'
import { readNumbers } from './numbers.ts'
import { type Published, readPublished } from './publishers.ts'
import { readRulesLimit } from './timing.ts'
import { readTokens } from './tokens.ts'
import type { Vocabulary } from './vocabulary.ts'
import { readWords } from './words.ts'

/**
 * What the contract text of one market says. Each part is read when a pair first depends on it: most markets never need
 * more than the first sentence.
 */
export class RulesFacts {
  readonly #text: string
  readonly #closeMs: number | null
  readonly #vocabulary: Vocabulary
  #question: Question | null = null
  #limit: Limit | null | undefined
  #fine: FinePrint | null = null
  #earlierAct: number | undefined

  /** @param text contract text as the venue gives it; '' when it gives none. */
  constructor(text: string, closeMs: number | null, vocabulary: Vocabulary) {
    this.#text = text
    this.#closeMs = closeMs
    this.#vocabulary = vocabulary
  }

  get present(): boolean {
    return this.#text.trim() !== ''
  }

  /**
   * The first sentence that resolves the market. Earlier ones tell what happened so far, later ones what else applies:
   * a runoff, what does not count.
   */
  get asked(): string {
    return sentences.of(this.#text, resolvingSentence)
  }

  /** What that sentence asks. */
  get question(): Question {
    this.#question ??= readQuestion(this.asked, this.#vocabulary)
    return this.#question
  }

  /** The limit stated first; later dates are about disputes. */
  get limit(): Limit | null {
    if (this.#limit === undefined)
      this.#limit = readRulesLimit(readWords(this.#text.slice(0, 900), 180), this.#closeMs)
    return this.#limit
  }

  /** Which earlier act that sentence turns on, see acts.ts; -1 for none. */
  get earlierAct(): number {
    this.#earlierAct ??= earlierAct(this.asked)
    return this.#earlierAct
  }

  /** The text in which fine print is read. */
  get lower(): string {
    return lowered.of(this.#text, (text) => fold(text).toLowerCase())
  }

  get fine(): FinePrint {
    this.#fine ??= readFinePrint(this.lower)
    return this.#fine
  }
}

//  A market is compared with a few others one soon after another, and each comparison asks for these texts a dozen times;
//  kept for every market they would take as much memory as the rules.
const [RECENT, LONGEST] = [128, 20_000]
const sentences = new Memo<string>(RECENT, LONGEST)
const lowered = new Memo<string>(RECENT, LONGEST)

function resolvingSentence(rules: string): string {
  let plain = fold(rules)
  const first = SENTENCE.exec(plain)?.[0] ?? plain.slice(0, 400)
  let sentence = first
  for (let nth = 0; nth < 4 && !/resolve/i.test(sentence); nth++) {
    plain = plain.slice(sentence.length)
    sentence = SENTENCE.exec(plain)?.[0] ?? ''
  }
  return sentence === '' ? first : sentence
}

/** What a first sentence may answer for: its words, numbers other than those of dates, and its ordinals; and the thresholds it sets. */
export type Question = {
  words: readonly number[]
  numbers: readonly number[]
  ordinals: readonly number[]
  thresholds: readonly number[]
}

//  Examples, alternatives and exceptions do not make the question narrower: "in any place, such as Oslo", "in Oslo, Rome or Bern".
const ASIDES: readonly RegExp[] = [
  /\([^)]*\)/gi,
  /[\w'-]+,? or (?:otherwise|not)\b/gi,
  /,\s(?:which|who|whose|where)\b[^,;.]*/gi,
  /\b(?:including|includes|such as|be it|e\.g\.|for example|otherwise|excluding|except|other than|regardless|whether)\b[^;.]*?(?=[;.]|, (?:by|before|between|then|this)\b|$)/gi,
  /[\w'"-]+, (?:(?:[\w'"-]+ ){0,3}[\w'"-]+, )*(?:[\w'"-]+ ){0,4}?or (?!more\b|less\b|fewer\b|above\b|below\b|high|low|great|late|over\b|under\b)[\w'"-]+/gi,
  /[\w'-]+,? or (?:(?:an?|the|any|in|at|by|on|of|to)\s)*(?!(?:more|less|fewer|higher|lower|above|below|over|under|greater|later|better|worse)\b)[\w'-]+/gi,
]

/** A sentence of rules without the parts that do not make it narrower. */
export const withoutAsides = (sentence: string): string =>
  ASIDES.reduce((text, aside) => text.replace(aside, ' , '), sentence.slice(0, 1_000))

function readQuestion(sentence: string, vocabulary: Vocabulary): Question {
  const words = readWords(withoutAsides(sentence), 80)
  const used = new Uint8Array(words.length)
  readDates(words, used)
  const tokens = readTokens(words, used, vocabulary) //  so that "first round" is no first place
  //  "2 or more" does not answer for 2
  const facts = readNumbers(words, used)
  const valuesOf = (wanted: string) => facts.flatMap(({ shape, value }) => (shape === wanted ? [value] : []))
  return {
    words: [...new Set(tokens.map(({ id }) => id))],
    numbers: valuesOf(''),
    ordinals: valuesOf('#'),
    thresholds: ['>', '>=', '<', '<='].flatMap(valuesOf),
  }
}

/** Clauses in which questions with the same title are known to differ. */
export type FinePrint = {
  deathExcluded: boolean //  death does not pay, or settles at some other price
  announcementPays: boolean //  an announced departure is enough
  mustVacate: boolean //  the post must really be left
  formality: string //  how far an agreement must go: announced, signed, ratified
  remote: boolean //  a call or a video counts as a meeting
  sources: readonly string[] //  stations, indices and feeds that decide
  stations: readonly string[] //  of these, the stations
  published: Published //  whose figures or judgement decide, and which estimate of them
  lasting: string //  how long it must last to count
  refused: readonly string[] //  what it says does not count
  stances: readonly number[] //  which border cases count, see acts.ts
}

function readFinePrint(lower: string): FinePrint {
  return {
    deathExcluded:
      /\b(?:death|dies|died|deceased)\b/.test(lower) &&
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
      /\bvirtual(?:ly)?\b|\bphone call|\bby (?:phone|telephone|video)\b|\bvideo ?conference|\bcall counts/.test(
        lower,
      ) && !/virtual(?:ly)?[^.]{0,60}(?:not|n't) (?:count|qualify)/.test(lower),
    sources: namedIn(lower, SOURCES),
    stations: namedIn(lower, STATIONS),
    published: readPublished(lower.slice(0, 3_000)),
    lasting: [...new Set(lower.slice(0, 1_500).match(LASTING) ?? [])].sort().join(),
    refused: readRefused(lower.slice(0, 4_000)),
    stances: readStances(lower.slice(0, 4_000)),
  }
}

//  A dot after a capital (U.S., J.D.) ends nothing.
const SENTENCE = /^[\s\S]{20,}?(?:[a-z0-9%)"]|[AP]M|ET)[.?!](?=\s|$)/

const STATION_NAMES =
  "central park|laguardia|midway|o'hare|heathrow|lax|dfw|k[a-z]{3}\\b(?= station)|[a-z]+ (?:international )?airport|hobby airport"
const STATIONS = new RegExp(`\\b(?:${STATION_NAMES})\\b`, 'g')
const SOURCES = new RegExp(
  `\\b(?:binance|coinbase|kraken|chainlink|pyth|cf benchmarks|brti|coingecko|coinmarketcap|bloomberg|yahoo finance|tradingview|wunderground|weather underground|national weather service|nws|noaa|${STATION_NAMES})\\b`,
  'g',
)

const namedIn = (lower: string, names: RegExp): string[] => [
  ...new Set(
    lower
      .slice(0, 3_000)
      .replace(/\bint'?l\b/g, 'international')
      .match(names) ?? [],
  ),
]

const LASTING =
  /\b(?:at least|more than|longer than|lasts?|lasting|holds? for|consecutive) (?:\d+|[a-z]+)[- ](?:hours?|days?|weeks?|months?)\b/g
