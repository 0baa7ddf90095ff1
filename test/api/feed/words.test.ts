import { expect, test } from 'vitest'
import { FeedLog } from '../../../api/feed/feedLog.ts'
import type { Feed } from '../../../api/feed/followFeed.ts'
import { nothingOpen } from '../../../api/feed/openCards.ts'
import { createWords } from '../../../api/feed/words.ts'
import { FRESH, STALE } from './statuses.ts'

const GAPS = new Set(['gaps'] as const)
const feedAt = (id: string): Feed => ({ log: new FeedLog(10, id), open: nothingOpen() })

function world(status = FRESH) {
  const now = { status, ms: 0, asked: 0 }
  const words = createWords({
    status: () => {
      now.asked++
      return now.status
    },
    steady: { nowMs: () => now.ms },
  })
  return { now, words }
}

test('a snapshot is made once for all who begin at the same event within a second, and for each choice of topics', () => {
  const { now, words } = world()
  const feed = feedAt('1-0')
  const first = words.snapshot(feed, GAPS)
  now.ms = 1_000
  expect(words.snapshot(feed, new Set(GAPS))).toBe(first)
  expect(words.snapshot(feed, new Set(['gaps', 'edges'] as const))).not.toBe(first)
  now.ms = 1_001
  expect(words.snapshot(feed, GAPS)).not.toBe(first)
})

test('of another event, or of a feed that began anew at the same one, it is another', () => {
  const { words } = world()
  const feed = feedAt('1-0')
  const first = words.snapshot(feed, GAPS)
  expect(words.snapshot(feedAt('1-0'), GAPS)).not.toBe(first)
  const again = words.snapshot(feed, GAPS)
  feed.log.reached('2-0')
  expect(words.snapshot(feed, GAPS)).not.toBe(again)
})

test('whoever gets a snapshot is not told the age of the data in older words afterwards', () => {
  const { now, words } = world()
  now.status = STALE
  expect(words.word().stale).toBe('')
  words.snapshot(feedAt('1-0'), GAPS)
  expect(words.word().stale).toBe('b')
})

test('the status is looked at again after a stale word, and not after a fresh one', () => {
  const { now, words } = world(STALE)
  now.status = FRESH
  words.hearThatFresh()
  expect(words.word().stale).toBe('')
  const { asked } = now
  words.hearThatFresh()
  expect(now.asked).toBe(asked)
})
