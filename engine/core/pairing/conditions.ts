import type { Market } from '../../../ingest/contract/market.ts'
import { areEarlierActs, areOpposed } from './acts.ts'
import { askedText, type Fingerprint } from './fingerprint.ts'
import { areOtherHours } from './hours.ts'
import { isPublishedElsewhere } from './publishers.ts'
import { asksOtherwise, restrictsMore } from './restrictions.ts'
import type { RulesFacts } from './rules.ts'
import { type Judgement, refuse } from './verdict.ts'
import { type Vocabulary, WEIGHT } from './vocabulary.ts'

/**
 * The fine print of questions whose titles agree. Kinds that are known to differ between the venues need the rules of
 * both; without them the pair is refused as unreadable.
 */
export function refuseConditions(
  a: Fingerprint,
  b: Fingerprint,
  rulesA: RulesFacts,
  rulesB: RulesFacts,
  vocabulary: Vocabulary,
): Judgement | null {
  if (ranksOther(a, rulesA, b, rulesB) || ranksOther(b, rulesB, a, rulesA))
    return refuse('related', 'numbers')
  if (isOfPart(a, rulesA, b, rulesB) || isOfPart(b, rulesB, a, rulesA))
    return refuse('related', 'border_clause')
  const both = rulesA.present && rulesB.present
  const delicate = asks(a, b, WEIGHT.delicate)
  if (asks(a, b, WEIGHT.measured))
    return (
      refuseSources(both, rulesA, rulesB) ??
      ([a, b].some(isOfOneDay) && areOtherHours(textOf(a, rulesA), textOf(b, rulesB))
        ? refuse('related', 'limit')
        : rulesA.fine.stations.length === 0 && asksOtherwise(a, rulesA, b, rulesB, vocabulary)
          ? refuse('related', 'border_clause')
          : null)
    )
  if (!both) return delicate ? refuse('unreadable', 'rules_missing') : null
  if (isPublishedElsewhere(rulesA.fine.published, rulesB.fine.published)) return refuse('related', 'source')
  const [contractA, contractB] = [
    { title: a.market.title, rules: rulesA },
    { title: b.market.title, rules: rulesB },
  ]
  if (areEarlierActs(contractA, contractB)) return refuse('related', 'announcement_clause')
  if (areOpposed(rulesA, rulesB)) return refuse('related', 'border_clause')
  if (isOutOfTurn(a, rulesA) !== isOutOfTurn(b, rulesB)) return refuse('related', 'border_clause')
  //  fine print is read from the whole text, so only where the question depends on it
  if (delicate && rulesA.fine.deathExcluded !== rulesB.fine.deathExcluded)
    return refuse('related', 'death_clause')
  if (asks(a, b, WEIGHT.leaving)) {
    if (
      rulesA.fine.announcementPays !== rulesB.fine.announcementPays ||
      rulesA.fine.mustVacate !== rulesB.fine.mustVacate
    )
      return refuse('related', 'announcement_clause')
  }
  if (asks(a, b, WEIGHT.completed) && stepOf(rulesA) !== stepOf(rulesB))
    return refuse('related', 'announcement_clause')
  if (!asks(a, b, WEIGHT.scheduled) && areOtherSteps(stepOf(rulesA), stepOf(rulesB)))
    return refuse('related', 'announcement_clause')
  if (delicate && rulesA.fine.lasting !== rulesB.fine.lasting) return refuse('related', 'formality_clause')
  if (asks(a, b, WEIGHT.agreement) && rulesA.fine.formality !== rulesB.fine.formality)
    return refuse('related', 'formality_clause')
  if (
    asks(a, b, WEIGHT.meet) &&
    (rulesA.fine.remote && !saysInPerson(a)) !== (rulesB.fine.remote && !saysInPerson(b))
  )
    return refuse('related', 'remote_clause')
  //  the ticker of a game says which one, however its rules describe it
  if (b.ticker?.isGame !== true && asksOtherwise(a, rulesA, b, rulesB, vocabulary))
    return refuse('related', 'border_clause')
  //  for something held on a fixed day, such thresholds follow from it: the seats of a majority, the points of a win
  if (asks(a, b, WEIGHT.scheduled)) return null
  if (setsAnother(a, rulesA, b, rulesB) || setsAnother(b, rulesB, a, rulesA))
    return refuse('related', 'numbers')
  if (restrictsMore(a, rulesA, b, rulesB, vocabulary) || restrictsMore(b, rulesB, a, rulesA, vocabulary))
    return refuse('related', 'border_clause')
  return null
}

/** Do the rules of one set a threshold that nothing else says: "tariffs of at least 50%", where tariffs are asked for? */
function setsAnother(own: Fingerprint, ownRules: RulesFacts, other: Fingerprint, rules: RulesFacts): boolean {
  const { thresholds } = ownRules.question
  if (thresholds.length === 0) return false
  const { numbers, thresholds: others } = rules.question
  const said = [...own.contextValues, ...other.contextValues, ...numbers, ...others]
  return thresholds.some((value) => !said.includes(value))
}

