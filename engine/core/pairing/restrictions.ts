import { readDates } from './dates.ts'
import type { Fingerprint } from './fingerprint.ts'
import { isPublisher } from './publishers.ts'
import { type RulesFacts, withoutAsides } from './rules.ts'
import { readTokens, type Token } from './tokens.ts'
import { type Vocabulary, WEIGHT } from './vocabulary.ts'
import { readWords, textAt, type Word } from './words.ts'
import { wordSet } from './wordTable.ts'

/** Words that introduce a place, a cause, a manner or what somebody is convicted of. */
const LEADS_IN = wordSet('in at from on onto of to for by through via with near inside against')
/**
 * Words that introduce a manner. Only the resolving sentence asks for one; fine print lists ways that count besides
 * others.
 */
const MANNER = wordSet('by through via')
/** "By resignation or removal" is a manner too, "by resignation or otherwise" is not. */
const EITHER_MANNER =
  /(?<!\b(?:including|whether|either|or|such as) )\b((?:by|through|via) (?:(?:an?|the) )?[a-z][a-z -]*?) or (?!otherwise|any|other|not|earlier|later|sooner)[a-z-]+/g
/** Verbs that introduce what somebody is accused of. */
const ACCUSES = /^(?:convict|guilty|charg|indict|accus|arrest|sentenc)/
/** Who says so: publishers.ts compares that. */
const SAID_BY =
  /\b(?:according to|as (?:reported|published|announced|confirmed) (?:by|in|on)|per the)\b[^,;.]*/gi
const ARTICLES = wordSet('the a an any its his her their one')
/** "According to", "as reported by": who tells of it, which publishers.ts compares. */
const TELLS =
  /^(?:according|accord|report|publish|announc|confirm|determin|measur|defin|sourc|stat|verif|record|base)/
/** Words of contracts in general, which are the same whatever is asked. */
const OF_CONTRACTS = wordSet(
  `issuance creation launch listed named relevant specified following contract listing payout criterion exchange
  timeframe date dates deadline expiration period term terms order part least total effect place public publicly
  geographic boundarie boundaries territory terrestrial airspace presence present person virtual phone telephone video
  am pm et est edt utc us usa president presidential government administration official officials federal
  group region state country nation world`,
)

/**
 * Does the sentence that resolves one market state a place, a manner or a charge that the other mentions nowhere:
 * released "by presidential pardon", convicted "of bribery", an earthquake "in California"? Then the title of both is
 * the wider question, and one contract asks for less.
 */
export function restrictsMore(
  own: Fingerprint,
  ownRules: RulesFacts,
  other: Fingerprint,
  rules: RulesFacts,
  vocabulary: Vocabulary,
): boolean {
  const read = readCondition(own, ownRules, other, rules, vocabulary)
  if (read === null) return false
  const { words, dated, tokens, says, isAsked, isOpen } = read
  for (let at = 0; at < words.length; at++) {
    if (!LEADS_IN.has(words[at]!.text) || TELLS.test(textAt(words, at - 1))) continue
    //  by whom a song or album is
    if (words[at]!.text === 'by' && words[at - 1]?.quoted) continue
    const end = endOf(words, at + 1, dated)
    const led = tokens.filter((token) => token.at > at && token.at < end)
    const told = led.filter(says)
    const text = words.slice(at + 1, end).map((word) => word.text)
    if (told.length === 0 || isPublisher(text.join(' '))) continue
    const isManner = MANNER.has(words[at]!.text) && led.every(({ cap }) => !cap)
    const isNamed = led.some(({ cap }) => cap)
    //  venue A states more than it asks: "at a concert", "for sale"
    if (own.venue === 'a' && !isManner && !isNamed && !ACCUSES.test(textAt(words, at - 1))) continue
    if (told.every((token) => (isManner ? !isAsked(token) : isOpen(token)))) return true
  }
  //  venue B asks in one short sentence, so that a name or a kind it adds is what it asks about
  return (
    own.venue === 'b' &&
    (namesAnother(words, tokens, (token) => says(token) && isOpen(token)) ||
      tokens.some((token, nth) => {
        const noun = tokens[nth + 1]
        if (token.cap || noun?.at !== token.at + 1 || !/^an?$/.test(textAt(words, token.at - 1))) return false
        return says(token) && isAsked(noun) && isOpen(token)
      }))
  )
}

type Condition = {
  words: readonly Word[]
  dated: Uint8Array
  tokens: readonly Token[]
  says: (token: Token) => boolean //    does the word say something of its own?
  isAsked: (token: Token) => boolean // is it in a title, or in the sentence that resolves the other market?
  isOpen: (token: Token) => boolean //  is it nowhere else?
}

