import { OF_CHAMBERS, sameChambers } from './chambers.ts'
import { compareTiming } from './compareTiming.ts'
import { areOpposite } from './complements.ts'
import { refuseConditions } from './conditions.ts'
import { partsOf } from './days.ts'
import { areOtherEvents } from './events.ts'
import { CAPITAL, type Fingerprint, QUOTED, type Roles } from './fingerprint.ts'
import { areFurtherNames } from './furtherNames.ts'
import { NAME_PARTS } from './lexicon.ts'
import { codeNames, GIVEN, haveOtherInitials, KNOWN_GIVEN, PARTICLES } from './names.ts'
import { areOtherScales } from './numbers.ts'
import { NEXT_ELECTION } from './phrasing.ts'
import { readRelations, refuseRelations } from './relations.ts'
import { RulesFacts } from './rules.ts'
import { areTakenOtherwise, areTurnedRates } from './scales.ts'
import { areOfOthers, tellOtherActs } from './senses.ts'
import { unsaidPart } from './series.ts'
import { sportOfSeries } from './sports.ts'
import { onlyOneTakesPart } from './takePart.ts'
import type { Timing } from './timing.ts'
import { isPair, type Judgement, type Reason, refuse } from './verdict.ts'
import { type Vocabulary, WEIGHT } from './vocabulary.ts'
import { inSteps, type Step, stepOf } from './wholes.ts'
import { readWords, type Word } from './words.ts'

/**
 * Most lower-case words that may be answered by the other side's rules alone; with more of them it is another question.
 */
const ANSWERED_BY_RULES = 3

/** Series about the change of a price index in one month, which their text does not mention; yearly ones end in YOY. */
const MONTHLY = /^KX(?:CPI|CPICORE|PPI|PPICORE|PCE|PCECORE)$/

/** Leagues that "the league" means as a whole; baseball is played in two. */
const ONE_LEAGUE: ReadonlySet<string> = new Set(['nfl', 'nba', 'nhl', 'wnba'])

/** Sports that a series is held in, where only the other side may mention it: "the Big 12 basketball tournament". */
const SPORTS: ReadonlySet<string> = new Set(
  'basketball baseball football hockey tennis soccer cricket'.split(' '),
)

/** Series about the president of the United States, whose country their text leaves out: KXPRESPERSON, KXPRESPARTY. */
const PRESIDENT = /^(?:KX)?PRES(?:PERSON|PARTY|NOM[DR])?$/

const ELECTION = /\belections?\b/i
/**
 * "No later than August 2029", "if none is held by the end of 2028": only a limit, the next election may be earlier.
 */
const LIMITED = /\b(?:by|before|until|later|latest|through|if|unless)\b/i

/** Rules are read once per market, and only for markets that come this far. */
export function rulesOf(market: Fingerprint, vocabulary: Vocabulary): RulesFacts {
  market.rules ??= new RulesFacts(market.market.rules, market.timing.closeMs, vocabulary)
  return market.rules
}

/**
 * Two questions are one when every word of either has its counterpart on the other side, thresholds agree in value and
 * shape, time limits are the same day, no roles are swapped, and the fine print agrees where questions of the kind are
 * known to differ in it. Anything left over refuses the pair.
 */
export function judgeQuestions(a: Fingerprint, b: Fingerprint, vocabulary: Vocabulary): Judgement {
  if (a.chambers !== null || b.chambers !== null) return judgeChambers(a, b, vocabulary)
  //  by far the most common outcome
  if (!b.unnamed && areOthers(a, b, vocabulary)) return refuse('different', 'name')
  return judgeAlike(a, b, vocabulary)
}

