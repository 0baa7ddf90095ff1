import { describe, expect, test } from 'vitest'
import { isProblem } from '../../../api/errors.ts'
import { createDoor, type FeedAccess } from '../../../api/feed/access.ts'
import { FEED, revokeToken, sellToken, TOKEN } from '../../support/feed.ts'
import { feedWorld } from '../../support/feedWorld.ts'
import { quietLog } from '../../support/ledger.ts'

const world = feedWorld()
const code = async (answer: Response) => ((await answer.json()) as { code: string }).code

describe('spec 4.2: the feed is read with a token in X-Service-Feed-Token or X-Marketplace-Token', () => {
  test.each([
    [{}, 401, 'feed_token_missing'],
    [{ 'x-service-feed-token': 'nobody' }, 401, 'feed_token_unknown'],
    [{ 'x-service-feed-token': TOKEN.toUpperCase() }, 401, 'feed_token_unknown'],
    [{ 'x-service-feed-token': `Bearer ${TOKEN}` }, 401, 'feed_token_unknown'],
    [{ 'x-service-feed-token': 'a'.repeat(8_192) }, 401, 'feed_token_unknown'],
    [{ 'x-service-feed-token': 'tokén' }, 401, 'feed_token_unknown'],
    [{ 'x-service-feed-token': 'expired' }, 401, 'feed_token_expired'],
    [{ 'x-service-feed-token': TOKEN, 'x-marketplace-token': 'nobody' }, 400, 'malformed_request'],
    [{ authorization: `Bearer ${TOKEN}` }, 401, 'feed_token_missing'], // only the documented headers
  ])('ENT-10 %j: %d %s', async (headers: Record<string, string>, status, expected) => {
    await sellToken(world.redis, 'expired', Date.now() - 1)
    const feed = await world.start()
    const answer = await fetch(`${feed.base}${FEED}?token=${TOKEN}`, { headers })
    expect([answer.status, await code(answer.clone())]).toEqual([status, expected])
    if (status === 401) {
      expect(answer.headers.get('www-authenticate')).toContain('X-Service-Feed-Token')
      expect(((await answer.json()) as { next: string }).next).toContain('/x402/v1/bot-fuel-day')
    }
  })

  test.each([
    [{ 'x-service-feed-token': TOKEN }],
    [{ 'x-marketplace-token': 'month-token' }],
    [{ 'x-service-feed-token': TOKEN, 'x-marketplace-token': TOKEN }],
  ])('%j is let in', async (headers: Record<string, string>) => {
    await sellToken(world.redis, 'month-token', Date.now() + 60_000)
    const feed = await world.start()
    expect((await fetch(`${feed.base}${FEED}`, { headers })).status).toBe(200)
  })

  test.each([[{ 'x-marketplace-token': TOKEN }], [{ 'x-service-feed-token': 'month-token' }]])(
    'ENT-12 %j: each kind of token has its own header',
    async (headers: Record<string, string>) => {
      await sellToken(world.redis, 'month-token', Date.now() + 60_000)
      const feed = await world.start()
      for (let twice = 0; twice < 2; twice++) {
        const answer = await fetch(`${feed.base}${FEED}`, { headers })
        expect([answer.status, await code(answer)]).toEqual([401, 'feed_token_unknown'])
      }
    },
  )

  test('the very millisecond of its expiry is too late', async () => {
    const clock = { ms: 1_000_000, nowMs: () => clock.ms }
    await sellToken(world.redis, TOKEN, 1_000_500)
    const feed = await world.start(clock)
    clock.ms = 1_000_499
    expect((await feed.get()).status).toBe(200)
    clock.ms = 1_000_500
    expect(await code(await feed.get())).toBe('feed_token_expired')
  })

  test('the store does not answer: 503, and nobody is called unknown', async () => {
    const feed = await world.start()
    await world.server.kill()
    try {
      const answer = await feed.get()
      expect([answer.status, await code(answer)]).toEqual([503, 'ledger_unavailable'])
    } finally {
      await world.server.restart()
    }
  })
})

describe('a good token is believed for five seconds', () => {
  test('then the store is asked again, and a revoked one is refused', async () => {
    const clock = { ms: Date.now(), nowMs: () => clock.ms }
    const feed = await world.start(clock)
    for (let at = 0; at < 20; at++) expect((await feed.get()).status).toBe(200)
    expect(feed.access.asked).toBe(1)
    await revokeToken(world.redis, TOKEN)
    clock.ms += 4_999
    expect((await feed.get()).status).toBe(200)
    clock.ms += 2
    expect(await code(await feed.get())).toBe('feed_token_unknown')
  })

  test('a bad one never is: every guess costs the one who guesses a look-up', async () => {
    const feed = await world.start()
    for (let at = 0; at < 5; at++)
      expect((await feed.get('', { 'x-service-feed-token': 'nobody' })).status).toBe(401)
    expect(feed.access.asked).toBe(5)
  })
})

test('ENT-09 at most 256 look-ups are under way: the next guess is told to come back', async () => {
  const waiting: (() => void)[] = []
  const access: FeedAccess = {
    check: () => new Promise((resolve) => waiting.push(() => resolve(null))),
  }
  const door = createDoor({ access, steady: { nowMs: () => 0 }, log: quietLog })
  const guesses = Array.from({ length: 257 }, (_, at) => door.admitToken(`guess-${at}`))
  expect(await guesses[256]).toMatchObject({ problem: 'busy' })
  expect(waiting).toHaveLength(256)
  for (const answer of waiting) answer()
  for (const guess of await Promise.all(guesses.slice(0, 256)))
    expect(isProblem(guess) && guess.problem).toBe('feed_token_unknown')
})
