import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const closeMs = Date.parse('2028-01-01T04:59:00Z')
/** The first reason given when nothing but the titles is known of both markets. */
const without = (titleA: string, titleB = titleA) =>
  judge(marketA('1', titleA, { closeMs }), marketB('KXTEST-27', titleB, { closeMs })).reasons[0]

describe('ecosystem 2 (3): a word is fine print only where the question hangs on it', () => {
  test.each([
    ['Will Ola Berg lead Morland in 2027?', 'Will Ola Berg lead the MLB in stolen bases in 2027?'],
    ['Will Ola Berg be the leader of Morland in 2027?', 'Will Ola Berg be the leader after Round 1 in 2027?'],
    ['Will gold close above $4,000 on June 9, 2027?', 'Will Morland win the most gold medals in 2027?'],
    ['Will Morland strike Larkland in 2027?', 'Will the Foxes win the 2027 Oslo Counter-Strike cup?'],
    ['Will there be a recession in 2027?', 'Will Ola Berg say "recession" in 2027?'],
    ['Will oil close above $100 on June 9, 2027?', 'Will Ola Berg say "oil" in 2027?'],
  ])('%s needs the rules, %s does not', (hangs, plain) => {
    expect(without(hangs)).toBe('rules_missing')
    expect(without(plain)).toBe('same_words')
  })

  test.each([
    ['Will Berg lead the MLB in steals in 2027?', 'Will Berg lead Pro Baseball in stolen bases in 2027?'],
    ['Will Foxes win the 2027 Counter-Strike 2 cup?', 'Will Foxes win the 2027 CS2 cup?'],
  ])('%s is %s', (a, b) => {
    expect(without(a, b)).toBe('same_words')
  })

  test.each([
    ['Will Berg lead the MLB in stolen bases in 2027?', 'Will Berg lead the MLB in triples in 2027?'],
    ['Will Berg lead the MLB in runs in 2027?', 'Will Berg lead the American League in runs in 2027?'],
    ['Will Morland win the most gold medals in 2027?', 'Will Morland win the most medals in 2027?'],
    ['Will Ola Berg say "gold" in 2027?', 'Will Ola Berg say "oil" in 2027?'],
  ])('%s is not %s', (a, b) => {
    expect(without(a, b)).not.toBe('same_words')
  })
})
