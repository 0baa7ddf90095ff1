import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { WAIT_MS } from '../../../api/feed/catchUp.ts'
import { PRECISION } from '../../../api/goods/market/freshness.ts'
import { FEED_STREAM } from '../../../engine/contract/feed.ts'
import { type FeedProcess, sellToken, someEvent, TOKEN, tell } from '../../support/feed.ts'
import { feedWorld } from '../../support/feedWorld.ts'
import { until } from '../../support/process.ts'

const world = feedWorld()

type Answer = {
  lastEventId: string
  more: boolean
  gap: Record<string, unknown> | null
  openCards: Record<string, { pairId: string }[]> | null
  events: { id: string; kind: string; topic: string }[]
  nextPollMs: number
  stale: boolean
}
const poll = async (feed: FeedProcess, query = ''): Promise<Answer> =>
  (await (await feed.get(query)).json()) as Answer
const ids = ({ events }: Answer) => events.map(({ id }) => id)

/** A process that has taken in these events. */
async function holding(events: Parameters<typeof tell>[1]): Promise<{ feed: FeedProcess; told: string[] }> {
  const told = await tell(world.redis, events)
  const feed = await world.start()
  await until('all is read', async () => (await poll(feed)).lastEventId === (told.at(-1) ?? '0-0'))
  return { feed, told }
}
const five = () => Array.from({ length: 5 }, (_, at) => someEvent({ snapshotVersion: at }))

describe('an answer', () => {
  test('says of what age, what is open and what was told, oldest first', async () => {
    const { feed, told } = await holding([
      someEvent(),
      someEvent({ topic: 'edges' }),
      someEvent({ kind: 'changed' }),
    ])
    const reply = await feed.get()
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'private, no-cache',
      vary: 'accept, x-service-feed-token, x-marketplace-token', // HTTP-14
    })
    const answer = (await reply.json()) as Answer
    expect(answer).toMatchObject({
      ok: true,
      protocol: 'alpha-feed',
      schema: 'alphaFeed.v1',
      mode: 'sandbox',
      recorded: false,
      snapshotVersion: 1,
      asOf: { a: expect.any(String), b: expect.any(String) },
      ageMs: { a: expect.any(Number), b: expect.any(Number) },
      stale: false,
      ...PRECISION,
      lastEventId: told[2],
      more: false,
      gap: null,
      openCards: { gaps: [{ pairId: 'a:M1|b:K1' }], edges: [{ pairId: 'a:M1|b:K1' }] },
      events: [
        { id: told[0], kind: 'opened', topic: 'gaps' },
        { id: told[1], kind: 'opened', topic: 'edges' },
        { id: told[2], kind: 'changed', topic: 'gaps' },
      ],
    })
    expect(answer.nextPollMs).toBeGreaterThan(0)
  })

  test('of an empty feed', async () => {
    const { feed } = await holding([])
    expect(await poll(feed)).toMatchObject({
      lastEventId: '0-0',
      events: [],
      openCards: { gaps: [], edges: [] },
    })
  })

  test('of old data is answered all the same and says so: the token is paid', async () => {
    const feed = await world.start()
    feed.market.marketMaxAgeMs = -1
    const old = { ok: true, stale: true, staleVenues: ['a', 'b'], nextPollMs: 5_000 }
    await expect.poll(() => poll(feed)).toMatchObject(old)
  })

  test('ENT-11 is made once for all who ask the same within a second, and then anew: its ages are those of its making', async () => {
    const steady = { ms: 0, nowMs: () => steady.ms }
    const feed = await world.start(steady)
    await sellToken(world.redis, TOKEN, 3_600_000)
    vi.useFakeTimers({ toFake: ['Date'] })
    world.later(() => vi.useRealTimers())
    const text = async () => await (await feed.get()).text()
    const first = await text()
    vi.setSystemTime(Date.now() + 1_001)
    expect(await text()).toBe(first)
    steady.ms += 1_001
    const next = await text()
    const atMs = (answer: string) => Date.parse((JSON.parse(answer) as { generatedAt: string }).generatedAt)
    expect(atMs(next) - atMs(first)).toBe(1_001)
  })

  test('is dated by the clock of its markets, as its ages are: in a recording that is another one', async () => {
    const feed = await world.start()
    const recordedMs = Date.now() - 30 * 86_400_000
    feed.market.marketClock = { nowMs: () => recordedMs }
    const { generatedAt } = (await (await feed.get()).json()) as { generatedAt: string }
    expect(Date.parse(generatedAt)).toBe(recordedMs)
  })

  test('lists what is open by pair, in whatever order it opened: every process writes the same', async () => {
    const { feed } = await holding([someEvent({}, 'b'), someEvent({}, 'c'), someEvent({}, 'a')])
    expect((await poll(feed)).openCards!.gaps!.map(({ pairId }) => pairId)).toEqual(['a', 'b', 'c'])
  })

  test('OPS-14 how old data is, is looked at each second, also when the clock was set back', async () => {
    const steady = { ms: 0, nowMs: () => steady.ms }
    const feed = await world.start(steady)
    await sellToken(world.redis, TOKEN, 3_600_000) //  by the given clock, which is also the store's
    vi.useFakeTimers({ toFake: ['Date'] })
    world.later(() => vi.useRealTimers())
    expect((await poll(feed)).stale).toBe(false)
    vi.setSystemTime(Date.now() - 3_600_000)
    feed.market.marketMaxAgeMs = -1
    steady.ms += 1_001
    expect((await poll(feed)).stale).toBe(true)
  })
})