/** The same for two questions that name nothing different. Apart, because its functions cost even a pair that needs none of them. */
function judgeAlike(a: Fingerprint, b: Fingerprint, vocabulary: Vocabulary): Judgement {
  const negation = (a.weights ^ b.weights) & WEIGHT.negation
  const left = leftOver(a, b, vocabulary)
  if (left.names > 0 && left.shared < 2) return refuse('different', 'name')
  const named = nameFromTicker(a, b, left, vocabulary)
  if (named === 'missing') return refuse('unreadable', 'outcome_unnamed')
  if (named === null && left.names > 0) return refuse('different', 'name')
  const timing = compareTiming(a, b, () => [rulesOf(a, vocabulary), rulesOf(b, vocabulary)])
  if (!isPair(timing)) return timing
  const opposite = areOpposite(a, b, vocabulary)
  if (!opposite && !sameNumbers(a, b, vocabulary)) return refuse('related', 'numbers')
  if (negation !== 0) return refuse('related', 'negation')
  if (left.words > 0 && named === null) return refuse('related', 'words')
  if (replaces(a, b, vocabulary) && replaces(b, a, vocabulary)) return refuse('related', 'words')
  if (tellOtherActs(a, b, (market) => rulesOf(market, vocabulary))) return refuse('related', 'words')
  if (onlyOneTakesPart(a, b) || areOfOthers(a, b)) return refuse('related', 'words')
  if (swapped(a.roles, b.roles)) return refuse('related', 'roles_swapped')
  if (areOtherEvents(a, b, vocabulary)) return refuse('different', 'name')
  const related = refuseRelations(readRelations(a, vocabulary), readRelations(b, vocabulary))
  if (related !== null) return related
  const [textA, textB] = [textOf(a), textOf(b)]
  if (haveOtherInitials(textA, textB)) return refuse('different', 'name')
  if (areTurnedRates(textA, textB)) return refuse('related', 'roles_swapped')
  const asked = (market: Fingerprint) => `${textOf(market)} | ${rulesOf(market, vocabulary).asked}`
  if (areTakenOtherwise(asked(a), asked(b))) return refuse('related', 'source')
  if (a.facts.length > 0 && areOtherScales(textA, textB)) return refuse('related', 'numbers')
  if (b.ticker !== null && unsaidPart(b.ticker, textB)) return refuse('related', 'game_segment')
  const conditions = refuseConditions(a, b, rulesOf(a, vocabulary), rulesOf(b, vocabulary), vocabulary)
  if (conditions !== null) return conditions
  const reasons: Reason[] = ['same_words', ...timing.reasons]
  if (opposite) reasons.push('opposite_side')
  else if (a.facts.length > 0) reasons.push('same_numbers')
  if (named === 'code') reasons.push('name_from_ticker')
  if (rulesOf(a, vocabulary).present && rulesOf(b, vocabulary).present) reasons.push('rules_read')
  return { verdict: opposite ? 'inverted' : 'identity', reasons }
}

const textOf = ({ market }: Fingerprint): string =>
  `${market.title} | ${market.eventTitle} | ${market.outcome ?? ''}`

type LeftOver = { names: number; words: number; shared: number; namesOfA: number[] }

/** Counts the words of either side that the other cannot answer for. */
function leftOver(a: Fingerprint, b: Fingerprint, vocabulary: Vocabulary): LeftOver {
  const [openA, openB] = [unanswered(a, b, vocabulary), unanswered(b, a, vocabulary)]
  const shared = a.core.length - openA.length
  if (shared > 1 && (openA.length === 0 || openB.length === 0)) {
    const [own, other, open] = openB.length === 0 ? [a, b, openA] : [b, a, openB]
    const ids = open.map((at) => own.core[at]!)
    if (areFurtherNames(own, other, ids, vocabulary)) return { names: 0, words: 0, shared, namesOfA: [] }
  }
  //  rules can answer for one side only: where both have words of their own, each replaces the other's
  const hopeless =
    (openA.length > 0 && openB.length > 0) || openA.length + openB.length > 2 * ANSWERED_BY_RULES
  const ofA = hopeless ? openA : withoutAnswered(a, openA, b, vocabulary)
  const ofB = hopeless ? openB : withoutAnswered(b, openB, a, vocabulary)
  const names = countNames(a, ofA) + countNames(b, ofB)
  return { names, words: ofA.length + ofB.length - names, shared, namesOfA: ofA.map((at) => a.core[at]!) }
}

