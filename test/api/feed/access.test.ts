import { describe, expect, test } from 'vitest'
import { MARKETPLACE_SKU } from '../../../api/entitlements/feedToken.ts'
import { isProblem } from '../../../api/errors.ts'
import { createDoor, type FeedAccess, UNKNOWN_TOKENS } from '../../../api/feed/access.ts'
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
    [{ 'x-service-feed-token': 'revoked' }, 401, 'feed_token_revoked'],
    [{ 'x-service-feed-token': TOKEN, 'x-marketplace-token': 'nobody' }, 400, 'malformed_request'],
    [{ authorization: `Bearer ${TOKEN}` }, 401, 'feed_token_missing'], // only the documented headers
  ])('ENT-10 %j: %d %s', async (headers: Record<string, string>, status, expected) => {
    for (const ended of ['expired', 'revoked']) await sellToken(world.redis, ended, Date.now() - 1)
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
    [{ 'x-service-feed-token': 'month-token', 'x-marketplace-token': 'month-token' }],
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

describe('spec 2.3: who holds a token of 30 days is told of his header, and where there is another', () => {
  test('none was sent: both headers are named', async () => {
    const feed = await world.start()
    const answer = await fetch(`${feed.base}${FEED}`)
    expect(((await answer.json()) as { next: string }).next).toContain('X-Marketplace-Token')
  })

  test('it has expired: 30 days are sold too, by another path than 24 hours and 7 days', async () => {
    await sellToken(world.redis, 'month-token', Date.now() - 1)
    const feed = await world.start()
    const answer = await fetch(`${feed.base}${FEED}`, { headers: { 'x-marketplace-token': 'month-token' } })
    const { code, next } = (await answer.json()) as { code: string; next: string }
    expect(code).toBe('feed_token_expired')
    expect(next).toContain(MARKETPLACE_SKU)
    expect(next).toContain('/purchase-intent')
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

describe('ENT-09 who sends unknown tokens is looked up no more for a while', () => {
  const EXPIRES_MS = 3_600_000
  function openDoor() {
    const clock = { ms: 0, nowMs: () => clock.ms }
    const asked: string[] = []
    const access: FeedAccess = {
      async check(token) {
        asked.push(token)
        if (!token.startsWith('good')) return null
        return {
          expiresMs: token.startsWith('good-expired') ? 0 : EXPIRES_MS,
          nowMs: clock.ms,
          sku: 'SKU',
          isRevoked: false,
        }
      },
    }
    const door = createDoor({ access, steady: clock, log: quietLog })
    const request = (token: string, address: string) => ({
      header: (name: string) => (name === 'x-service-feed-token' ? token : ''),
      address,
    })
    const ask = async (token: string, address = HERE) => {
      const answer = await door.admit(request(token, address))
      return isProblem(answer) ? answer.problem : 'admitted'
    }
    const guess = async (times: number, address = HERE) => {
      for (let at = 0; at < times; at++) expect(await ask(`guess-${at}`, address)).toBe('feed_token_unknown')
    }
    return { clock, asked, door, ask, guess }
  }
  const HERE = '203.0.113.7'
  const { burst, perS } = UNKNOWN_TOKENS

  test('from the 1,001st on, whichever token it is; what is believed is read all the same', async () => {
    const { asked, ask, guess, clock } = openDoor()
    expect(await ask('good')).toBe('admitted')
    await guess(burst)
    expect(asked).toHaveLength(burst + 1)
    expect([await ask('guess'), await ask('good-other'), await ask('good')]).toEqual([
      'rate_limited',
      'rate_limited',
      'admitted',
    ])
    expect(asked).toHaveLength(burst + 1)
    clock.ms += 1_000
    await guess(perS)
    expect(await ask('guess')).toBe('rate_limited')
  })

  test('at most 10,000 tokens are believed: of one more the one believed longest is looked up again', async () => {
    const { asked, ask } = openDoor()
    for (let at = 0; at <= 10_000; at++) await ask(`good-${at}`)
    asked.length = 0
    for (const token of ['good-1', 'good-10000', 'good-0']) expect(await ask(token)).toBe('admitted')
    expect(asked).toEqual(['good-0'])
  })

  test('another address is looked up; neighbours in one IPv6 /64 are one address', async () => {
    const { ask, guess } = openDoor()
    const home = '2001:0db8:0000:0001:0000:0000:0000:000'
    await guess(burst, `${home}1`)
    expect([await ask('good', `${home}2`), await ask('good', HERE)]).toEqual(['rate_limited', 'admitted'])
  })

  test('over a WebSocket they count for who opened it, and a token of ours that is looked up again for nobody', async () => {
    const { door, ask } = openDoor()
    for (let at = 0; at < burst; at++) await door.admitToken(`mine-${at}`)
    expect(await ask('good')).toBe('admitted')
    for (let at = 0; at < burst; at++) await door.admitToken(`guess-${at}`, { address: HERE })
    expect(await door.admitToken('good-other', { address: HERE })).toMatchObject({ problem: 'rate_limited' })
    expect(await door.admitToken('good-other')).not.toHaveProperty('problem')
  })

  test('who leaves before the answer is counted too; an expired token never is', async () => {
    const { door, ask, guess } = openDoor()
    for (let at = 0; at < burst; at++) expect(await ask(`good-expired-${at}`)).toBe('feed_token_expired')
    let address = HERE
    const leaving = {
      header: (name: string) => (name === 'x-service-feed-token' ? 'guess' : ''),
      get address() {
        return address
      },
    }
    const answer = door.admit(leaving)
    address = ''
    await answer
    await guess(burst - 1)
    expect(await ask('guess')).toBe('rate_limited')
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
  const joined = door.admitToken('guess-255') //  it costs no look-up of its own
  expect(waiting).toHaveLength(256)
  for (const answer of waiting) answer()
  for (const guess of await Promise.all([...guesses.slice(0, 256), joined]))
    expect(isProblem(guess) && guess.problem).toBe('feed_token_unknown')
})

test('ENT-11 who asks for one token at the same time shares one look-up, and is judged and counted by himself', async () => {
  const waiting: ((known: Awaited<ReturnType<FeedAccess['check']>>) => void)[] = []
  const access: FeedAccess = { check: () => new Promise((resolve) => waiting.push(resolve)) }
  const door = createDoor({ access, steady: { nowMs: () => 0 }, log: quietLog })
  const ask = (token: string, name = 'x-service-feed-token', address = '203.0.113.7') =>
    door.admit({ header: (asked: string) => (asked === name ? token : ''), address })
  const outcomes = async (asked: ReturnType<typeof ask>[]) =>
    new Set((await Promise.all(asked)).map((each) => (isProblem(each) ? each.problem : 'admitted')))

  const holders = Array.from({ length: 500 }, () => ask('good'))
  const swapped = ask('good', 'x-marketplace-token')
  expect(waiting).toHaveLength(1)
  waiting[0]!({ expiresMs: 60_000, nowMs: 0, sku: 'SKU_AG_ALPHA_7D', isRevoked: false })
  expect(await outcomes(holders)).toEqual(new Set(['admitted']))
  expect(await outcomes([swapped])).toEqual(new Set(['feed_token_unknown']))

  const guesses = Array.from({ length: UNKNOWN_TOKENS.burst }, () => ask('guess'))
  expect(waiting).toHaveLength(2)
  waiting[1]!(null)
  expect(await outcomes(guesses)).toEqual(new Set(['feed_token_unknown']))
  expect(await outcomes([ask('guess')])).toEqual(new Set(['rate_limited']))
})

test('ENT-06 how long it lasts is told by the clock of the store, and measured by ours, whatever the two show', async () => {
  const steady = { ms: 500, nowMs: () => steady.ms }
  const nowMs = 1_790_000_000_000
  const access: FeedAccess = {
    check: async () => ({ expiresMs: nowMs + 1_000, nowMs, sku: 'SKU_AG_ALPHA_7D', isRevoked: false }),
  }
  const door = createDoor({ access, steady, log: quietLog })
  expect(await door.admitToken('good')).toMatchObject({ endsMs: 1_500 })
  steady.ms = 1_499
  const admitted = await door.admitToken('good')
  if (isProblem(admitted)) throw new Error(admitted.problem)
  expect([admitted.endsMs, door.refuseEnded(admitted)]).toEqual([1_500, null])
  steady.ms = 1_500
  expect(door.refuseEnded(admitted)).toEqual({ problem: 'feed_token_expired' })
  expect(await door.admitToken('good')).toEqual({ problem: 'feed_token_expired' })
})

test('a look-up that failed is not shared with who comes after it', async () => {
  let isAway = true
  const access: FeedAccess = {
    async check() {
      if (isAway) throw new Error('away')
      return { expiresMs: 60_000, nowMs: 0, sku: 'SKU_AG_ALPHA_7D', isRevoked: false }
    },
  }
  const door = createDoor({ access, steady: { nowMs: () => 0 }, log: quietLog })
  expect(await Promise.all([door.admitToken('good'), door.admitToken('good')])).toEqual(
    Array(2).fill({ problem: 'ledger_unavailable' }),
  )
  isAway = false
  expect(await door.admitToken('good')).toMatchObject({ endsMs: 60_000 })
})
