import type { Fingerprint } from './fingerprint.ts'
import type { RulesFacts } from './rules.ts'
import { type Judgement, refuse } from './verdict.ts'
import { type Vocabulary, WEIGHT } from './vocabulary.ts'

const LEAVING = ['leave', 'resign']
const DEALS = ['deal', 'ceasefire', 'normalize', 'treaty']
//  Prices and weather: which feed or station is read decides the result.
const MEASURED = [
  'btc',
  'eth',
  'sol',
  'xrp',
  'doge',
  'crypto',
  'temperature',
  'rain',
  'snow',
  'precipitation',
  'hottest',
  'coldest',
  'dip',
  'gold',
  'oil',
  'nasdaq',
  'dow',
  'stock',
]

/**
 * The fine print of questions whose titles agree. Kinds that are known to differ between the venues need the
 * rules of both; without them the pair stays unread.
 */
export function refuseConditions(
  a: Fingerprint,
  b: Fingerprint,
  rulesA: RulesFacts,
  rulesB: RulesFacts,
  vocabulary: Vocabulary,
): Judgement | null {
  const both = rulesA.present && rulesB.present
  const delicate = ((a.weights | b.weights) & WEIGHT.delicate) !== 0
  if (asks(a, b, MEASURED, vocabulary)) return refuseSources(both, rulesA, rulesB)
  if (!both) return delicate ? refuse('unreadable', 'rules_missing') : null
  if (
    rulesA.fine.deathExcluded !== rulesB.fine.deathExcluded &&
    (delicate || asks(a, b, LEAVING, vocabulary))
  )
    return refuse('related', 'death_clause')
  if (asks(a, b, LEAVING, vocabulary)) {
    if (
      rulesA.fine.announcementPays !== rulesB.fine.announcementPays ||
      rulesA.fine.mustVacate !== rulesB.fine.mustVacate
    )
      return refuse('related', 'announcement_clause')
  }
  if (asks(a, b, DEALS, vocabulary) && rulesA.fine.formality !== rulesB.fine.formality)
    return refuse('related', 'formality_clause')
  if (
    asks(a, b, ['meet'], vocabulary) &&
    rulesA.fine.remote !== rulesB.fine.remote &&
    !saysInPerson(a) &&
    !saysInPerson(b)
  )
    return refuse('related', 'remote_clause')
  return null
}

function asks(a: Fingerprint, b: Fingerprint, words: readonly string[], vocabulary: Vocabulary): boolean {
  return words.some((word) => {
    const id = vocabulary.id(word)
    return a.core.includes(id) || b.core.includes(id)
  })
}

function saysInPerson({ market }: Fingerprint): boolean {
  return /\bin person\b/i.test(market.title)
}

function refuseSources(both: boolean, rulesA: RulesFacts, rulesB: RulesFacts): Judgement | null {
  if (!both) return refuse('unreadable', 'rules_missing')
  if (rulesA.fine.sources.length === 0 || rulesB.fine.sources.length === 0)
    return refuse('unreadable', 'source')
  const shared = rulesA.fine.sources.some((source) => rulesB.fine.sources.includes(source))
  return shared ? null : refuse('related', 'source')
}
