import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { readWords } from '../../../../engine/core/pairing/words.ts'
import { marketA, marketB } from '../../support/markets.ts'

const scoreB = (film: string) =>
  marketB('KXRT-MID-26DEC02-60', `${film} Rotten Tomatoes score 60 or higher on Dec 2, 2026?`, {
    outcome: 'At least 60',
  })
const scoreA = (film: string) =>
  marketA('1', `Will ${film} score at least 60 on Rotten Tomatoes on December 2, 2026?`)

describe('a title between quotation marks is a name, word for word', () => {
  test.each([
    ['"The Midnight Season"', 'The Midnight Season', 'identity'],
    //  "current" and "season" dress a question up elsewhere
    ['"The Midnight Current"', 'The Midnight Season', 'different'],
    ['“The Midnight Current”', 'The Midnight Season', 'different'], // typographic marks
    ['"The Midnight Current"', 'The Midnight', 'different'],
  ])('%s and %s: %s', (a, b, verdict) => {
    expect(judge(scoreA(a), scoreB(b)).verdict).toBe(verdict)
  })

  test('a single mark, as in inches, opens nothing', () => {
    expect(readWords('A player of 80" in the "Last Season"').some(({ quoted }) => quoted)).toBe(false)
    expect(readWords('"Last Season" of 2027').map(({ quoted }) => quoted)).toEqual([true, true, false, false])
  })
})

describe('box office: a film grosses on its opening weekend, whenever the contract closes', () => {
  const a = (amount: string) =>
    marketA(
      '1',
      `Will "The Electric Ballad" gross more than ${amount} domestically in its opening weekend?`,
      {
        closeMs: Date.UTC(2026, 11, 8),
      },
    )
  const b = (measure: string, amount: string, closeMs = Date.UTC(2026, 11, 14)) =>
    marketB('KXBOX-ELE-T20', `The Electric Ballad ${measure} opening weekend box office above ${amount}?`, {
      outcome: `Above ${amount}`,
      closeMs,
    })
  test.each([
    ['$20m', 'domestic', '$20 million', 'identity', 'same_words'],
    ['$20m', 'domestic', '$25 million', 'related', 'numbers'],
    ['$20m', 'worldwide', '$20 million', 'related', 'words'],
  ])('%s domestically and %s %s: %s', (amountA, measure, amountB, verdict, reason) => {
    const judgement = judge(a(amountA), b(measure, amountB))
    expect([judgement.verdict, judgement.reasons[0]]).toEqual([verdict, reason])
  })

  test('a contract that ends in another season is about another release', () => {
    expect(judge(a('$20m'), b('domestic', '$20 million', Date.UTC(2027, 11, 14))).verdict).toBe('related')
  })
})
