import { expect, test } from 'vitest'
import { shareTexts } from '../../../../engine/core/pairing/shareTexts.ts'
import { marketA } from '../../support/markets.ts'
import { feesA } from '../boards/support.ts'

const market = (rest = {}) =>
  marketA('1', 'Who wins?', { tags: ['Sports', 'Golf'], fees: feesA(0.05), rules: 'Whoever wins.', ...rest })

test.each([
  ['the same in everything', market()],
  ['other texts', market({ title: 'Who loses?', rules: 'Nobody.', category: 'Sports' })],
  ['other tags', market({ tags: ['Sports', 'Tennis'] })],
  ['more tags', market({ tags: ['Sports', 'Golf', 'Open'] })],
  ['other fees', market({ fees: feesA(0.04) })],
  ['no fees', market({ fees: null })],
])('a market says what it said, whatever it shares: %s', (_what, other) => {
  const own = market()
  shareTexts(own, other)
  expect(own).toEqual(market())
})

test('what reads the same is the same object', () => {
  const [own, other] = [market(), market({ title: 'Who loses?' })]
  shareTexts(other, null)
  shareTexts(own, other)
  expect([own.tags, own.fees]).toEqual([other.tags, other.fees])
  expect(own.tags).toBe(other.tags)
  expect(own.fees).toBe(other.fees)
})
