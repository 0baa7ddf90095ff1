import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { createPasses } from '../../../api/entitlements/passes.ts'
import type { Problem } from '../../../api/errors.ts'
import type { Draft, Good, GoodPorts } from '../../../api/goods/good.ts'
import type { HttpRequest, Reply } from '../../../api/http/exchange.ts'
import { createFinalityLedger } from '../../../api/ledger/finality.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { answerByPass, type PassPorts, type SoldByPass } from '../../../api/payment/pass.ts'
import { createSameInstant } from '../../../api/payment/sameInstant.ts'
import { torCallPermit } from '../../../api/redeem/torCallPermit.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { MINUTE, SECOND } from '../../../ops/units.ts'
import { openLedger } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { CHOICES, createTurns, SCHEDULES } from '../../support/turns.ts'
import { buy } from './bought.ts'

/** Passes and permits: the real requests and the watch over their money, each call of the ledger at a chosen time. */
let redis: TestRedis
let book: ReturnType<typeof openLedger>
beforeAll(async () => {
  redis = await startRedis() // no power is lost here
  book = openLedger(redis.url)
})
afterAll(async () => {
  book?.close()
  await redis?.stop()
})

const EVENTS = [
  'money leaves',
  'money returns',
  'data lost',
  'data back',
  'second',
  'ten seconds',
  'minute',
  'it ends',
  'worker looks',
] as const
type Event = (typeof EVENTS)[number]

/** What has happened one after the other before all else happens at once. */
const LOOKED = ['money leaves', 'worker looks', 'minute'] as const
const BEFORE: readonly (readonly Event[])[] = [[], [], LOOKED, [...LOOKED, 'worker looks']]

/** Two selling processes, and what asks them; the worker is a third. */
const ASKS = ['plain', 'plain', 'key 1', 'key 1', 'key 2', 'key 1, else asked'] as const
const rarely = <Value, Else>(value: fc.Arbitrary<Value>, otherwise: Else) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary: value })
const plans = fc.record({
  before: fc.constantFrom(...BEFORE),
  calls: fc.integer({ min: 1, max: 4 }),
  processes: fc.array(
    fc.record({
      dies: rarely(fc.nat({ max: 16 }), null),
      loses: rarely(fc.array(fc.nat({ max: 16 }), { maxLength: 3 }), []),
    }),
    { minLength: 3, maxLength: 3 },
  ),
  work: fc.array(
    fc.record({
      kind: fc.constantFrom(...ASKS, 'watch' as const, 'watch' as const),
      at: fc.nat({ max: 1 }),
    }),
    { minLength: 2, maxLength: 12 },
  ),
  events: fc.array(fc.constantFrom(...EVENTS, 'money leaves' as const, 'minute' as const), { maxLength: 8 }),
  choices: CHOICES,
  stays: fc.boolean(), // whether its money is on its chain in the end
})
type Plan = typeof plans extends fc.Arbitrary<infer Value> ? Value : never
type Kind = (typeof ASKS)[number]

/** What one request was told. `status` 0: it never heard anything. */
type Told = { name: string | null; status: number; body: string; during: string | null }
type Through = <Port extends object>(port: Port) => Port
type Ask = (kind: Kind) => Promise<Pick<Reply, 'status' | 'body'>>

const keyOf = (kind: Kind) => /key \d/.exec(kind)?.[0].replace(' ', '-') ?? ''
const isUnknown = ({ status, body }: Told) => status === 0 || body.includes('ledger_unavailable')