/**
 * Places whose word the other side's rules do not answer for either; rules answer for at most ANSWERED_BY_RULES words.
 */
function withoutAnswered(
  own: Fingerprint,
  open: readonly number[],
  other: Fingerprint,
  vocabulary: Vocabulary,
): readonly number[] {
  let answered = 0
  return open.filter((at) => {
    if (answered === ANSWERED_BY_RULES) return true
    const isAnswered = rulesOf(other, vocabulary).question.words.includes(own.core[at]!)
    if (isAnswered) answered++
    return !isAnswered
  })
}

const countNames = ({ caps }: Fingerprint, places: readonly number[]): number => {
  let names = 0
  for (const at of places) if (caps[at] !== 0) names++
  return names
}

/** Places in the core whose hard word the other side does not have. */
function unanswered(own: Fingerprint, other: Fingerprint, vocabulary: Vocabulary): number[] {
  const open: number[] = []
  for (let at = 0; at < own.core.length; at++) if (isOpen(at, own, other, vocabulary)) open.push(at)
  return open
}

function isOpen(at: number, own: Fingerprint, other: Fingerprint, vocabulary: Vocabulary): boolean {
  const id = own.core[at]!
  if (other.context.includes(id)) return false
  const word = vocabulary.words[id]!
  const mayBeOpen = (vocabulary.weight(id) & (WEIGHT.soft | WEIGHT.negation)) !== 0
  //  Michigan and Michigan State, Mexico and New Mexico, Kansas and Kansas City
  const isNamePart = own.caps[at] === CAPITAL && NAME_PARTS.has(word)
  if (mayBeOpen && own.caps[at] !== QUOTED && !isNamePart) return false
  if (word === 'win' && (other.weights & (WEIGHT.prize | WEIGHT.namedPrize)) !== 0) return false
  if (word === 'mom' && MONTHLY.test(other.ticker?.series ?? '')) return false
  if (word === NEXT_ELECTION && isOfNamedYear(own, other)) return false
  if (word === 'league' && own.league === other.league && ONE_LEAGUE.has(own.league ?? '')) return false
  if (word === 'us' && (other.weights & WEIGHT.american) !== 0) return false
  if (word === 'us' && PRESIDENT.test(other.ticker?.series ?? '')) return false
  //  venue A identifies a grand prix by its drivers; where A says F1, the series of venue B must say so
  if (word === 'f1' && own.ticker !== null && other.core.includes(vocabulary.id('grandprix'))) return false
  if (word === 'president' && isPardonedBy(other, vocabulary)) return false
  if (word === 'trump' && isPardonedBy(own, vocabulary) && /^KXTRUMPPARDON/.test(other.ticker?.series ?? ''))
    return false
  if (SPORTS.has(word) && sportOfSeries((own.ticker ?? other.ticker)?.series ?? '') === word) return false
  return !isGivenName(word, own, other, vocabulary)
}

/** A presidential pardon is one by the president the other side names: "Will Trump pardon". */
function isPardonedBy({ roles }: Fingerprint, vocabulary: Vocabulary): boolean {
  return roles?.verb === vocabulary.id('pardon') && actors(roles).includes(vocabulary.id('trump'))
}

/**
 * "The next election" is that of a named year: its own event names one, which has been compared already, or its rules
 * say that it is held in the year the other side names.
 */
function isOfNamedYear({ timing, market }: Fingerprint, other: Fingerprint): boolean {
  if (timing.editions.length > 0) return true
  const held = market.rules.split(/[.;]\s/).filter((each) => ELECTION.test(each) && !LIMITED.test(each))
  return other.timing.editions.some(({ year }) =>
    held.some((each) => each.split(/\D+/).includes(String(year))),
  )
}

