import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const match = (who: string) =>
  marketA('1', `Linz Open: ${who}`, {
    eventTitle: `Linz Open: ${who}`,
    slug: 'atp-linz-2027-11-22',
    yesMeans: who.split(' vs ')[0]!,
  })
const event = (rules: string) =>
  marketB(
    'KXATPMATCH-27NOV22BRAEAS-EAS',
    'Will Ivor Eastlake win the Bramwell vs Eastlake : Linz Open match?',
    {
      eventTitle: 'Bramwell vs Eastlake',
      outcome: 'Ivor Eastlake',
      rules,
    },
  )
const RULES = 'wins the Bramwell vs Eastlake match, then the market resolves to Yes. Played are'

describe('players of the same surname are told apart by the given names in the rules', () => {
  test.each([
    ['Ivor Eastlake vs Freya Bramwell', 'Freya Bramwell and Ivor Eastlake', 'identity'],
    ['Ivor Eastlake vs Freya Bramwell', 'Nora Bramwell and Ivor Eastlake', 'different'],
    ['Ivor Eastlake vs Ivor Bramwell', 'Ivor Bramwell and Ivor Eastlake', 'identity'],
    //  the opponent has the given name that is looked for
    ['Ivor Eastlake vs Ivor Bramwell', 'Freya Bramwell and Ivor Eastlake', 'different'],
    //  each has the given name of the other
    ['Ivor Eastlake vs Freya Bramwell', 'Ivor Bramwell and Freya Eastlake', 'different'],
  ])('%s against %s: %s', (who, names, verdict) => {
    expect(judge(match(who), event(`If Ivor Eastlake ${RULES} ${names}.`)).verdict).toBe(verdict)
  })
})
