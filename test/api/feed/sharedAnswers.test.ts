import { describe, expect, test } from 'vitest'
import { FeedLog } from '../../../api/feed/feedLog.ts'
import type { Feed } from '../../../api/feed/followFeed.ts'
import { eventFrame } from '../../../api/feed/frames.ts'
import { nothingOpen } from '../../../api/feed/openCards.ts'
import { createPoll } from '../../../api/feed/poll.ts'
import type { FeedStatus } from '../../../api/feed/status.ts'
import { FEED_TOPICS } from '../../../engine/contract/feed.ts'

const MIB = 1024 * 1024

/** A feed whose last thousand events are a mebibyte and more. */
function wideFeed(): Feed {
  const log = new FeedLog(2_000, '0-0')
  const text = 'long '.repeat(250)
  for (let ms = 1; ms <= 1_000; ms++)
    log.append(eventFrame(`${ms}-0`, Object.assign({ kind: 'opened', topic: 'gaps' } as const, { text })))
  return { log, open: nothingOpen() }
}

describe('an answer is made once for all who ask the same within a second', () => {
  const feed = wideFeed()
  const clock = { nowMs: () => 5_000 }
  const status = { staleVenues: [] as string[] } as FeedStatus
  const poller = () => {
    const poll = createPoll(() => status, { clock, steady: clock })
    return (limit: number) =>
      poll(feed, { topics: new Set(FEED_TOPICS), afterId: null, limit }, '').body as Uint8Array
  }

  test('the same bytes, whoever asks', () => {
    const ask = poller()
    expect(ask(900)).toBe(ask(900))
    expect(ask(899)).not.toBe(ask(900))
  })

  test('not when a venue has become old meanwhile, nor when the feed began anew', () => {
    const now = { ms: 0, staleVenues: [] as string[] }
    const steady = { nowMs: () => now.ms }
    const poll = createPoll(() => ({ staleVenues: now.staleVenues }) as FeedStatus, { clock: steady, steady })
    const query = { topics: new Set(FEED_TOPICS), afterId: null, limit: 1 }
    const ask = (of: Feed) => JSON.parse(String(Buffer.from(poll(of, query, '').body as Uint8Array)))
    const feedOf = (): Feed => ({ log: new FeedLog(10, '0-0'), open: nothingOpen() })
    const tell = ({ log }: Feed) => log.append(eventFrame('1-0', { kind: 'opened', topic: 'gaps' }))
    const [before, anew] = [feedOf(), feedOf()]
    ask(before)
    now.ms = 500
    tell(before)
    expect(ask(before)).toMatchObject({ staleVenues: [], openCards: { gaps: [] } })
    now.ms = 1_001
    now.staleVenues = ['b']
    expect(ask(before).staleVenues).toEqual(['b'])
    tell(anew)
    anew.open.gaps.set('pair', '{}')
    expect(ask(anew).openCards.gaps).toEqual([{}])
  })

  test('its ages, version and tag are those of its making, also when another was made just before', () => {
    const now = { ms: 1_000 }
    const steady = { nowMs: () => now.ms }
    const statusAt = (nowMs: number) =>
      ({ snapshotVersion: now.ms, ageMs: { a: nowMs }, staleVenues: nowMs < 1_900 ? [] : ['a'] }) as unknown
    const late = { nowMs: () => now.ms++ } // each look at the clock is another instant
    const poll = createPoll((nowMs) => statusAt(nowMs) as FeedStatus, { clock: late, steady })
    const ask = (limit: number) => {
      const { body, headers } = poll(feed, { topics: new Set(FEED_TOPICS), afterId: null, limit }, '')
      const answer = JSON.parse(String(Buffer.from(body as Uint8Array)))
      return { ...answer, atMs: Date.parse(answer.generatedAt), tag: new Map(headers).get('etag') }
    }
    ask(1)
    now.ms = 1_800
    const fresh = ask(2)
    expect(fresh).toMatchObject({ ageMs: { a: fresh.atMs }, staleVenues: [] })
    expect(fresh.snapshotVersion).toBeGreaterThanOrEqual(1_800)
    now.ms = 1_900
    const stale = ask(3)
    expect(stale).toMatchObject({ ageMs: { a: stale.atMs }, staleVenues: ['a'], tag: 'W/"1000-0-a~3"' })
  })

  test('of the large ones only those that were asked for last are kept, eight mebibytes of them', () => {
    const ask = poller()
    const limits = Array.from({ length: 64 }, (_, at) => 1_000 - at)
    const first = new Map(limits.map((limit) => [limit, ask(limit)]))
    const bytes = [...first.values()].reduce((sum, body) => sum + body.byteLength, 0)
    expect(bytes).toBeGreaterThan(64 * MIB)
    const kept = limits.toReversed().filter((limit) => ask(limit) === first.get(limit))
    expect(kept).toEqual(limits.slice(-kept.length).toReversed())
    const keptBytes = kept.reduce((sum, limit) => sum + first.get(limit)!.byteLength, 0)
    expect(keptBytes).toBeLessThanOrEqual(8 * MIB)
    expect(keptBytes).toBeGreaterThan(6 * MIB)
  })

  test('what many ask is made once, however many large ones somebody asks for', () => {
    const ask = poller()
    const small = ask(1)
    for (let limit = 1_000; limit > 940; limit--) {
      ask(limit)
      expect(ask(1)).toBe(small)
    }
  })
})
