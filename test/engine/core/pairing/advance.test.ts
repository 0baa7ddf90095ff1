import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

describe('which of two teams goes on to the next round', () => {
  const a = (tail = 'Team to Advance') =>
    marketA('1', `Norway vs. England: ${tail}`, { slug: 'fifwc-nor-eng-2026-07-11-team-to-advance' })
  const b = (title: string, outcome: string, series = 'KXWCADVANCE') =>
    marketB(`${series}-26JUL11NORENG-X`, title, { outcome })

  test.each([
    ['Norway vs England: To Advance', 'Norway', 'identity'],
    ['Norway vs England: To Advance', 'England', 'inverted'],
    ['England vs Norway: To Advance', 'England', 'inverted'],
    ['Will Norway advance in the Norway vs England match?', 'Norway', 'identity'],
    ['Will England advance in the Norway vs England match?', 'England', 'inverted'],
  ])('%s (%s): %s', (title, outcome, verdict) => {
    expect(judge(a(), b(title, outcome)).verdict).toBe(verdict)
  })

  test('by the name of outcome 0, where venue A tells it', () => {
    const market = { ...a(), yesMeans: 'England' }
    expect(judge(market, b('Norway vs England: To Advance', 'England')).verdict).toBe('identity')
    expect(judge(market, b('Norway vs England: To Advance', 'Norway')).verdict).toBe('inverted')
  })

  test.each([
    ['in ninety minutes', 'Norway vs England Winner?', 'Norway', 'KXWCGAME'],
    ['in ninety minutes', 'Norway vs England Winner?', 'Reg Time: Norway', 'KXWCGAME'],
    ['a draw', 'Norway vs England Winner?', 'Tie', 'KXWCGAME'],
    ['by penalties', 'Norway vs England: Norway to advance on penalties?', 'Norway', 'KXWCADVANCE'],
    ['to the final', 'Will Norway advance to the Final?', 'Norway', 'KXWCADVANCE'],
    ['others', 'Norway vs France: To Advance', 'Norway', 'KXWCADVANCE'],
  ])('is another question than %s: %s (%s)', (_, title, outcome, series) => {
    expect(['identity', 'inverted']).not.toContain(judge(a(), b(title, outcome, series)).verdict)
  })

  test('is told by the series, where the title says no more than who plays', () => {
    const market = {
      ...b('Norway vs England Winner?', 'Norway'),
      eventTitle: 'Norway vs England: To Advance',
    }
    const won = marketA('1', 'Will Norway win on 2026-07-11?', { slug: 'fifwc-nor-eng-2026-07-11-nor' })
    expect(['identity', 'inverted']).not.toContain(judge(won, market).verdict)
    expect(judge(won, b('Norway vs England Winner?', 'Norway', 'KXWCGAME')).verdict).toBe('identity')
  })

  test('asking more on venue A', () => {
    expect(
      judge(a('Team to Advance by Penalties'), b('Norway vs England: To Advance', 'Norway')).verdict,
    ).toBe('different')
  })
})
