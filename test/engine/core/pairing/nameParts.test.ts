import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const rules = 'Resolves to yes if it happens.'
const verdictOf = (titleA: string, titleB: string, outcome: string | null = null) =>
  judge(
    marketA('1', titleA, { rules }),
    marketB('KXTEST-27DEC31-X', titleB, { rules, outcome, eventTitle: titleB }),
  ).verdict

describe('VEN-10 a word that dresses a question up elsewhere makes another name of a name', () => {
  test.each([
    ['Michigan', 'Michigan State'],
    ['Ohio', 'Ohio State'],
    ['Kansas', 'Kansas City'],
    ['Mexico', 'New Mexico'],
    ['England', 'New England'],
    ['G2', 'G2 Ares'], //  no plural of "are"
    ['New York', 'New York Times'],
    ['Fox Phone', 'Fox Phone Go'], //  no verb
  ])('%s is not %s, on either venue', (name, longer) => {
    const asked = (who: string) => `Will ${who} win the 2027 title?`
    expect(verdictOf(asked(name), asked(longer))).toBe('different')
    expect(verdictOf(asked(longer), asked(name))).toBe('different')
    expect(verdictOf(asked(longer), 'Who will win the 2027 title?', name)).toBe('different')
    expect(verdictOf(asked(longer), 'Who will win the 2027 title?', longer)).toBe('identity')
  })

  test.each([
    ['hurricane make landfall in Florida in 2027', 'related'],
    ['earthquake hit California by December 31, 2027', 'related'],
  ])('a %s is not a major one', (what, verdict) => {
    expect(verdictOf(`Will a ${what}?`, `Will a major ${what}?`)).toBe(verdict)
    expect(verdictOf(`Will a major ${what}?`, `Will a major ${what}?`)).toBe('identity')
  })

  test.each([
    [
      'Will the state of Ohio ban fireworks by December 31, 2027?',
      'Will Ohio ban fireworks by December 31, 2027?',
    ],
    [
      'Will a new pandemic be declared by December 31, 2027?',
      'Will a pandemic be declared by December 31, 2027?',
    ],
    ['Will Foxes win the IEM Cologne Major 2027?', 'Will Foxes win IEM Cologne 2027?'],
    [
      'Will Ola Berg win the New York City mayoral election in 2029?',
      'Will Ola Berg win the NYC mayoral election in 2029?',
    ],
  ])('written otherwise such a word is still no reason to refuse: %s', (titleA, titleB) => {
    expect(verdictOf(titleA, titleB)).toBe('identity')
  })

  test('Júnior is Jr., and somebody else without it', () => {
    const asked = (who: string) => `Will ${who} score in 2027?`
    expect(verdictOf(asked('Vinícius Júnior'), asked('Vinicius Jr.'))).toBe('identity')
    expect(verdictOf(asked('Vinícius Júnior'), asked('Vinicius'))).toBe('different')
  })
})
