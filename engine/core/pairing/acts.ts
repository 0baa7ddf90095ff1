import { SOFT, STOP } from './lexicon.ts'
import type { RulesFacts } from './rules.ts'
import { canonicalWord } from './vocabulary.ts'

/**
 * Acts that precede the event itself or stand in for it: someone who applies has not joined yet, what is announced is
 * not out yet.
 */
const EARLIER: readonly RegExp[] = [
  /^(?:announc|declar(?!ation)|noti(?:ce|f))/,
  /^(?:appl(?:y|ies|ied|ication)|fil(?:e|es|ed|ing)$|submi|petition|request|bids?$|regist)/,
  /^(?:propos|introduc|draft(?:s|ed)?$|recommend|suggest)/,
  /^(?:plan(?:s|ned)?$|scheduled?$|inten[dt]|consider|seeks?$|attempt|tr(?:y|ies|ied)$|threat|offer|pledg|promis|vow)/,
  /^(?:negotiat|discuss|enters?$)/,
  /^(?:invit|nominat)/,
  /^(?:approv|authori[sz]|order)/,
  /^(?:sign(?:s|ed)?$|ratif)/,
]

/** What may stand between "if" and the verb: who acts, and how. */
const BEFORE_VERB = new Set(
  `the a an any its his her their of and or in for by at least one two both this that it is are was were be been being
  has have had does do will must formally officially publicly formal official public federal national current
  former listed named relevant individual person people company companies party country countries state government
  president prime minister secretary director chair leader court board council committee ministry department
  parliament legislature cabinet lawmakers regulators voters
  administration member members either gives give given makes made issues issued receives received provides provided`.split(
    /\s+/,
  ),
)

