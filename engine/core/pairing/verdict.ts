/**
 * identity: both resolve yes in the same states of the world. inverted: one resolves yes exactly when the
 * other resolves no. related: one subject, another question. different: nothing says they belong together.
 * unreadable: it cannot be told from what the venues say. Only the first two are sold.
 */
export type Verdict = 'identity' | 'inverted' | 'related' | 'different' | 'unreadable'

/** Why a pair is accepted. */
export const ACCEPTED = [
  'same_words', //          every word of both questions has its counterpart
  'same_limit', //          both name the same last day or month
  'same_close', //          the limit is taken from closing times that agree
  'same_edition', //        a scheduled event, the same edition
  'same_numbers', //        thresholds agree in value and shape
  'same_game', //           the same two sides on the same day
  'same_side', //           yes is the same side
  'opposite_side', //       yes is the other side of a game without a draw, or what a threshold leaves over
  'name_from_ticker', //    the outcome's name is abbreviated in the ticker
  'rules_read', //          the contract texts agree where such questions differ
  'allowed', //             by the reviewed list
] as const

/** Why a pair is refused, in the order the checks run. */
export const REFUSED = [
  'denied', //              by the reviewed list
  'placeholder', //         "Other", "Person A": no outcome to compare
  'text_missing', //        the title names nothing
  'threshold_conflict', //  text and threshold fields of one market, or its ticker, contradict each other
  'category', //            sport against something else
  'game_type', //           another market about the game
  'game_segment', //        a set, map or half against another part
  'game_sport',
  'game_teams', //          other sides
  'side_unclear', //        which outcome yes stands for cannot be told, or its name fits both sides
  'game_day', //            another day
  'game_day_unknown',
  'game_time', //           another hour of the same day
  'doubleheader', //        two games that day, and nothing tells which
  'game_line', //           another line of a total
  'draw_possible', //       the other side of a game that may end level
  'game_against_question', //one is a game, the other is not
  'year', //                another edition
  'limit', //               another deadline, hour, day or month
  'limit_unknown', //       one side sets a limit the other does not state
  'limit_conflict', //      title and rules of one market contradict each other
  'window', //              counting begins at another time
  'numbers', //             another threshold or count
  'name', //                a name on one side without counterpart
  'words', //               a word on one side without counterpart
  'outcome_unnamed', //     the title names no outcome and the ticker does not help
  'roles_swapped', //       who acts on whom is turned round
  'negation', //            one asks that it happens, the other that it does not
  'conjunction', //         two conditions combined in another way
  'rules_missing', //       questions of this kind differ in the fine print, and that is not at hand
  'death_clause', //        death counts on one side only
  'announcement_clause', // an announcement is enough on one side only
  'formality_clause', //    announced, signed or ratified
  'remote_clause', //       calls count on one side only
  'border_clause', //       what counts on one side does not on the other
  'source', //              another station, index or feed decides
  'unjudged', //           comparing them failed, by a fault of ours
  'taken', //               another partner was chosen, or several fit that do not mean the same
] as const

export type Refusal = (typeof REFUSED)[number]
export type Reason = (typeof ACCEPTED)[number] | Refusal

export type Judgement = { verdict: Verdict; reasons: Reason[] }

export function refuse(verdict: 'related' | 'different' | 'unreadable', reason: Refusal): Judgement {
  return { verdict, reasons: [reason] }
}

export function isPair(
  judgement: Judgement,
): judgement is { verdict: 'identity' | 'inverted'; reasons: Reason[] } {
  return judgement.verdict === 'identity' || judgement.verdict === 'inverted'
}