/** Does each side have a word of its own, one of them a name? Then no rules can answer, and no more needs counting. */
function areOthers(a: Fingerprint, b: Fingerprint, vocabulary: Vocabulary): boolean {
  const ofA = mostOpen(a, b, vocabulary, OPEN.name)
  if (ofA === OPEN.none) return false
  const ofB = mostOpen(b, a, vocabulary, ofA === OPEN.name ? OPEN.word : OPEN.name)
  return ofB !== OPEN.none && Math.max(ofA, ofB) === OPEN.name
}

const OPEN = { none: 0, word: 1, name: 2 } as const

/** The most that a word of its own says, of those the other side does not have; `enough` ends the search. */
function mostOpen(own: Fingerprint, other: Fingerprint, vocabulary: Vocabulary, enough: number): number {
  let most: number = OPEN.none
  for (let at = 0; at < own.core.length && most < enough; at++)
    if (isOpen(at, own, other, vocabulary)) most = Math.max(most, own.caps[at] === 0 ? OPEN.word : OPEN.name)
  return most
}

/** Does it have a soft word that the other side lacks? Where both do, each word replaces the other. */
function replaces(own: Fingerprint, other: Fingerprint, vocabulary: Vocabulary): boolean {
  return own.core.some(
    (id) =>
      (vocabulary.weight(id) & (WEIGHT.soft | WEIGHT.dress)) === WEIGHT.soft && !other.context.includes(id),
  )
}

/** A given name that the other side leaves out: Donald, where it says Trump alone. */
function isGivenName(word: string, own: Fingerprint, other: Fingerprint, vocabulary: Vocabulary): boolean {
  if (!GIVEN.has(word)) return false
  for (const id of own.core) {
    const given = KNOWN_GIVEN.get(vocabulary.words[id]!)
    if (given?.has(word) && other.context.includes(id)) return true
  }
  return false
}

/** The outcome is named in the ticker only: its letters must fit the name A adds, and nothing else be left over. */
function nameFromTicker(
  a: Fingerprint,
  b: Fingerprint,
  left: LeftOver,
  vocabulary: Vocabulary,
): 'code' | 'missing' | null {
  if (!b.unnamed) return null
  if (b.ticker?.suffix == null || left.namesOfA.length === 0) return 'missing'
  if (left.names + left.words !== left.namesOfA.length) return 'missing'
  const wanted = new Set(left.namesOfA)
  const words = readWords(a.market.title)
  const isWanted = ({ text }: Word) => wanted.has(vocabulary.idAsRead(text))
  const run = words.slice(words.findIndex(isWanted), words.findLastIndex(isWanted) + 1)
  //  one name and nothing else: "the popular vote", "Georgia" elsewhere in the title ask more
  if (!run.every((word) => isWanted(word) && (word.cap || PARTICLES.has(word.text)))) return 'missing'
  const names = run.map(({ text }) => text)
  return names.length === wanted.size && codeNames(b.ticker.suffix, names) ? 'code' : 'missing'
}

