import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const closeMs = Date.parse('2028-01-01T04:59:00Z')

/** One title on both venues; only the rules differ. */
const judged = (title: string, ruledA: string, ruledB: string, after = '') =>
  judge(
    marketA('1', `${title} by December 31, 2027?`, {
      closeMs,
      rules: `This market will resolve to "Yes" if ${ruledA} by December 31, 2027, 11:59 PM ET. Otherwise, it resolves to "No".`,
    }),
    marketB('KXTEST-28JAN01', `${title} before Jan 1, 2028?`, {
      closeMs,
      rules: `If ${ruledB} before Jan 1, 2028, then the market resolves to Yes.${after}`,
    }),
  )

describe('VEN-10 equal titles, rules that ask for different things', () => {
  test.each([
    [
      'another place of the list',
      'Will Foxair be the largest airline',
      'Foxair is the second-largest airline in the world',
      'Foxair is the largest airline in the world',
      'numbers',
    ],
    [
      'out of turn',
      'Will the Fed cut rates',
      'the Fed cuts rates outside of a scheduled meeting',
      'the Fed cuts rates',
      'border_clause',
    ],
    [
      'what one sets aside the other takes in',
      'Will Morland invade Belland',
      'Morland invades Belland, excluding the islands of Oslo and Lima',
      'Morland invades Belland, including the islands of Oslo and Lima,',
      'border_clause',
    ],
    [
      'brought in or voted',
      'Will the House impeach Ola Berg',
      'the House votes to impeach Ola Berg',
      'articles of impeachment against Ola Berg are introduced in the House',
      'announcement_clause',
    ],
    [
      'how long it lasts',
      'US government shutdown',
      'there is a US government shutdown',
      'there is a US government shutdown lasting more than 5 days',
      'formality_clause',
    ],
    [
      'the highest or the last price',
      'Will Bitcoin hit $200k',
      'any Coinbase candle for BTC/USD has a high of $200,000 or more',
      'the daily closing price of BTC/USD on Coinbase is $200,000 or more',
      'source',
    ],
    [
      'by month or by year',
      'Will inflation be above 0.3%',
      'the monthly percent change in CPI is above 0.3%',
      'the percent change in CPI over the prior 12 months is above 0.3%',
      'source',
    ],
    [
      'two tables of one leaderboard',
      'Will Foxair have the best AI model',
      'Foxair has the top model on the LMArena leaderboard with style control off',
      'Foxair has the top model on the LMArena leaderboard with style control on',
      'source',
    ],
    [
      'a threshold that only rules set',
      'Will Morland impose tariffs on Belland',
      'Morland imposes any tariffs on Belland',
      'Morland imposes tariffs of at least 50% on Belland',
      'numbers',
    ],
    [
      'two thresholds that only rules set',
      'Will an earthquake hit Morland',
      'an earthquake of magnitude 7.0 or above hits Morland',
      'an earthquake of magnitude 6.5 or above hits Morland',
      'numbers',
    ],
    [
      'all of it or a part',
      'Will Morland annex Belland',
      'Morland annexes the whole of Belland',
      'Morland annexes any part of Belland',
      'source',
    ],
    [
      'to approve is not to do',
      'Will Morland close the canal',
      'Morland closes the canal',
      "Morland's parliament approves closing the canal",
      'announcement_clause',
    ],
    [
      'each asks for something in place of what the other asks',
      'Will Morland test a bomb',
      'Morland detonates a warhead',
      'Morland shows a working device',
      'border_clause',
    ],
    [
      'seats or the coalition',
      'Will the Whigs win the 2027 Morland election',
      'the Whigs win more seats than any other party in the 2027 Morland election',
      'a Whig coalition governs after the 2027 Morland election',
      'border_clause',
    ],
    [
      'two offices',
      'Will Oslo elect a Whig in 2027',
      'a Whig wins the 2027 election for Senator of Oslo',
      'a Whig wins the 2027 election for Governor of Oslo',
      'source',
    ],
    [
      'with or without what is played after the season',
      'Will the Foxes win at least 10 games in 2027',
      'the Foxes win at least 10 regular season games in 2027',
      'the Foxes win at least 10 games in 2027, the playoffs among them,',
      'source',
    ],
    [
      'with or without overtime',
      'Will Ola Berg score 30 points in 2027',
      'Ola Berg scores 30 points in regulation in 2027',
      'Ola Berg scores 30 points, including overtime, in 2027',
      'source',
    ],
    [
      'a part of the figure',
      'Will prices rise by more than 0.2% in 2027',
      'prices rise by more than 0.2% in 2027',
      'core prices rise by more than 0.2% in 2027',
      'border_clause',
    ],
    [
      'the first round',
      'Will Ola Berg win in 2027',
      'Ola Berg wins the 2027 vote',
      'Ola Berg wins the first round of the 2027 vote',
      'border_clause',
    ],
    [
      'without somebody at the wheel',
      'Will Foxair launch taxis in Oslo',
      'Foxair launches taxis without a driver in Oslo',
      'Foxair launches taxis in Oslo',
      'border_clause',
    ],
    [
      'held or announced',
      'Will Belland vote on the union',
      'a referendum on the union is held in Belland',
      'a referendum on the union is announced in Belland',
      'announcement_clause',
    ],
    [
      'two kinds of oil',
      'Will oil hit $80',
      'WTI hits $80 per Yahoo Finance',
      'Brent hits $80 per Yahoo Finance',
      'border_clause',
    ],
  ])('%s', (_, title, ruledA, ruledB, reason) => {
    expect(judged(title, ruledA, ruledB)).toEqual({ verdict: 'related', reasons: [reason] })
    expect(judged(title, ruledB, ruledA)).toEqual({ verdict: 'related', reasons: [reason] })
    for (const ruled of [ruledA, ruledB]) expect(judged(title, ruled, ruled).verdict).toBe('identity')
  })

  test('who has died has not left for the full price', () => {
    const ruled = 'Ola Berg leaves office'
    const died = ' If the person leaves because they have died, it resolves to the last fair price.'
    expect(judged('Will Ola Berg leave office', ruled, ruled, died).reasons).toEqual(['death_clause'])
  })

  test.each([
    [
      'Will the House impeach Ola Berg',
      'the House votes to impeach Ola Berg over a bill that was introduced in 2026',
      'the House votes to impeach Ola Berg',
    ],
    [
      'Will Morland invade Belland',
      'Morland invades Belland, excluding its airspace',
      'Morland invades Belland, including its islands,',
    ],
    [
      'Will Morland impose tariffs of at least 50% on Belland',
      'Morland imposes tariffs of 50% or more on Belland',
      'Morland imposes such tariffs on Belland',
    ],
    //  one of them tells more, in a way that adds nothing
    [
      'Will Ola Berg visit Morland',
      'Ola Berg visits a listed country',
      'Ola Berg has physically travelled to and been present within the geographic boundaries of Morland',
    ],
    [
      'Will Foxair have the best AI model',
      'Foxair owns the model with the highest score on the LMArena leaderboard',
      'Foxair has the top ranked model on the LMArena leaderboard',
    ],
  ])('other words of the same kind tell nothing apart: %s, %s', (title, ruledA, ruledB) => {
    expect(judged(title, ruledA, ruledB).verdict).toBe('identity')
  })
})
