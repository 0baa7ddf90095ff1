import type { Market } from '../../../ingest/contract/market.ts'
import { areApart, readDivision } from './division.ts'
import { type Fingerprint, fingerprint } from './fingerprint.ts'
import { judgeGames } from './judgeGame.ts'
import { judgeQuestions } from './judgeQuestion.ts'
import { areOtherSports } from './otherSports.ts'
import { isPair, type Judgement, refuse } from './verdict.ts'
import { Vocabulary } from './vocabulary.ts'

/** Judges a pair by itself, as if both markets had been proposed. */
export function judge(a: Market, b: Market): Judgement {
  const vocabulary = new Vocabulary()
  return judgeFingerprints(fingerprint(a, vocabulary), fingerprint(b, vocabulary), vocabulary)
}

/** The same for existing fingerprints, both made with this vocabulary. */
export function judgeFingerprints(a: Fingerprint, b: Fingerprint, vocabulary: Vocabulary): Judgement {
  if (a.unreadable !== null) return refuse('unreadable', a.unreadable)
  if (b.unreadable !== null) return refuse('unreadable', b.unreadable)
  if (a.sport !== null && b.sport !== null && a.sport !== b.sport) return refuse('different', 'category')
  const isGame = a.game !== null && b.game !== null
  if (!isGame && (a.game !== null || b.game !== null)) return refuse('different', 'game_against_question')
  const judged = isGame ? judgeGames(a, b, a.game!, b.game!) : judgeQuestions(a, b, vocabulary)
  //  read for pairs only: hardly any proposal comes that far
  if (!isPair(judged)) return judged
  const isSport = isGame || a.sport === true || b.sport === true
  //  for a game, slug and series have told it already
  const isOther =
    (!isGame && areOtherSports(a, b)) || areApart(readDivision(a, isSport), readDivision(b, isSport), isGame)
  return isOther ? refuse('different', 'category') : judged
}