/** The same thresholds. Numbers without a shape that one side adds may be in the other's context or rules. */
function sameNumbers(a: Fingerprint, b: Fingerprint, vocabulary: Vocabulary): boolean {
  if (a.facts === b.facts) return true
  if (a.facts.length === b.facts.length && a.facts.every((fact, at) => fact === b.facts[at])) return true
  const step = stepOf(a, b, vocabulary)
  const [factsA, factsB] = [inSteps(a.facts, step), inSteps(b.facts, step)]
  const onlyA = factsA.filter((fact) => !factsB.includes(fact) && !isExactly(fact, a, factsB, b, step))
  const onlyB = factsB.filter((fact) => !factsA.includes(fact) && !isExactly(fact, b, factsA, a, step))
  if (onlyA.length > 0 && onlyB.length > 0) return false
  const [extra, other] = onlyA.length > 0 ? [onlyA, b] : [onlyB, a]
  return extra.every((fact) => {
    const plain = /^(#?)(-?[\d.]+)$/.exec(fact)
    if (plain === null) return false
    const value = Number(plain[2])
    if (plain[1] === '' && isSeason(value, a, b)) return true
    //  to be the first of them is not to be one of them
    if (plain[1] === '#')
      return (
        other.contextOrdinals.includes(value) || rulesOf(other, vocabulary).question.ordinals.includes(value)
      )
    return other.contextValues.includes(value) || rulesOf(other, vocabulary).question.numbers.includes(value)
  })
}

/** "Survivor Season 52" on venue A is KXSURVIVOR-S52 on venue B, whose text may leave the number out. */
function isSeason(value: number, a: Fingerprint, b: Fingerprint): boolean {
  return (
    b.marketId.split('-').includes(`S${value}`) &&
    new RegExp(`\\bseason ${value}\\b`, 'i').test(a.market.title)
  )
}

/**
 * "Be 4.5%" and "will 3 cuts happen" ask for exactly that number, as does "increase by 4.5%" of a statistic; "win 52
 * seats" does not.
 */
function isExactly(
  fact: string,
  own: Fingerprint,
  others: readonly string[],
  other: Fingerprint,
  step: Step,
): boolean {
  const [, equals, value, unit] = /^(=?)(-?[\d.]+)([$%]?)$/.exec(fact) ?? []
  if (value === undefined || !others.includes(equals === '' ? `=${fact}` : fact.slice(1))) return false
  const { title } = (equals === '' ? own : other).market
  const said = unit === '$' ? `$${value}` : value
  if (title.startsWith(`Will ${said} `) && / (?:happen|occur)\b/.test(title)) return true
  return title.includes(` be ${said}`) || (step === 'tenths' && title.includes(` by ${said}`))
}

/** The same verb, but the actor on one side is acted upon on the other. */
function swapped(a: Roles | null, b: Roles | null): boolean {
  if (a === null || b === null || a.verb !== b.verb) return false
  const meet = (x: readonly number[], y: readonly number[]) => x.some((id) => y.includes(id))
  return meet(actors(a), sufferers(b)) || meet(sufferers(a), actors(b))
}

function actors({ passive, before, after }: Roles): readonly number[] {
  return passive ? after : before
}

function sufferers({ passive, before, after }: Roles): readonly number[] {
  return passive ? before : after
}

/** Two chambers in one question: party by party, and the Congress of the same election. */
function judgeChambers(a: Fingerprint, b: Fingerprint, vocabulary: Vocabulary): Judgement {
  if (a.chambers === null || b.chambers === null || !sameChambers(a.chambers, b.chambers))
    return refuse('related', 'conjunction')
  const told = [...a.context, ...b.context].filter(
    (id) =>
      (vocabulary.weight(id) & WEIGHT.soft) === 0 && !(a.context.includes(id) && b.context.includes(id)),
  )
  if (told.some((id) => !OF_CHAMBERS.has(vocabulary.words[id]!))) return refuse('different', 'name')
  if (!sameNumbers(a, b, vocabulary)) return refuse('related', 'numbers')
  const [yearA, yearB] = [electionYear(a.timing), electionYear(b.timing)]
  if (yearA === null || yearB === null) return refuse('unreadable', 'limit_unknown')
  return yearA === yearB
    ? { verdict: 'identity', reasons: ['same_words', 'same_edition'] }
    : refuse('related', 'year')
}

/** A Congress of "Feb 2027" was elected in 2026. */
function electionYear({ editions, limit, impliedYear }: Timing): number | null {
  const monthly = limit?.kind === 'month' ? partsOf(limit.day) : null
  if (monthly !== null && monthly.month <= 2) return monthly.year - 1
  return editions[0]?.year ?? (limit === null ? impliedYear : partsOf(limit.day).year)
}
