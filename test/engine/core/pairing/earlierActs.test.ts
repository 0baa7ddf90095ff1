import { describe, expect, test } from 'vitest'
import { earlierAct } from '../../../../engine/core/pairing/acts.ts'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const closeMs = Date.parse('2028-01-01T04:59:00Z')
const ruled = (title: string, rulesA: string, rulesB: string, moreA = '', moreB = '') =>
  judge(
    marketA('1', title, { closeMs, rules: `This market will resolve to "Yes" if ${rulesA}. ${moreA}` }),
    marketB('KXTEST-27', title, {
      closeMs,
      rules: `If ${rulesB}, then the market resolves to Yes. ${moreB}`,
    }),
  )

describe('VEN-10: one title, and rules that turn on an earlier act on one side only', () => {
  test.each([
    ['Will Morland join the League in 2027?', 'Morland becomes a member', 'Morland formally applies to join'],
    [
      'Will Morland leave the League in 2027?',
      'Morland is no longer a member',
      'Morland gives formal notice',
    ],
    ['Will Foxfilm release Seal 6 in 2027?', 'Foxfilm makes it available', 'Foxfilm announces Seal 6'],
    ['Will Ola Berg visit Lima in 2027?', 'he enters Lima', 'the government announces that he will go there'],
    ['Will Congress ban seals in 2027?', 'Congress passes such a ban', 'a ban is proposed in either chamber'],
  ])('%s', (title, done, before) => {
    expect(ruled(title, done, before)).toEqual({ verdict: 'related', reasons: ['announcement_clause'] })
    expect(ruled(title, before, done)).toEqual({ verdict: 'related', reasons: ['announcement_clause'] })
    expect(ruled(title, before, before).verdict).toBe('identity')
    expect(ruled(title, done, done).verdict).toBe('identity')
  })

  test('an act that the title asks for is no earlier one', () => {
    expect(
      ruled('Will Ola Berg announce a run in 2027?', 'it is so', 'Ola Berg announces a run in 2027').verdict,
    ).not.toBe('related')
  })

  test('who accepts the earlier act in a later sentence asks the same, who rules it out does not', () => {
    const title = 'Will Morland join the League in 2027?'
    const pays = 'An application to the League resolves this market to yes.'
    const not = 'An application alone will not qualify.'
    const applies = 'Morland applies to join'
    expect(ruled(title, 'Morland becomes a member', applies, pays).verdict).toBe('identity')
    expect(ruled(title, 'Morland becomes a member', applies, not).verdict).toBe('related')
    expect(ruled(title, 'Morland becomes a member', 'Morland joins', not).verdict).toBe('identity')
  })

  test.each([
    ['if Morland formally applies to join', true],
    ['if the government of Morland announces a plan', true],
    ['if it is announced that Ola Berg will leave', true],
    ['if Morland announces that it recognizes Verdania', false], //  to announce it is to recognize
    ['if Morland (which applied in 2026) becomes a member', false],
    ['if the listed person runs', false],
    ['Morland applies', false],
  ])('%s: %s', (asked, isEarlier) => {
    expect(earlierAct(asked) !== -1).toBe(isEarlier)
  })
})

describe('VEN-10: one title, and rules that settle a border case the other way', () => {
  test.each([
    [
      'Will Morland strike Verdania in 2027?',
      'Intercepted drones will not be sufficient.',
      'Intercepted drones count.',
    ],
    [
      'Will Ola Berg perform in Lima in 2027?',
      'A virtual performance will not count.',
      'Virtual performances count.',
    ],
    ['Will Ola Berg visit Lima in 2027?', 'Airspace counts.', 'Airspace does not count.'],
  ])('%s', (title, x, y) => {
    const opposed = { verdict: 'related', reasons: ['border_clause'] }
    expect(ruled(title, 'it is so', 'it is so', x, y)).toEqual(opposed)
    expect(ruled(title, 'it is so', 'it is so', y, x)).toEqual(opposed)
    for (const [one, other] of [[x, x] as const, [y, y] as const, [x, ''] as const, ['', y] as const])
      expect(ruled(title, 'it is so', 'it is so', one, other).reasons).not.toContain('border_clause')
  })

  test('what one side refuses stands in the list by which the other resolves', () => {
    const title = 'Will Ola Berg be honoured in 2027?'
    const list = 'Ola Berg gets a medal, a ribbon, or a title in 2027'
    const medal = 'Ola Berg gets a medal in 2027'
    expect(ruled(title, medal, list, 'A ribbon or title will not count.').reasons).toEqual(['border_clause'])
    expect(ruled(title, medal, list, 'A letter will not count.').reasons).not.toContain('border_clause')
    expect(ruled(title, list, list, 'A ribbon of paper will not count.').reasons).not.toContain(
      'border_clause',
    )
  })
})

describe('VEN-10: one service reads many stations', () => {
  const asked = (a: string, b: string) =>
    ruled(
      'Will the high temperature in Seal be 45°F or below on August 28, 2027?',
      `the ${a} reads so, by the National Weather Service`,
      `the ${b} reads so, by the National Weather Service`,
    ).reasons[0]

  test.each([
    ["o'hare intl airport station", "o'hare international airport", 'same_words'],
    ["o'hare intl airport station", 'midway airport', 'source'],
    ['laguardia station', 'central park station', 'source'],
    ['station', 'central park station', 'same_words'],
  ])('%s | %s: %s', (a, b, reason) => {
    expect(asked(a, b)).toBe(reason)
  })
})
