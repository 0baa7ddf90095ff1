import { describe, expect, test } from 'vitest'
import { feedStatus } from '../../../api/feed/status.ts'
import { cardsBody, NOW, portsOver } from '../goods/support.ts'

const LIMIT = 90_000
const at = (a: number | null, b: number | null, publishedMs = NOW) => {
  const ports = portsOver({ gapCards: cardsBody([]) })
  const { gapCards } = ports.boards
  const snapshot = { ...gapCards!.snapshot, asOfMs: { a, b }, publishedMs }
  return feedStatus({
    ...ports,
    boards: { gapCards: { ...gapCards!, snapshot } },
    marketMaxAgeMs: LIMIT,
    mode: 'sandbox',
  })
}

describe('VEN-09 how old the data behind the feed is, for each venue', () => {
  test.each([
    ['both at the limit', NOW - LIMIT, NOW - LIMIT, [], { a: LIMIT, b: LIMIT }],
    ['B a millisecond older', NOW, NOW - LIMIT - 1, ['b'], { a: 0, b: LIMIT + 1 }],
    ['A was never read', null, NOW, ['a'], { a: null, b: 0 }],
    ['VEN-08 stamped a little ahead of our clock', NOW + 5_000, NOW, [], { a: 0, b: 0 }],
    ['VEN-08 further ahead: its age is unknown', NOW, NOW + 5_001, ['b'], { a: 0, b: null }],
  ])('%s', (_, a, b, staleVenues, ageMs) => {
    expect(at(a, b)).toMatchObject({ staleVenues, stale: staleVenues.length > 0, ageMs })
  })

  test('VEN-08 computed by an engine that is ahead, for a present that is still to come: stale', () => {
    expect(at(NOW, NOW, NOW + 5_000).stale).toBe(false)
    expect(at(NOW, NOW, NOW + 5_001)).toMatchObject({ stale: true, ageMs: { a: null, b: null } })
  })
})
