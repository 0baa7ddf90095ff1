import { UNQUALIFIED, type Unqualified } from '../../engine/contract/gapCards.ts'

/** Why two markets that look alike are no pair. Codes of the pairing; one that is not here is shown as it is. */
const REFUSED_WORDS: Readonly<Record<string, string>> = {
  denied: 'Refused by hand, after reading both contracts',
  placeholder: 'One is a placeholder without a name yet',
  text_missing: 'One title names nothing that could be compared',
  threshold_conflict: 'A market contradicts its own threshold',
  category: 'One is about sport, the other is not',
  game_type: 'Different bets on the same game',
  game_segment: 'Different parts of the same game',
  game_sport: 'Different sports',
  game_teams: 'Different teams or players',
  side_unclear: 'It is unclear which side a yes stands for',
  game_day: 'The same teams on another day',
  game_day_unknown: 'The day of the game is unclear',
  game_time: 'The same day, another hour',
  doubleheader: 'Two games that day, and nothing says which',
  game_line: 'Another line of the same total',
  draw_possible: 'The game may end level, so one no is not the other yes',
  game_against_question: 'One is a single game, the other is not',
  year: 'Another year or edition',
  limit: 'Another deadline',
  limit_unknown: 'Only one of them has a deadline',
  limit_conflict: 'Title and rules of one market disagree on the deadline',
  window: 'Counting begins at another time',
  numbers: 'Another threshold or count',
  name: 'A name on one side is missing on the other',
  words: 'A word on one side is missing on the other',
  outcome_unnamed: 'The outcome is not named',
  roles_swapped: 'Who acts on whom is reversed',
  negation: 'One asks that it happens, the other that it does not',
  conjunction: 'Two conditions are combined in another way',
  rules_missing: 'The fine print decides here and is not available',
  death_clause: 'Death counts on one side only',
  announcement_clause: 'An announcement is enough on one side only',
  formality_clause: 'Announced, signed or ratified: not the same event',
  remote_clause: 'Calls count on one side only',
  border_clause: 'What counts on one side does not on the other',
  source: 'Another station, index or feed decides',
  unjudged: 'We failed to compare them',
  taken: 'Another market fits better, or several fit',
}

const UNQUALIFIED_WORDS: Readonly<Record<Unqualified, string>> = {
  closed: 'Closed on one venue',
  stale: 'Data of one venue is too old',
  crossed: 'A bid at or above its ask',
  one_sided: 'No price on one side',
  no_gap: 'Both venues agree on the price',
  large_gap_suspicious: 'Over 10 cents apart: nearly always not the same thing',
}

const spelled = (code: string) => code.replaceAll('_', ' ').slice(0, 60)

export const refusedWords = (code: string): string =>
  Object.hasOwn(REFUSED_WORDS, code) ? REFUSED_WORDS[code]! : spelled(code)

export const unqualifiedWords = (code: string): string =>
  (UNQUALIFIED as readonly string[]).includes(code) ? UNQUALIFIED_WORDS[code as Unqualified] : spelled(code)
