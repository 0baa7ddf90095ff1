import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { encodeIntent } from '../../../api/classic/intent.ts'
import { readIntent } from '../../../api/classic/money.ts'
import { watchIntents } from '../../../api/classic/watch.ts'
import type { Rail, RailId } from '../../../api/rails/rail.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { quietLog } from '../../support/ledger.ts'
import { BUYER, classicWorld } from './world.ts'

const world = classicWorld()
const GRACE_MS = 45 * MINUTE
const open = (more: object = {}) => world.open({ sku: 'SKU_AG_HOUR_PASS_01', payload: {}, ...more })
const pay = ({ amountAtomic }: { amountAtomic: string }, rail: RailId = 'usdc_base') =>
  world.cash.send(rail, { atomic: amountAtomic })
const stateOf = async ({ intentId }: { intentId: string }) =>
  (await readIntent(world.nameOf(intentId), world.ports))!.intent.state
/** Lets the worker run for this long, without any request. @returns how many transfers it took. */
async function watchFor(ms: number, everyMs = 1 * MINUTE): Promise<number> {
  let taken = 0
  for (let passed = 0; passed < ms; passed += everyMs) {
    world.pass(everyMs)
    taken += (await world.watch()).taken
  }
  return taken
}
/** What the worker asks one rail for from now on: since when, as a time before the world's. */
function askedOf(id: RailId): number[] {
  const asked: number[] = []
  instead(id, ({ lookThrough }) => async (fromMs) => {
    asked.push(world.nowMs - fromMs)
    return await lookThrough(fromMs)
  })
  return asked
}
function instead(id: RailId, change: (rail: Rail) => Rail['lookThrough']): void {
  const rail = world.ports.rails.find((one) => one.id === id)!
  const { lookThrough } = rail
  rail.lookThrough = change({ ...rail })
  onTestFinished(() => {
    rail.lookThrough = lookThrough
  })
}

beforeEach(async () => {
  await world.store.redis.flushall()
  world.pass(3 * DAY)
})

test('what a look did is counted by one of two workers, and at once: a pass that breaks off later does not lose it', async () => {
  const told: string[] = []
  const pass = (more: object = {}) =>
    watchIntents({
      ...world.ports,
      intents: { ...world.intents, ...more },
      log: quietLog,
      onOutcome: (outcome, times) => told.push(`${outcome} ${times}`),
    })
  pay(await open())
  await open()
  await pass()
  world.pass(46 * MINUTE)
  const unanswered = async (max: number) => {
    if (max > 1) throw new UnavailableError('ledger_unavailable', 'from here on')
    return []
  }
  await expect(pass({ unanswered })).rejects.toThrow('from here on')
  expect(told).toEqual(['taken 1', 'lapsed 1'])
  await open()
  world.pass(2 * DAY)
  await Promise.all([pass(), pass()])
  expect(told.toSorted()).toEqual(['lapsed 1', 'lapsed 1', 'refunded 1', 'taken 1'])
})

