import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const closeMs = Date.parse('2027-07-14T12:30:00Z')
const judged = (
  [titleA, rulesA]: readonly [string, string],
  [titleB, outcome, rulesB]: readonly [string, string | null, string],
  ticker = 'KXTEST-27',
) => {
  const { verdict, reasons } = judge(
    marketA('1', titleA, { closeMs, rules: rulesA }),
    marketB(ticker, titleB, { closeMs, outcome, rules: rulesB }),
  )
  return verdict === 'identity' ? verdict : reasons.join()
}

describe('design 3: figures as the rules of both venues word them', () => {
  const CPI = 'Will annual inflation increase by 2.7% in June 2027?'
  const EXACTLY =
    'If the rate of CPI inflation for the year ending in June 2027 is exactly 2.7%, it resolves to Yes.'
  test.each([
    ['over the 12 months ending June 2027', 'identity'],
    ['over 12 thousand prices of June 2027', 'numbers'],
  ])('a change of the CPI %s: %s', (over, outcome) => {
    const rules = `This market will resolve to "Yes" by the change of the CPI-U ${over}, per the BLS.`
    expect(judged([CPI, rules], ['CPI year-over-year in Jun 2027?', 'Exactly 2.7%', EXACTLY])).toBe(outcome)
  })

  test.each([
    ['Will 3 Fed rate cuts happen in 2027?', 'Exactly 3 cuts', 'identity'],
    ['Will 3 Fed rate cuts happen in 2027?', '3 or more cuts', 'numbers'],
    ['Will 4 Fed rate cuts happen in 2027?', 'Exactly 3 cuts', 'numbers'],
    ['Will the Fed make 3 rate cuts in 2027?', 'Exactly 3 cuts', 'numbers'],
  ])('%s and %s: %s', (title, outcome, expected) => {
    expect(judged([title, ''], ['Number of Fed rate cuts in 2027?', outcome, ''])).toBe(expected)
  })

  test.each([
    ['the Tomatometer', 'the Popcornmeter', 'source'],
    ['the Tomatometer', 'the audience score', 'source'],
    ['the Tomatometer', "the critics' score", 'identity'],
    ['the Tomatometer', 'it', 'identity'],
  ])('a score on Rotten Tomatoes where %s or %s decides: %s', (a, b, outcome) => {
    const title = 'Will "Fox" score at least 90 on Rotten Tomatoes?'
    const rules = (which: string) => `This market will resolve to "Yes" if ${which} is at least 90.`
    expect(judged([title, rules(a)], [title, null, rules(b)])).toBe(outcome)
  })

  test('Mortgage News Daily is not Freddie Mac', () => {
    const title = 'Will the 30-year mortgage rate be above 6.2% on July 14, 2027?'
    const rules = (by: string) => `This market will resolve to "Yes" if it is above 6.2% according to ${by}.`
    const by = (other: string) => judged([title, rules('Freddie Mac')], [title, null, rules(other)])
    expect(by('Mortgage News Daily')).toBe('source')
    expect(by('Freddie Mac')).toBe('identity')
  })

  test('deliveries are what is delivered', () => {
    const sold = ['Foxcar deliveries in Q2 2027?', 'Above 450,000', ''] as const
    expect(judged(['Will Foxcar deliver more than 450,000 in Q2 2027?', ''], sold)).toBe('identity')
    expect(judged(['Will Foxcar produce more than 450,000 in Q2 2027?', ''], sold)).toBe('words')
  })
})

describe('design 3: the president of the United States', () => {
  const sold = ['Will J.D. Berg win the 2028 Presidential Election?', null, ''] as const
  test.each([
    ['Will JD Berg win the 2028 US Presidential Election?', 'KXPRESPERSON-28-JBER', 'identity'],
    ['Will JD Berg win the 2028 US Presidential Election?', 'KXBRAZILPRES-28-JBER', 'name'],
    ['Will JD Berg win the 2028 Brazil Presidential Election?', 'KXPRESPERSON-28-JBER', 'name'],
    ['Will JD Berg win the 2028 US Senate Election?', 'KXPRESPERSON-28-JBER', 'name'],
  ])('%s against %s: %s', (title, ticker, outcome) => {
    expect(judged([title, ''], sold, ticker)).toBe(outcome)
  })
})