/** Something metered that was bought, and what may happen to it. */
async function scene(sku: string, { calls, before }: Pick<Plan, 'calls' | 'before'>) {
  await book.redis.flushall()
  let nowMs = Date.now()
  let answered = 0
  let hasData = true
  const bought = await buy(sku, book, () => nowMs)
  const row = KEYS.grant(bought.entitled.token)
  await book.redis.hset(row, 'calls', calls)
  const expires = await book.redis.hget(row, 'expires')
  let isOver = false
  const watch = async (through: Through) =>
    await bought.watchOver(through(createFinalityLedger(book.redis)), through(bought.model.chain))(nowMs)
  const happen: Record<Event, () => unknown> = {
    'money leaves': () => bought.model.reorganise(),
    'money returns': bought.model.mine,
    'data lost': () => {
      hasData = false
    },
    'data back': () => {
      hasData = true
    },
    second: () => {
      nowMs += SECOND
    },
    'ten seconds': () => {
      nowMs += 10 * SECOND
    },
    minute: () => {
      nowMs += MINUTE
    },
    'worker looks': async () => void (await watch((port) => port)),
    //  the ledger's own clock cannot be moved: its end comes to the clock
    'it ends': async () => {
      isOver = true
      const held = await book.redis.hexists(row, 'heldExpires')
      const now = String(await book.ledger.nowMs())
      await book.redis.hset(row, 'expires', held ? '1' : now, ...(held ? ['heldExpires', now] : []))
    },
  }
  const good = {
    sku: 'S',
    path: '/x402/v1/s',
    parameters: [{ name: 'q', required: false, description: '', example: '' }],
    input: z.object({ q: z.string().optional() }),
    answer: (): Draft | Problem =>
      hasData ? { result: { answer: ++answered }, snapshotVersion: 1 } : { problem: 'no_data' },
  } as unknown as Good<unknown>
  const clock = { nowMs: () => nowMs }
  const marketClock = { nowMs: () => ++answered } //  no two requests at one instant

  /** GETs under the pass, as one process answers them. */
  function passAt(through: Through): Ask {
    const sold = {
      good,
      sameInstant: createSameInstant(),
      challenge: (code: string) => ({ status: 402, headers: [], body: code }),
    } as unknown as SoldByPass
    const passes = createPasses(through(book.ledger), clock)
    const ports = { passes, clock, answers: { mode: 'live' }, faultPoint: () => {} }
    const goods = { marketClock } as unknown as GoodPorts
    return async (kind) => {
      const call = {
        rawQuery: kind.endsWith('else asked') ? 'q=else' : '',
        payload: '',
        idempotencyKey: keyOf(kind),
        wrongSecret: () => {},
      } as Parameters<typeof answerByPass>[1]
      return await answerByPass(bought.token, call, sold, { ...ports, goods } as unknown as PassPorts)
    }
  }
  /** Redemptions of the permit, as one process grants them. */
  function permitAt(through: Through): Ask {
    const { handler } = torCallPermit(through(book.ledger), 'sandbox')
    return async (kind) => {
      const headers: Record<string, string> = {
        'x-service-permit': bought.token,
        'idempotency-key': keyOf(kind),
      }
      const request = {
        header: (name: string) => headers[name] ?? '',
        headerCount: (name: string) => (headers[name] ? 1 : 0),
      } as HttpRequest
      return (await handler(request)) as Reply
    }
  }
  for (const event of before) await happen[event]()
  return {
    ...bought,
    passAt,
    permitAt,
    row,
    expires,
    happen: (event: Event) => happen[event](),
    watch,
    isOver: () => isOver,
    left: async () => Number(await book.redis.hget(row, 'calls')),
    /** All is well again, its money is where it stays, and the watch has looked for long enough. */
    async calm(stays: boolean) {
      hasData = true
      if (stays) bought.model.mine()
      else bought.model.reorganise({ dropped: true })
      const watch = bought.watchOver(createFinalityLedger(book.redis))
      for (let look = 0; look < 4; look++) {
        nowMs += MINUTE
        await watch(nowMs)
      }
    },
  }
}
type Scene = Awaited<ReturnType<typeof scene>>

/** Runs a plan. @returns what the requests were told, and the order of everything. */
async function play(plan: Plan, set: Scene, askAt: (through: Through) => Ask) {
  const { before, processes, work, events, choices, stays } = plan
  const turns = createTurns(choices)
  const throughs = processes.map(({ dies, loses }, at) => turns.process(`${at}`, dies, loses))
  const asks = throughs.slice(0, 2).map((through) => askAt(through))
  const failures: unknown[] = []
  const all: Told[] = []
  const standing = () => turns.step('standing', set.suspended)
  const ask = async (kind: Kind, at: number) => {
    const key = keyOf(kind)
    const told: Told = { name: key === '' ? null : kind, status: 0, body: '', during: await standing() }
    all.push(told)
    const { status, body } = await asks[at]!(kind)
    const during = (await standing()) === told.during ? told.during : null
    Object.assign(told, { status, body: String(body), during })
  }
  for (const [index, { kind, at }] of work.entries())
    void turns
      .turnOf(`${index} ${kind}`)
      .then(async () => void (kind === 'watch' ? await set.watch(throughs[2]!) : await ask(kind, at)))
      .catch((error) => void (error instanceof UnavailableError || failures.push(error)))
  void (async () => {
    for (const event of events) await turns.step(event, async () => set.happen(event))
  })()
  const taken = await turns.run()
  await set.calm(stays)
  const story = [before.join(), ...taken, '', ...all.map((told) => JSON.stringify(told))].join('\n')
  return { all, story, failures }
}