describe('since, limit and topic', () => {
  test('since tells only what is newer, and leaves the open cards to be folded', async () => {
    const { feed, told } = await holding(five())
    const answer = await poll(feed, `?since=${told[2]}`)
    expect(ids(answer)).toEqual(told.slice(3))
    expect(answer.openCards).toBeNull()
    expect(ids(await poll(feed, `?since=${told[4]}`))).toEqual([])
    expect(ids(await poll(feed, '?since=0-0'))).toEqual(told) // nothing was ever trimmed
  })

  test('a limit takes the newest; with since the next ones, and says that there are more', async () => {
    const { feed, told } = await holding(five())
    expect(ids(await poll(feed, '?limit=2'))).toEqual(told.slice(3))
    const first = await poll(feed, `?since=${told[0]}&limit=3`)
    expect([ids(first), first.more, first.lastEventId, first.nextPollMs]).toEqual([
      told.slice(1, 4),
      true,
      told[3],
      0,
    ])
    const second = await poll(feed, `?since=${first.lastEventId}&limit=3`)
    expect([ids(second), second.more, second.lastEventId]).toEqual([told.slice(4), false, told[4]])
  })

  test('a topic: lastEventId goes on over events of the other', async () => {
    const { feed, told } = await holding([someEvent(), someEvent({ topic: 'edges' }), someEvent()])
    const answer = await poll(feed, '?topic=edges')
    expect([ids(answer), answer.lastEventId]).toEqual([[told[1]], told[2]])
    expect(Object.keys(answer.openCards!)).toEqual(['edges'])
    const behind = await poll(feed, `?topic=edges&since=${told[0]}`)
    expect([ids(behind), behind.lastEventId]).toEqual([[told[1]], told[2]])
    const since = await poll(feed, `?topic=edges&since=${told[1]}`)
    expect([ids(since), since.lastEventId]).toEqual([[], told[2]])
  })

  test('since an id that is no longer held: the gap is said, and what is open comes with it', async () => {
    const { feed, told } = await holding(five())
    const answer = await poll(feed, '?since=9999999999999-0')
    expect(answer.gap).toEqual({
      afterId: '9999999999999-0',
      oldestId: told[0],
      reason: 'unknown_id',
      missed: 'unknown',
    })
    expect([ids(answer), answer.openCards!.gaps!.length, answer.lastEventId]).toEqual([[], 1, told[4]])
  })

  test.each([
    '?limit=0',
    '?limit=1001',
    '?limit=1e2',
    '?limit=-1',
    '?since=1',
    '?since=',
    '?topic=',
    '?topic=gaps,edges',
  ])('%s is refused', async (query) => {
    const answer = await (await world.start()).get(query)
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      400,
      'invalid_parameter',
    ])
  })
})

test('since an id that another process was first to give: waited for, and nothing was missed', async () => {
  const { feed } = await holding(five())
  const id = `${Date.now() + 3_000}-0`
  const asked = [feed.get(`?since=${id}`), feed.get(`?since=${id}`, { 'if-none-match': `W/"${id}"` })]
  const late = Promise.all(asked)
  await sleep(50)
  const toldMs = performance.now()
  await world.redis.xadd(FEED_STREAM, id, 'event', JSON.stringify(someEvent()))
  const [answer, level] = await late
  expect(performance.now() - toldMs).toBeLessThan(WAIT_MS / 2) //  as soon as the event arrives
  expect(await answer!.json()).toMatchObject({ gap: null, openCards: null, events: [], lastEventId: id })
  expect(level!.status).toBe(304)
})

test.each([-60_000, 60_000])(
  'that id is waited for with a clock %d ms off the store’s too',
  async (offMs) => {
    const realNow = Date.now
    const id = `${realNow() + 3_000}-0`
    const spy = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + offMs)
    world.later(() => spy.mockRestore())
    const { feed } = await holding(five())
    const late = poll(feed, `?since=${id}`)
    await sleep(50)
    await world.redis.xadd(FEED_STREAM, id, 'event', JSON.stringify(someEvent()))
    expect(await late).toMatchObject({ gap: null, events: [], lastEventId: id })
  },
)

