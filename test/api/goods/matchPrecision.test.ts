import { describe, expect, test } from 'vitest'
import type { Draft, Good } from '../../../api/goods/good.ts'
import { book } from '../../../api/goods/market/book.ts'
import { botFuel } from '../../../api/goods/market/botFuel.ts'
import { botFuelPack } from '../../../api/goods/market/botFuelPack.ts'
import { edge } from '../../../api/goods/market/edge.ts'
import { edgePack } from '../../../api/goods/market/edgePack.ts'
import { match } from '../../../api/goods/market/match.ts'
import { net } from '../../../api/goods/market/net.ts'
import { spread } from '../../../api/goods/market/spread.ts'
import { matchPrecision } from '../../../engine/contract/matchPrecision.ts'
import { someBookRow, someCard, someEdge, someGap, someNet } from '../../support/boards.ts'
import { cardsBody, gapsBody, portsOver, topicsBody } from './support.ts'

const ports = portsOver({
  gaps: gapsBody([someGap({ topic: 'Fed decision in December' })]),
  nets: { rows: [someNet({})] },
  edges: { rows: Array.from({ length: 5 }, (_, n) => someEdge({ pairId: `e${n}` })) },
  gapCards: cardsBody(Array.from({ length: 5 }, (_, n) => someCard({ cardId: `c${n}` }))),
  topics: topicsBody([]),
  book: { a: [someBookRow({})], b: [] },
})
const answer = (good: Good<unknown>, input: unknown) => (good.answer(input, ports) as Draft).result

describe('design 3: the precision is stated in every answer that rests on a pair', () => {
  const { precision, recall, judged, measuredOn } = matchPrecision
  test.each([
    ['spread', spread, {}],
    ['match', match, { q: 'fed' }],
    ['net', net, {}],
    ['edge', edge, {}],
    ['edge-pack', edgePack, {}],
    ['bot-fuel', botFuel, {}],
    ['bot-fuel-pack', botFuelPack, {}],
  ])('%s', (_, good, input) => {
    expect(answer(good, input).matchPrecision).toEqual({ precision, recall, judged, measuredOn })
  })

  test.each([
    ['match without a pair', match, { q: 'tennis' }],
    ['book', book, {}],
  ])('not where no pair is: %s', (_, good, input) => {
    expect(answer(good, input)).not.toHaveProperty('matchPrecision')
  })
})