describe('CHN-05 money that came while nobody could look is found when somebody can', () => {
  test('a take that fails while nothing else is open is tried again', async () => {
    const payment = await open()
    await world.watch()
    await watchFor(40 * MINUTE)
    world.cash.down(true)
    await watchFor(3 * MINUTE)
    pay(payment)
    await watchFor(20 * MINUTE)
    world.cash.down(false)
    const failing = vi
      .spyOn(world.ports.intents, 'seenBy')
      .mockRejectedValueOnce(new UnavailableError('ledger_unavailable', 'once'))
    expect((await world.watch()).taken).toBe(0)
    expect(failing).toHaveBeenCalled()
    failing.mockRestore()
    expect(await watchFor(30 * MINUTE)).toBe(1)
    expect(await stateOf(payment)).toBe('Confirmed')
  })

  test('CHN-07 a chain whose clock is ahead has not been looked through for longer than time has passed', async () => {
    instead('usdc_base', ({ lookThrough }) => async (fromMs) => ({
      ...(await lookThrough(fromMs)),
      untilMs: world.nowMs + HOUR,
    }))
    await open()
    await watchFor(10 * MINUTE)
    expect((await world.intents.looked()).usdc_base).toBeLessThanOrEqual(world.nowMs)
  })

  test('one transfer that can never be taken is told of, and hides no other of the last day', async () => {
    const broken = await open()
    await world.watch()
    world.pass(30 * SECOND)
    pay(broken)
    await world.store.redis.hset(`intent:${world.nameOf(broken.intentId)}`, 'body', '{')
    await watchFor(70 * MINUTE, 7 * SECOND) //  where it stands is noted once a minute, and so before the transfer
    let unread = 0
    for (let passed = 0; passed < 40 * HOUR; passed += 30 * MINUTE) {
      world.pass(30 * MINUTE)
      unread += (await world.watch()).unread
    }
    expect(unread).toBeGreaterThan(20)
    const payment = await open({ buyerId: 'other' })
    world.cash.down(true)
    world.pass(5 * MINUTE)
    pay(payment)
    await watchFor(2 * HOUR)
    world.cash.down(false)
    expect(await watchFor(10 * MINUTE)).toBe(1)
    expect(await stateOf(payment)).toBe('Confirmed')
  })

  test('a chain that is away when the time of the intent ends, and no other intent is open', async () => {
    const payment = await open()
    await world.watch()
    await watchFor(40 * MINUTE)
    world.cash.down(true)
    await watchFor(3 * MINUTE)
    pay(payment)
    await watchFor(3 * MINUTE)
    expect(await stateOf(payment)).toBe('Expired')
    world.cash.down(false)
    expect((await world.watch()).taken).toBe(1)
    expect(await stateOf(payment)).toBe('Confirmed')
    const said = await world.post('/fulfill', { buyerId: BUYER, intentId: payment.intentId })
    expect(said.status, said.text).toBe(200)
  })

  test('a chain that is away for longer than transfers are listed, with others open', async () => {
    const payment = await open()
    await watchFor(2 * MINUTE)
    world.cash.down(true)
    await watchFor(3 * MINUTE)
    pay(payment)
    await watchFor(GRACE_MS)
    await open({ buyerId: 'another' })
    await watchFor(25 * MINUTE)
    world.cash.down(false)
    expect((await world.watch()).taken).toBe(1)
  })

  test('a worker that was away for hours', async () => {
    const payment = await open()
    await world.watch()
    world.pass(5 * MINUTE)
    pay(payment)
    world.pass(3 * HOUR)
    expect((await world.watch()).taken).toBe(1)
  })

  test.each([23, 27, 3 * 24, 30 * 24])(
    'a worker that was away for %d hours: a day a pass, oldest first',
    async (hours) => {
      const first = await open()
      await world.watch()
      world.pass(5 * MINUTE)
      pay(first)
      world.pass(hours * HOUR - 10 * MINUTE)
      const last = await open({ buyerId: 'another' })
      pay(last)
      world.pass(5 * MINUTE)
      const asked = askedOf('usdc_base')
      expect(await watchFor((1 + Math.ceil(hours / 23)) * SECOND, SECOND)).toBe(2)
      expect(asked).toEqual(asked.toSorted((a, b) => b - a))
      expect((await world.intents.looked()).usdc_base).toBeGreaterThan(world.nowMs - MINUTE)
      expect(await stateOf(last)).toBe('Confirmed')
      const said = await world.post('/checkout/settle', { buyerId: BUYER, intentId: first.intentId })
      expect([said.status, await stateOf(first)], said.text).toEqual([200, 'Confirmed'])
    },
  )

  test('a chain that was away for longer than a day', async () => {
    const payment = await open()
    await watchFor(2 * MINUTE)
    world.cash.down(true)
    await watchFor(3 * MINUTE)
    pay(payment)
    await watchFor(50 * HOUR, 30 * MINUTE)
    world.cash.down(false)
    expect(await watchFor(3 * SECOND, SECOND)).toBe(1)
    expect(await stateOf(payment)).toBe('Confirmed')
  })

  test('a server that is hours behind, and shows later what came meanwhile', async () => {
    const payment = await open()
    await world.watch()
    const behindMs = world.nowMs
    instead('usdc_base', ({ lookThrough }) => async (fromMs) => {
      const { transfers } = await lookThrough(fromMs)
      const isBehind = world.nowMs < behindMs + 3 * HOUR
      return isBehind ? { transfers: [], untilMs: behindMs } : { transfers, untilMs: world.nowMs }
    })
    await watchFor(5 * MINUTE)
    pay(payment)
    expect(await watchFor(3 * HOUR - 10 * MINUTE)).toBe(0)
    expect(await watchFor(10 * MINUTE)).toBe(1)
  })

  test('what has to wait is met again, however long ago it came', async () => {
    const payment = await open()
    await world.watch()
    world.pass(5 * MINUTE)
    const tx = pay(payment)
    world.cash.amend(tx, { confirmations: 0 })
    world.pass(27 * HOUR)
    expect(await watchFor(5 * MINUTE)).toBe(0)
    world.cash.amend(tx, { confirmations: 2 })
    expect(await watchFor(2 * MINUTE)).toBe(1)
  })

  test('a server that has forgotten that time: it is told of, never passed over, and keeps nobody waiting who pays now', async () => {
    const early = await open()
    await world.watch()
    world.pass(5 * MINUTE)
    pay(early)
    world.pass(27 * HOUR)
    const before = await world.intents.looked()
    let isKnown = false
    instead('usdc_base', ({ lookThrough }) => async (fromMs) => {
      if (isKnown) return await lookThrough(fromMs)
      throw new UnavailableError('chain_unavailable', 'the node no longer has the blocks of that time')
    })
    const now = await open({ buyerId: 'another' })
    pay(now)
    expect(await world.watch()).toMatchObject({ taken: 1, unread: 1 })
    expect([await stateOf(early), await stateOf(now)]).toEqual(['Expired', 'Confirmed'])
    expect((await world.intents.looked()).usdc_base).toBe(before.usdc_base)
    isKnown = true
    expect(await world.watch()).toMatchObject({ taken: 1, unread: 0 })
    expect(await stateOf(early)).toBe('Confirmed')
  })

  test('what came so long ago that nobody knows whose it was is told of, and not looked for', async () => {
    await open()
    await world.watch()
    world.pass(40 * DAY)
    const asked = askedOf('usdc_base')
    expect(await world.watch()).toMatchObject({ unread: 2 }) //  rails
    expect(asked).toEqual([32 * DAY + HOUR])
    expect(await world.watch()).toMatchObject({ unread: 0 })
  })

  test('a server that shows it some seconds after the time of the intent has ended', async () => {
    const payment = await open()
    await watchFor(GRACE_MS - MINUTE)
    world.pass(55 * SECOND)
    const shows = world.cash.forget(pay(payment))
    world.pass(6 * SECOND)
    expect((await world.watch()).lapsed).toBe(1)
    world.pass(2 * SECOND)
    shows()
    expect((await world.watch()).taken).toBe(1)
  })

  test('CLS-09 what came after the time of the intent is no such money', async () => {
    const payment = await open()
    await watchFor(40 * MINUTE)
    world.cash.down(true)
    await watchFor(6 * MINUTE)
    pay(payment)
    world.cash.down(false)
    expect(await watchFor(20 * MINUTE)).toBe(0)
    expect(await stateOf(payment)).toBe('Expired')
  })
})

