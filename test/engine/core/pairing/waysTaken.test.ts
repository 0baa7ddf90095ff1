import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import { judged } from '../../support/judged.ts'
import { marketA, marketB } from '../../support/markets.ts'

const closeMs = Date.parse('2028-01-01T04:59:00Z')
const ruled = (title: string, rulesA: string, rulesB: string) =>
  judge(
    marketA('1', title, { closeMs, rules: `This market will resolve to "Yes" if ${rulesA}.` }),
    marketB('KXTEST-27', title, { closeMs, rules: `If ${rulesB}, then the market resolves to Yes.` }),
  )

describe('VEN-10: the same title, and rules that take the figure another way', () => {
  test.each([
    ['Will CPI be above 3% in June 2027?', 'the year-over-year CPI is above 3%', 'the CPI is above 3% MoM'],
    [
      'Will "Fox" gross over $90m by June 30, 2027?',
      '"Fox" grosses so much domestically',
      'it does worldwide',
    ],
    ['Top artist of 2027: Zed', 'Zed leads in the United States', 'Zed leads globally'],
    ['Top search of 2027: Zed', 'Zed leads the US Google list', 'Zed leads the global list'],
    ['Will Lima lead the 2027 table?', 'Lima leads by gold medals', 'Lima leads by total medals'],
    ['Will Lima grow over 2% in 2027?', 'real GDP grows over 2%', 'nominal GDP grows over 2%'],
    ['Will unemployment be over 5% in June 2027?', 'U-3 is over 5%', 'U-6 is over 5%'],
    ['Will yields be over 5% on June 30, 2027?', 'the closing yield is over 5%', 'it is at any time over 5%'],
    ['Will Zed be over $5 on June 30, 2027?', 'its opening price is over $5', 'its closing price is over $5'],
  ])('%s', (title, x, y) => {
    expect(ruled(title, x, y)).toEqual({ verdict: 'related', reasons: ['source'] })
    expect(ruled(title, y, x)).toEqual({ verdict: 'related', reasons: ['source'] })
    expect(ruled(title, x, x).verdict).toBe('identity')
    expect(ruled(title, x, 'it is so').verdict, 'one side says nothing').toBe('identity')
  })

  test('who says both is compared with neither', () => {
    const both = 'the CPI, year-over-year and month-over-month, is above 3%'
    expect(ruled('Will CPI be above 3% in June 2027?', both, 'the CPI is above 3% YoY').verdict).toBe(
      'identity',
    )
  })

  test.each([
    ['files', 'Ola Berg announces a run for mayor', 'Ola Berg files to run for mayor'],
    ['applies', 'Ola Berg applies to run for mayor', 'Ola Berg announces a run for mayor'],
  ])('announced here, %s there: other steps of one act', (_, x, y) => {
    const title = 'Will Ola Berg run for mayor in 2027?'
    expect(ruled(title, x, y)).toEqual({ verdict: 'related', reasons: ['announcement_clause'] })
    expect(ruled(title, x, x).verdict).toBe('identity')
    expect(ruled(title, x, 'the listed person runs for mayor').verdict, 'who runs may do neither').toBe(
      'related',
    )
  })

  test('"the listed person" is no step', () => {
    const title = 'Will Ola Berg run for mayor in 2027?'
    expect(ruled(title, 'Ola Berg runs for mayor', 'the listed person runs for mayor').verdict).toBe(
      'identity',
    )
  })
})

describe('VEN-10: words that look like dress and are none', () => {
  test.each([
    [
      'other initials',
      'Will George W. Bush visit Lima in 2027?',
      'Will George H. W. Bush visit Lima in 2027?',
    ],
    ['a named storm', 'Will a named storm hit Lima in 2027?', 'Will a storm hit Lima in 2027?'],
    ['in person', 'Will Berg speak in Lima in person in 2027?', 'Will Berg speak in Lima in 2027?'],
    ['a rate turned round', 'EUR/USD above 1.10 on June 30, 2027?', 'USD/EUR above 1.10 on June 30, 2027?'],
  ])('%s', (_, x, y) => {
    expect(['related', 'different']).toContain(judged(x, y))
    expect(['related', 'different']).toContain(judged(y, x))
    for (const title of [x, y]) expect(judged(title, title)).toBe('identity')
  })

  test('initials left out on one side say nothing', () => {
    expect(judged('Will George W. Bush visit Lima in 2027?', 'Will George Bush visit Lima in 2027?')).toBe(
      'identity',
    )
  })

  test.each(['S&P 500', 'Nikkei'])('%s: an index is read at some feed and hour', (index) => {
    const title = `Will the ${index} be above 7,000 on June 30, 2027?`
    expect(judged(title, title)).toBe('unreadable')
  })
  const cricket = (eventTitle: string, series: string) =>
    judge(
      marketA('1', 'India vs. Peru', { slug: 'crint-ind-per-2027-06-01', eventTitle }),
      marketB(`${series}-27JUN01INDPER-IND`, 'India vs Peru Winner?', { outcome: 'India' }),
    )
  test.each<[string, string, Market['venue'] | 'same']>([
    ['T20: India vs. Peru', 'KXTESTMATCH', 'a'],
    ['ODI: India vs. Peru', 'KXT20MATCH', 'a'],
    ['T20: India vs. Peru', 'KXT20MATCH', 'same'],
    ['India vs. Peru', 'KXT20MATCH', 'same'],
  ])('cricket: %s against %s', (eventTitle, series, expected) => {
    const { verdict, reasons } = cricket(eventTitle, series)
    if (expected === 'same') expect(verdict).toBe('identity')
    else expect([verdict, reasons]).toEqual(['related', ['game_type']])
  })
})

describe('what venues write of central banks is read as they mean it', () => {
  test.each([
    [
      'Fed cuts rates by 25 bps after June 2027 meeting?',
      'Will the Fed cut rates by 25bps at its June 2027 meeting?',
    ],
    [
      'No change in Fed interest rates after June 2027 meeting?',
      'Will the Federal Reserve Hike rates by 0bps at their June 2027 meeting?',
    ],
    [
      'Will the Bank of Japan hold rates in June 2027?',
      'Will the Bank of Japan cut rates by 0 bps in June 2027?',
    ],
  ])('%s is %s', (x, y) => {
    expect(judged(x, y)).toBe('identity')
    expect(judged(y, x)).toBe('identity')
  })

  test.each([
    ['Will Berg visit Lima after June 2027?', 'Will Berg visit Lima in June 2027?'],
    [
      'Fed cuts rates by 25 bps after June 2027 meeting?',
      'Will the Fed cut rates by 25bps at its July 2027 meeting?',
    ],
    [
      'No change in Fed rates after June 2027 meeting?',
      'Will the Fed hike rates by 10bps at its June 2027 meeting?',
    ],
    [
      'No change in Fed rates after June 2027 meeting?',
      'Will the Fed hike rates by 100bps at its June 2027 meeting?',
    ],
  ])('%s is not %s', (x, y) => {
    expect(['related', 'different']).toContain(judged(x, y))
  })
})
