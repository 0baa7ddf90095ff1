import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const draw = (nation: string, other: string) =>
  judge(
    marketA('1', `Will Norway vs. ${nation} end in a draw?`, { slug: 'fifwc-nor-xxx-2027-06-15-draw' }),
    marketB('KXWCGAME-27JUN15NORXXX-TIE', `Norway vs ${other} Winner?`, { outcome: 'Reg Time: Tie' }),
  )

describe('nations by the names either venue calls their teams', () => {
  test.each([
    ['Cabo Verde', 'Cape Verde'],
    ['Korea Republic', 'South Korea'],
    ['United States', 'USA'],
    ['Türkiye', 'Turkey'],
    ["Côte d'Ivoire", 'Ivory Coast'],
    ['IR Iran', 'Iran'],
    ['Congo DR', 'DR Congo'],
    ['Czech Republic', 'Czechia'],
    ['Bosnia-Herzegovina', 'Bosnia and Herzegovina'],
    ['United Arab Emirates', 'UAE'],
    ['Republic of Ireland', 'Ireland'],
  ])('%s is %s', (a, b) => {
    expect(draw(a, b).verdict).toBe('identity')
  })
  test.each([
    ['Congo', 'DR Congo'],
    ['Korea Republic', 'North Korea'],
    ['Ireland', 'Northern Ireland'],
    ['Republic of Ireland', 'Northern Ireland'],
    ['United States', 'United States U20'],
    ['Guinea', 'Guinea-Bissau'],
  ])('%s is not %s', (a, b) => {
    expect(draw(a, b).verdict).not.toBe('identity')
  })

  test('yes is the side named behind the time it counts', () => {
    const a = marketA('1', 'Will Korea Republic win on 2027-06-15?', {
      eventTitle: 'Norway vs. Korea Republic',
      slug: 'fifwc-nor-kor-2027-06-15',
    })
    const b = (side: string) =>
      marketB('KXWCGAME-27JUN15NORKOR-XXX', `Reg Time: ${side}`, {
        eventTitle: 'Norway vs South Korea Winner?',
      })
    expect(judge(a, b('South Korea')).verdict).toBe('identity')
    expect(judge(a, b('Norway')).verdict).not.toBe('identity')
  })
})