//  A place given by its ordinal: "the second-largest company", "finishes in 3rd place"; of months and rounds an ordinal
//  is no place.
const RANK =
  /\b(?:(second|2nd)|(third|3rd)|(fourth|4th)|(fifth|5th))[ -](?:place\b|(?:most|best|worst|least)\b|(?!interest\b|latest\b|request\b|west\b|test\b)[a-z]{3,}est\b)/

/**
 * Do the rules of one ask for a place that neither its own title nor the other market names: "second largest" under
 * "largest"?
 */
function ranksOther(own: Fingerprint, { asked }: RulesFacts, other: Fingerprint, rules: RulesFacts): boolean {
  const rank = rankIn(asked.toLowerCase())
  if (rank === -1) return false
  return ![askedText(own), textOf(other, rules)].some((text) => rankIn(text.toLowerCase()) === rank)
}

const rankIn = (lower: string): number => RANK.exec(lower)?.slice(1).findIndex(Boolean) ?? -1

/** Parts of an election, of a figure or of a service: what holds for one of them need not hold for the whole. */
const PART_OF: readonly RegExp[] = [
  /\b(?:first|1st) round\b/,
  /\bcore\b/,
  /\bexcluding (?:autos?|food|gas)\b/,
  /\bwithout (?:an?|any) /,
]

/** Do the rules of one ask about such a part, of which neither its own title nor anything of the other market speaks? */
function isOfPart(own: Fingerprint, { asked }: RulesFacts, other: Fingerprint, rules: RulesFacts): boolean {
  const lower = asked.toLowerCase()
  const part = PART_OF.findIndex((pattern) => pattern.test(lower))
  if (part === -1 || !rules.present) return false
  return ![rules.lower, ...[own, other].map(({ market }) => titlesOf(market).toLowerCase())].some((text) =>
    PART_OF[part]!.test(text),
  )
}

/** Acts outside the regular schedule: an emergency cut is not just any cut. */
const OUT_OF_TURN =
  /\b(?:emergency|unscheduled|inter-?meeting|outside (?:of )?(?:an?|any|its|the|their) (?:regular(?:ly)? )?scheduled)\b/i

/** Do the market's titles or its resolving sentence ask for such an act? */
const isOutOfTurn = (market: Fingerprint, rules: RulesFacts): boolean =>
  OUT_OF_TURN.test(textOf(market, rules))

//  Steps of a deal or a listing; a question depends on the step its rules name first.
const STEPS: readonly RegExp[] = [
  /\b(?:announc\w*|agree\w*)\b/,
  /\b(?:files?|filed|filing|submits?|appl(?:y|ies|ied)|application)\b/,
  /\b(?:complet\w*|clos(?:e|es|ed|ing)|consummat\w*|finali[sz]\w*)\b/,
  /\b(?:trad(?:e|es|ed|ing)|listed|lists|priced?)\b/,
]

const stepOf = ({ asked }: RulesFacts): number =>
  STEPS.findIndex((pattern) => pattern.test(asked.toLowerCase()))

/**
 * For any other question the first three steps distinguish acts, where both rules name one; "the listed person" is no
 * listing.
 */
const areOtherSteps = (x: number, y: number): boolean => x !== y && Math.min(x, y) >= 0 && Math.max(x, y) < 3

/** A price on one day is taken at one hour; for a longer window an hour only says when it opens. */
const isOfOneDay = ({ timing }: Fingerprint): boolean => timing.limit?.kind === 'on'

const textOf = ({ market }: Fingerprint, { asked }: RulesFacts): string =>
  `${market.title} | ${market.eventTitle} | ${asked}`

const titlesOf = ({ title, eventTitle, outcome }: Market): string =>
  `${title} | ${eventTitle} | ${outcome ?? ''}`

/** Does either question have a word of this kind? */
function asks(a: Fingerprint, b: Fingerprint, weight: number): boolean {
  return ((a.weights | b.weights) & weight) !== 0
}

function saysInPerson({ market }: Fingerprint): boolean {
  return /\bin person\b/i.test(market.title)
}

function refuseSources(both: boolean, rulesA: RulesFacts, rulesB: RulesFacts): Judgement | null {
  if (!both) return refuse('unreadable', 'rules_missing')
  if (rulesA.fine.sources.length === 0 || rulesB.fine.sources.length === 0)
    return refuse('unreadable', 'source')
  //  one service covers many stations: where both name a station, the station decides
  const [a, b] = [rulesA.fine, rulesB.fine]
  const atStations = a.stations.length > 0 && b.stations.length > 0
  const [ofA, ofB] = atStations ? [a.stations, b.stations] : [a.sources, b.sources]
  return ofA.some((source) => ofB.includes(source)) ? null : refuse('related', 'source')
}