/** Which earlier act a sentence of rules turns on, by the verb behind "if"; -1 when it turns on none. */
export function earlierAct(asked: string): number {
  const clause = /\b(?:if|whether)\b(.*)/is.exec(asked.replace(/\([^)]*\)/g, ' '))?.[1] ?? ''
  //  "declares that it is so": the declaration is the act itself, not an earlier one
  if (/^[^,;]*?\b(?:announc|declar)\w* that\b(?!.*\b(?:will|would|inten[dt]|plan)).*/is.test(clause))
    return -1
  const words = clause.match(/[A-Za-z][\w'.-]*/g) ?? []
  for (let at = 0; at < words.length; at++) {
    const lower = words[at]!.toLowerCase()
    if (lower !== words[at]) continue
    const act = EARLIER.findIndex((pattern) => pattern.test(lower))
    if (act !== -1) return act
    //  "a ban is proposed"
    if (!BEFORE_VERB.has(lower) && !/^(?:is|are|was|were|has|have)$/.test(words[at + 1] ?? ''))
      return passiveAct(asked)
  }
  return -1
}

/**
 * "If articles of impeachment against Ola Berg are introduced": the verb that is done to a subject of any name; verbs
 * of relative clauses do not count.
 */
const SENT_IN =
  /\b(?:if|whether)\b(?:(?!\b(?:that|which|who|whose|after|when|once|unless|and|or)\b)[^,;:()]){4,90}\b(?:is|are|was|were|been|be) (?:formally |officially |publicly )?(filed|submitted|introduced|proposed|announced|scheduled|planned)\b/i

const passiveAct = (asked: string): number => {
  const verb = SENT_IN.exec(asked)?.[1]?.toLowerCase()
  return verb === undefined ? -1 : EARLIER.findIndex((pattern) => pattern.test(verb))
}

/**
 * Does one contract turn on an earlier act that its title does not ask for and the other nowhere accepts?
 * @param a title and rules.
 */
export function areEarlierActs(a: Contract, b: Contract): boolean {
  const [actA, actB] = [hiddenAct(a), hiddenAct(b)]
  return actA !== actB && (isUnsaid(actA, b.rules) || isUnsaid(actB, a.rules))
}

type Contract = { title: string; rules: RulesFacts }

function hiddenAct({ title, rules }: Contract): number {
  const act = rules.earlierAct
  if (act === -1) return -1
  const asked = title.toLowerCase().match(/[a-z]+/g) ?? []
  return asked.some((word) => EARLIER[act]!.test(word)) ? -1 : act
}

/** Is the act mentioned nowhere in the text, apart from clauses about sources and about what does not count? */
function isUnsaid(act: number, { lower }: RulesFacts): boolean {
  if (act === -1) return false
  const told = clausesOf(lower.slice(0, 4_000)).filter(
    (clause) => !REFUSES.test(clause) && !/\bsources?\b|\breport/.test(clause),
  )
  return !told.some((clause) => clause.match(/[a-z]+/g)?.some((word) => EARLIER[act]!.test(word)))
}

/** Border cases that contracts settle one way or the other. */
const BORDER: readonly RegExp[] = [
  /\bannounce(?:ment|ments|d|s)?\b/,
  /\b(?:temporar(?:y|ily)|any (?:length|period|amount) of time)\b/,
  /\b(?:acting|interim|caretaker)\b/,
  /\b(?:virtual(?:ly)?|video|phone|telephone|remote(?:ly)?)\b/,
  /\b(?:early access|beta|preview|demo|waitlist)\b/,
  /\b(?:pre-?orders?|trailers?|leaks?)\b/,
  /\b(?:airspace|layovers?|flyovers?|fl(?:y|ying) over)\b/,
  /\b(?:cyber ?attacks?|drones?|proxy|proxies|intercept(?:ion|ions|ed)?)\b/,
  /\b(?:overtime|extra time|extra innings)\b/,
  /\b(?:plurals?|possessives?|compound)\b/,
  /\b(?:re-?posts?|retweets?|replies|quote posts?)\b/,
  /\b(?:partial|framework|memorandum|letter of intent|verbal|informal)\b/,
  /\b(?:plea|settlement|mistrial)\b/,
  /\b(?:recess|acting capacity|unanimous consent|voice vote)\b/,
]
const COUNTS =
  /\b(?:counts?|counted|qualif(?:y|ies)|qualifying|suffic(?:e|es|ient)|enough|includ(?:e|es|ed|ing)|consider(?:ed)?|satisf(?:y|ies))\b/
const REFUSES = /\b(?:not|n't|cannot|nor|neither|never|exclud(?:e|es|ed|ing)|except|insufficient|alone)\b/

/** For each border case +1 where the text counts it, -1 where it does not, 0 where it says nothing or both. */
export function readStances(lower: string): readonly number[] {
  const named = BORDER.map((pattern) => pattern.test(lower))
  if (!named.includes(true)) return NO_STANCES
  const clauses = clausesOf(lower).filter((clause) => COUNTS.test(clause) || REFUSES.test(clause))
  return BORDER.map((pattern, at) => {
    if (!named[at]) return 0
    const told = clauses.filter((clause) => pattern.test(clause))
    const against = told.filter((clause) => REFUSES.test(clause)).length
    const pro = told.filter((clause) => COUNTS.test(clause) && !REFUSES.test(clause)).length
    return against > 0 && pro > 0 ? 0 : Math.sign(pro - against)
  })
}

const NO_STANCES: readonly number[] = BORDER.map(() => 0)

const clausesOf = (lower: string): string[] => lower.split(/(?<=[.;:!?])\s|[\n()]/)

/** Does one contract count what the other says does not count? */
export const areOpposed = (a: RulesFacts, b: RulesFacts): boolean =>
  a.fine.stances.some((stance, at) => stance * b.fine.stances[at]! < 0) ||
  countsRefused(a, b) ||
  countsRefused(b, a) ||
  setsAsideIncluded(a, b) ||
  setsAsideIncluded(b, a)

const DOES_NOT_COUNT =
  /^(.{4,160}?)\b(?:will|do|does|would|shall|may|is|are) not (?:alone |by (?:itself|themselves) )?(?:be )?(?:count|qualif|suffic|considered|satisf|enough)/

const NOTHING: readonly string[] = []

/**
 * What a text says does not count: the words before "will not count", as in "a commutation or reprieve will not count".
 */
export function readRefused(lower: string): readonly string[] {
  if (!/ not [^.]{0,30}(?:count|qualif|suffic|considered|satisf|enough)/.test(lower)) return NOTHING
  return clausesOf(lower).flatMap((clause) => wordsOf(DOES_NOT_COUNT.exec(clause)?.[1] ?? ''))
}

/**
 * Does the other contract list something this one refuses among what makes it resolve: "a pardon, commutation, or
 * reprieve"?
 */
function countsRefused(own: RulesFacts, other: RulesFacts): boolean {
  if (own.fine.refused.length === 0) return false
  const [ofOwn, listed] = [wordsOf(own.asked.toLowerCase()), listedIn(plainly(other.asked.toLowerCase()))]
  return own.fine.refused.some((word) => !ofOwn.includes(word) && listed.includes(word))
}

/** The words around "or", and the words of the list that ends with it. */
function listedIn(asked: string): string[] {
  const lists = asked.match(/(?:[\w'-]+, )*[\w'-]+,? or (?:an? |the )?[\w'-]+/g) ?? []
  return lists.flatMap(wordsOf)
}

/**
 * "Excluding the islands of Oslo" against "including Oslo": the resolving sentence of one excludes what the other
 * includes.
 */
function setsAsideIncluded(own: RulesFacts, other: RulesFacts): boolean {
  const aside = SET_ASIDE.exec(own.asked)?.[1]
  const taken = aside === undefined ? undefined : TAKEN_IN.exec(plainly(other.asked))?.[1]
  if (aside === undefined || taken === undefined) return false
  const included = wordsOf(taken.toLowerCase())
  return wordsOf(aside.toLowerCase()).some((word) => included.includes(word))
}

//  ends where the sentence goes on with its limit
const SET_ASIDE =
  /\b(?:excluding|except(?: for)?|other than|not including)\b ((?:(?!\b(?:by|before|between|then|this|will|in \d)\b)[^.;()]){3,120})/i
const TAKEN_IN =
  /(?<!\bnot )\b(?:including|includes)\b ((?:(?!\b(?:by|before|between|then|this|will|in \d)\b)[^.;()]){3,120})/i

/** The sentence without what it excludes itself. */
const plainly = (asked: string): string =>
  asked.replace(/\b(?:not|other than|excluding|except|without|rather than)\b[^,;.]*/g, ' ')

const wordsOf = (lower: string): string[] =>
  (lower.match(/[a-z]{4,}/g) ?? []).filter((word) => !STOP.has(word) && !SOFT.has(word)).map(canonicalWord)