/** The answers that a row has paid for: each without a name, and each name once, which is always the same bytes. */
function paidFor(all: readonly Told[], story: string): number {
  const given = all.filter(({ status }) => status === 200)
  const named = Map.groupBy(
    given.filter(({ name }) => name !== null),
    ({ name }) => name,
  )
  for (const answers of named.values()) expect(new Set(answers.map(({ body }) => body)).size, story).toBe(1)
  return given.filter(({ name }) => name === null).length + named.size
}

/** The calls that may be gone although nobody got their answer: one for each request that was left in the dark. */
function mayBeGone(all: readonly Told[]): number {
  const dark = all.filter(isUnknown)
  const answered = new Set(all.filter(({ status }) => status === 200).map(({ name }) => name))
  const names = new Set(dark.flatMap(({ name }) => (name === null || answered.has(name) ? [] : [name])))
  return dark.filter(({ name }) => name === null).length + names.size
}

/** What is bought stands and lasts exactly as before where its money is there, else it is taken back. */
async function expectStanding(set: Scene, stays: boolean, story: string) {
  const { expires, heldExpires = null } = await book.redis.hgetall(set.row)
  expect((await set.suspended()) === null, story).toBe(stays)
  expect(heldExpires === null, story).toBe(stays)
  if (!set.isOver()) expect(stays ? expires : heldExpires, story).toBe(set.expires)
}

test('I12, CRA-13 whatever happens at once, and whoever dies: a pass pays for each answer once, for none that nobody got for certain, and stands as long as its money', async () => {
  const happens = fc.asyncProperty(plans, async (plan) => {
    const set = await scene('SKU_AG_HOUR_PASS_01', plan)
    const { all, story, failures } = await play(plan, set, set.passAt)
    expect(failures, story).toEqual([])
    const [used, paid] = [plan.calls - (await set.left()), paidFor(all, story)]
    expect(used, story).toBeGreaterThanOrEqual(paid)
    expect(used - paid, story).toBeLessThanOrEqual(mayBeGone(all))
    for (const { name, status, body, during } of all)
      if (during !== null && status === 200)
        expect(all.filter((told) => told.name === name && told.body === body).length > 1, story).toBe(true)
    await expectStanding(set, plan.stays, story)
    const ask = set.passAt((port) => port)
    for (const { name, status, body } of all)
      if (name !== null && status === 200) expect((await ask(name as Kind)).body, story).toBe(body)
    const last = await ask('plain')
    const over = set.isOver() ? 'pass_expired' : plan.stays ? 'pass_used_up' : 'pass_revoked'
    const isGood = plan.stays && !set.isOver() && used < plan.calls
    expect(last.status === 200 ? 'good' : last.body, story).toBe(isGood ? 'good' : over)
  })
  await fc.assert(happens, { numRuns: SCHEDULES, endOnFailure: true })
}, 3_600_000)

test('I13 whatever happens at once, and whoever dies: a permit is redeemed once, with a key for as long as its answer is kept, and stands as long as its money', async () => {
  const happens = fc.asyncProperty(plans, async (plan) => {
    const set = await scene('SKU_AG_TOR_CALL_01', { ...plan, calls: 1 })
    const { all, story, failures } = await play(plan, set, set.permitAt)
    expect(failures, story).toEqual([])
    const keyed = all.map((told) => ({ ...told, name: told.name === null ? null : keyOf(told.name as Kind) }))
    const [used, paid] = [1 - (await set.left()), paidFor(keyed, story)]
    expect(used, story).toBeGreaterThanOrEqual(paid)
    expect(used - paid, story).toBeLessThanOrEqual(mayBeGone(keyed))
    await expectStanding(set, plan.stays, story)
    const ask = set.permitAt((port) => port)
    for (const { name, status, body } of all)
      if (name !== null && status === 200) expect((await ask(name as Kind)).body, story).toBe(body)
    const again = [await ask('key 1'), await ask('key 2'), await ask('plain')]
    const granted = new Set(again.filter(({ status }) => status === 200).map(({ body }) => body))
    const isFree = plan.stays && !set.isOver() && used === 0
    const isKept = keyed.some(({ name, status }) => name !== null && (status === 200 || status === 0))
    if (isFree)
      expect(again[0]!.status, story).toBe(200) // whatever its key was told while the money was away
    else if (!isKept && mayBeGone(keyed) === 0) expect(granted.size, story).toBe(0)
    expect(granted.size, story).toBeLessThanOrEqual(1)
  })
  await fc.assert(happens, { numRuns: SCHEDULES, endOnFailure: true })
}, 3_600_000)
