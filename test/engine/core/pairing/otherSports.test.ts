import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import { marketA, marketB } from '../../support/markets.ts'

const title = 'Will Norway win the 2027 Open?'
const verdict = (a: Partial<Market>, b: Partial<Market> = {}, series = 'KXOPEN') =>
  judge(marketA('1', title, a), marketB(`${series}-27-NOR`, title, { outcome: 'Norway', ...b }))

describe('VEN-10 an open, a masters, a cup of one name is held in several sports', () => {
  test.each([
    [
      'the same in rules of both',
      { rules: 'The rugby cup.' },
      { rules: 'Yes if Norway wins the rugby cup.' },
    ],
    ['a sport on one side only', { tags: ['Tennis'] }, {}],
    ['several on one side', { rules: 'Neither the tennis nor the golf ball.' }, { rules: 'In tennis.' }],
    ['football, which is two', { rules: 'In football.' }, { rules: 'In soccer.' }],
  ])('%s', (_, a, b) => {
    expect(verdict(a, b).verdict).toBe('identity')
  })

  test.each([
    ['rules of both', { rules: 'In cricket.' }, { rules: 'Yes if Norway wins the rugby cup.' }],
    ['a tag and rules', { tags: ['Sports', 'Soccer'] }, { rules: 'In volleyball.' }],
    ['football as America plays it', { rules: 'In college football.' }, { rules: 'In college basketball.' }],
    ['an event', { eventTitle: 'Golf: the 2027 Open' }, { eventTitle: '2027 Open (chess)' }],
  ])('told apart by %s', (_, a, b) => {
    expect(verdict(a, b).reasons).toEqual(['category'])
  })

  test('told apart by a tag and the series', () => {
    expect(verdict({ tags: ['Tennis'] }, {}, 'KXATPOPEN').verdict).toBe('identity')
    expect(verdict({ tags: ['Tennis'] }, {}, 'KXPGATOUR').reasons).toEqual(['category'])
  })
})