test('since an id of this moment that nobody gave: the gap is said after two seconds', async () => {
  const { feed } = await holding(five())
  const beganMs = performance.now()
  expect((await poll(feed, `?since=${Date.now() + 3_000}-0`)).gap).toMatchObject({ reason: 'unknown_id' })
  expect(performance.now() - beganMs).toBeGreaterThan(WAIT_MS - 50)
})

describe('If-None-Match', () => {
  test('is answered by 304 without a body until something is told', async () => {
    const { feed } = await holding([someEvent()])
    const first = await feed.get()
    const etag = first.headers.get('etag')!
    const same = await feed.get('', { 'if-none-match': etag })
    expect([same.status, await same.text(), same.headers.get('etag')]).toEqual([304, '', etag])
    expect((await feed.get('', { 'if-none-match': `"other", ${etag}` })).status).toBe(304)
    expect((await feed.get('', { 'if-none-match': '"other"' })).status).toBe(200)
    const [next] = await tell(world.redis, [someEvent({ kind: 'changed' })])
    await until('it is told', async () => (await feed.get('', { 'if-none-match': etag })).status === 200)
    expect((await poll(feed)).lastEventId).toBe(next)
  })

  test('the documented poll, with since and tag of the last answer, hides nothing and ends with 304', async () => {
    const { feed, told } = await holding(five())
    let [since, etag] = [told[0]!, '']
    const heard: string[] = []
    const rounds: [number, boolean?][] = []
    for (let round = 0; round < 4; round++) {
      const reply = await feed.get(`?since=${since}&limit=2`, { 'if-none-match': etag })
      etag = reply.headers.get('etag')!
      if (reply.status === 304) rounds.push([304])
      else {
        const answer = (await reply.json()) as Answer
        heard.push(...ids(answer))
        since = answer.lastEventId
        expect(etag).toBe(`W/"${since}"`) //  the tag names the last event of this answer
        rounds.push([200, answer.more])
      }
    }
    expect(rounds).toEqual([[200, true], [200, false], [304], [304]])
    expect(heard).toEqual(told.slice(1))
  })

  test('who is level is answered by 304 with the tag of whichever answer he had: begun without since, or gone on', async () => {
    const { feed, told } = await holding(five())
    const begun = (await feed.get()).headers.get('etag')!
    const level = await feed.get(`?since=${told[4]}`, { 'if-none-match': begun })
    const goneOn = (await feed.get(`?since=${told[3]}`)).headers.get('etag')!
    expect([level.status, level.headers.get('etag')]).toEqual([304, goneOn])
    expect((await feed.get(`?since=${told[4]}`, { 'if-none-match': goneOn })).status).toBe(304)
    feed.market.marketMaxAgeMs = -1
    await until(
      'stale is told to him too',
      async () => (await feed.get(`?since=${told[4]}`, { 'if-none-match': goneOn })).status === 200,
    )
  })

  test.each([
    ['?limit=2', '?since=FIRST'], //       the newest two do not tell what came before them
    ['?limit=2', '?limit=3'],
    ['?topic=edges', ''],
    ['?topic=edges', '?topic=gaps'],
    ['?since=NEWEST', ''], //              what is open was not in that answer
    ['?since=FIRST', '?since=FIRST'], //   a since behind the newest is always answered
    ['?since=9999999999999-0', ''], //     so is what began with a gap
  ])('error: the tag of %s is not taken for what %s would tell', async (tagOf, query) => {
    const { feed, told } = await holding(five())
    const fill = (text: string) => text.replace('FIRST', told[0]!).replace('NEWEST', told[4]!)
    const etag = (await feed.get(fill(tagOf))).headers.get('etag')!
    expect((await feed.get(fill(query), { 'if-none-match': etag })).status).toBe(200)
  })

  test('all processes give the same tag; data that became stale has another', async () => {
    const { feed } = await holding([someEvent()])
    const etag = (await feed.get()).headers.get('etag')!
    const other = await world.start()
    await until(
      'the other has it too',
      async () => (await other.get('', { 'if-none-match': etag })).status === 304,
    )
    other.market.marketMaxAgeMs = -1
    await until('stale', async () => (await other.get('', { 'if-none-match': etag })).status === 200)
  })

  test('HEAD has the tag and the length, and no body', async () => {
    const { feed } = await holding([someEvent()])
    const full = await feed.get()
    const head = await fetch(`${feed.base}/api/v1/alpha-feed`, {
      method: 'HEAD',
      headers: { 'x-service-feed-token': 'feed_of-the-tests' },
    })
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([
      200,
      full.headers.get('etag'),
      '',
    ])
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1_000)
  })
})