describe('a rail is asked only while there may be money for somebody on it', () => {
  test('ten minutes after nothing is open any more it is left alone', async () => {
    await open()
    await watchFor(GRACE_MS)
    const asked = askedOf('usdc_base')
    await watchFor(10 * MINUTE)
    expect(asked.length).toBeGreaterThan(8)
    asked.length = 0
    await watchFor(HOUR)
    expect(asked).toEqual([])
  })

  test('one that does not answer is asked until it has', async () => {
    await open()
    await watchFor(GRACE_MS)
    world.cash.down(true)
    await watchFor(5 * HOUR)
    world.cash.down(false)
    const asked = askedOf('usdc_base')
    await watchFor(HOUR)
    expect(asked).toHaveLength(1)
    expect(asked[0]).toBeGreaterThan(6 * HOUR)
  })

  test('after days without purchases it is asked for the last hour, not for days', async () => {
    await open()
    await watchFor(2 * HOUR)
    world.pass(3 * DAY)
    await open({ buyerId: 'days-later' })
    const asked = askedOf('usdc_base')
    world.cash.down(true)
    await watchFor(3 * MINUTE)
    world.cash.down(false)
    await watchFor(2 * MINUTE)
    expect(asked).toHaveLength(5)
    expect(Math.max(...asked)).toBeLessThanOrEqual(HOUR + 4 * MINUTE)
  })
})

describe('I23 one rail that hangs delays no other', () => {
  test('money on one is taken while another does not answer', async () => {
    const payment = await open()
    let letGo = (): void => {}
    const gate = new Promise<void>((go) => {
      letGo = go
    })
    instead('usdc_polygon', ({ lookThrough }) => async (fromMs) => {
      await gate
      return await lookThrough(fromMs)
    })
    pay(payment)
    const pass = world.watch()
    await expect.poll(() => stateOf(payment)).toBe('Confirmed')
    letGo()
    expect((await pass).taken).toBe(1)
  })
})

test('I23 two hundred that saw money on a rail that hangs cost a pass what two of its looks take', async () => {
  const { intentId } = await open()
  const { intent } = (await readIntent(world.nameOf(intentId), world.ports))!
  const seen = {
    key: 'tx:137:0x1:log0',
    atMs: world.nowMs,
    confirmations: 0,
    needed: 1,
    on: { rail: 'usdc_polygon' as const, tx: '0x1', to: '0x1' },
  }
  for (let nth = 0; nth < 200; nth++) {
    const one = encodeIntent({ ...intent, state: 'Seen', seen, opener: `s${nth}`, place: `s${nth}` })
    const at = { graceUntilMs: Date.now() + DAY, buyer: `s${nth}`, amounts: [] }
    expect(await world.intents.open(`s${nth}`, one, at)).toBe('opened')
    await world.store.redis.zadd('intents:waiting', intent.graceUntilMs, `s${nth}`)
  }
  let nowMs = 0
  const time = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  onTestFinished(() => void time.mockRestore())
  const polygon = world.ports.rails.find(({ id }) => id === 'usdc_polygon')!
  const { byHash } = polygon
  let asked = 0
  polygon.byHash = async () => {
    asked++
    nowMs += 5 * SECOND
    throw new UnavailableError('chain_unavailable', 'no answer within 5 s')
  }
  onTestFinished(() => {
    polygon.byHash = byHash
  })
  world.pass(GRACE_MS)
  await world.watch()
  expect(asked).toBe(2)
})