/** What stands behind "if" in the sentence that resolves one market, to be compared with the other market. */
function readCondition(
  own: Fingerprint,
  ownRules: RulesFacts,
  other: Fingerprint,
  rules: RulesFacts,
  vocabulary: Vocabulary,
): Condition | null {
  const plain = withoutAsides(ownRules.asked.replace(SAID_BY, ' ').replace(EITHER_MANNER, '$1'))
  const clause = /\b(?:if|whether)\b(.*?)(?:,? then\b|$)/is.exec(plain)?.[1]
  if (clause === undefined) return null
  const words = readWords(clause.slice(0, 600), 80)
  const used = new Uint8Array(words.length)
  readDates(words, used)
  const dated = used.slice()
  const tokens = readTokens(words, used, vocabulary)
  const [asked, lower] = [once(() => rules.asked.toLowerCase()), once(() => rules.lower)]
  const says = ({ id, at }: Token): boolean =>
    (vocabulary.weight(id) & (WEIGHT.soft | WEIGHT.dress)) === 0 &&
    !OF_CONTRACTS.has(vocabulary.words[id]!) &&
    !isPublisher(words[at]!.text)
  const spelled = spelledOut(words, (name) =>
    [own, other].some(({ context }) => context.some((id) => vocabulary.words[id] === name)),
  )
  const isAsked = ({ id, at }: Token): boolean =>
    spelled.has(at) ||
    own.context.includes(id) ||
    other.context.includes(id) ||
    rules.question.words.includes(id) ||
    asked().includes(stemOf(words[at]!))
  //  the whole text is looked at only for what titles and sentence leave open
  const isOpen = (token: Token): boolean => !isAsked(token) && !lower().includes(stemOf(words[token.at]!))
  return { words, dated, tokens, says, isAsked, isOpen }
}

/**
 * Do both sentences that resolve the markets say something of their own that the other market mentions nowhere, under
 * titles that agree: "is taken into custody" against "is charged"? Then each asks for something in place of what the
 * other asks. What only one of them adds may be no more than detail.
 */
export function asksOtherwise(
  a: Fingerprint,
  rulesA: RulesFacts,
  b: Fingerprint,
  rulesB: RulesFacts,
  vocabulary: Vocabulary,
): boolean {
  const hasOwn = (read: Condition | null, { lower }: RulesFacts): boolean => {
    if (read === null) return false
    const isOwn = (token: Token) => {
      const { text } = read.words[token.at]!
      return (
        !IN_OTHER_WORDS.has(text) &&
        !text.endsWith('ly') && //  officially, formally
        read.says(token) &&
        read.isOpen(token) &&
        !lower.includes(text.slice(0, 5)) //  who applies makes an application
      )
    }
    return (
      read.tokens.some((token) => !token.cap && isOwn(token)) || namesAnother(read.words, read.tokens, isOwn)
    )
  }
  return (
    hasOwn(readCondition(b, rulesB, a, rulesA, vocabulary), rulesA) &&
    hasOwn(readCondition(a, rulesA, b, rulesB, vocabulary), rulesB)
  )
}

/** What is said in many ways: the top of a ranking, the first print of a figure, the critics of Rotten Tomatoes. */
const IN_OTHER_WORDS = wordSet(
  `both either all each top highest best most first rank ranks ranked ranking score scores owned owns belongs
  advance initial preliminary estimate release print report tomatometer critics`,
)

/** Makes a text at first use and keeps it: the rules make it anew at every access. */
function once(make: () => string): () => string {
  let made: string | null = null
  return () => {
    made ??= make()
    return made
  }
}

/** The prefix by which a word is found in a text that inflects it differently. */
const stemOf = ({ text }: Word): string => text.slice(0, 6)

/** Places of full names whose initials a title has: the North Atlantic Treaty Organization is NATO. */
function spelledOut(words: readonly Word[], isTitled: (name: string) => boolean): ReadonlySet<number> {
  const places = new Set<number>()
  for (let from = 0; from < words.length; from++) {
    let initials = ''
    for (
      let at = from;
      words[at]?.cap === true || (at > from && /^(?:of|the|and|for)$/.test(textAt(words, at)));
      at++
    ) {
      if (!words[at]!.cap) continue
      initials += words[at]!.text[0]!
      if (initials.length < 3 || !isTitled(initials)) continue
      for (let place = from; place <= at; place++) places.add(place)
    }
  }
  return places
}

/** Up to the next small word, number or date: "in the state of Oslo" ends at "of". */
function endOf(words: readonly Word[], from: number, dated: Uint8Array): number {
  let at = from
  while (ARTICLES.has(textAt(words, at))) at++
  while (at < words.length && dated[at] === 0 && words[at]!.value === null && !ENDS.has(words[at]!.text)) at++
  return at
}
const ENDS = wordSet(
  `in at from on onto of to for by through via with near inside against and or as is are was were be been being has have
  had before after during between within that which who until since then if under over above below than`,
)

/** Is there a capitalised name, taken as a whole, that is mentioned nowhere else? */
function namesAnother(
  words: readonly Word[],
  tokens: readonly Token[],
  isOpen: (token: Token) => boolean,
): boolean {
  let [open, answered, last] = [false, false, -2]
  for (const token of tokens) {
    if (!token.cap) continue
    const joined = words.slice(last + 1, token.at).every(({ text }) => text === 'of' || text === 'the')
    if (!joined || last < 0) {
      if (open && !answered) return true
      ;[open, answered] = [false, false]
    }
    if (isOpen(token)) open = true
    else answered = true
    last = token.at
  }
  return open && !answered
}
