import { expect, test } from 'vitest'
import { wantedBooks } from '../../../engine/stages/wantedBooks.ts'
import { marketA, marketB } from '../support/markets.ts'

const market = (venue: 'a' | 'b', marketId: string) =>
  venue === 'a' ? marketA(marketId, 'T', { tokenId: `1${marketId}` }) : marketB(marketId, 'T')
const gap = (id: string, gapCents: number) => ({ gapCents, pair: { a: id, b: `KX-${id}` } })
const edge = (id: string) => ({ a: { marketId: id }, b: { marketId: `KX-${id}` } })
const wanted = (gaps: ReturnType<typeof gap>[], edges: ReturnType<typeof edge>[] = []) =>
  wantedBooks({ gaps: () => gaps, edges: () => edges }, market)

test('both legs of each row', () => {
  expect(wanted([gap('7', 5)])).toEqual(['a:7|17', 'b:KX-7'])
})

test('a gap of more than 10 cents, of which no card is made, comes behind those that may be traded', () => {
  expect(wanted([gap('1', 10.01), gap('2', 10), gap('3', 2)]).filter((_, at) => at % 2 === 1)).toEqual([
    'b:KX-2',
    'b:KX-3',
    'b:KX-1',
  ])
})

test('250 pairs at most, and the wide ones are left out first', () => {
  const rows = Array.from({ length: 400 }, (_, at) => gap(`${at}`, at < 200 ? 50 : 5))
  const members = wanted(rows)
  expect(members).toHaveLength(500)
  expect([members.includes('b:KX-399'), members.includes('b:KX-49'), members.includes('b:KX-50')]).toEqual([
    true,
    true,
    false,
  ])
})

test('the first edges come before all gaps: a pair with one side of a book has an edge and no gap', () => {
  const edges = Array.from({ length: 1_000 }, (_, at) => edge(`${at}`))
  expect(wanted([gap('7', 5), gap('1000', 5)], edges).filter((_, at) => at % 2 === 1)).toEqual([
    ...edges.slice(0, 20).map(({ b }) => `b:${b.marketId}`),
    'b:KX-1000',
  ])
})
