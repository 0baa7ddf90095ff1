import { afterEach, describe, expect, test, vi } from 'vitest'
import { createBlockClock } from '../../../api/settlement/blockClock.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { createLog } from '../../../ops/log.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../ops/units.ts'

const TRUE_MS = 1_800_000_000_000

/** A machine whose clock is ahead of the chain by `aheadMs`; the chain makes a block every two seconds. */
async function world({ aheadMs }: { aheadMs: number }) {
  let passedMs = 0 //  true time since the start; the steady clock counts it too
  let behindMs = 0 //  lag of the node that is asked
  let isAway = false
  let isStalled: number | null = null
  const headMs = () => {
    const timeMs = isStalled ?? TRUE_MS + passedMs - behindMs
    return timeMs - (timeMs % (2 * SECOND))
  }
  const clock = createBlockClock({
    clock: { nowMs: () => TRUE_MS + passedMs + aheadMs },
    steady: { nowMs: () => 500 + passedMs },
    head: async () => {
      if (isAway) throw new UnavailableError('chain_unavailable', 'head: timeout')
      return { number: BigInt(headMs() / (2 * SECOND)), timeMs: headMs() }
    },
    log: createLog('test', 'silent'),
  })
  await clock.look()
  const pass = async (ms: number, everyMs = 5 * SECOND) => {
    for (let left = ms; left > 0; left -= everyMs) {
      passedMs += Math.min(everyMs, left)
      await clock.look().catch(() => {})
    }
  }
  return {
    clock,
    pass,
    trueMs: () => TRUE_MS + passedMs,
    /** How far the clock is ahead of true time. */
    errorMs: () => clock.nowMs() - (TRUE_MS + passedMs),
    lag: (ms: number) => {
      behindMs = ms
    },
    away: (now: boolean) => {
      isAway = now
    },
    stall: (now: boolean) => {
      isStalled = now ? TRUE_MS + passedMs - behindMs : null
    },
  }
}

describe('VAL-10 a clock that is far ahead of the chain is not believed', () => {
  test.each([
    ['right', 0],
    ['a little behind', -3 * SECOND],
    ['an hour behind', -HOUR],
    ['eight seconds ahead: a block may be that old', 8 * SECOND],
  ])('%s: it is told as it is', async (_, aheadMs) => {
    const { pass, errorMs } = await world({ aheadMs })
    await pass(MINUTE)
    expect(errorMs()).toBe(aheadMs)
  })

  test.each([13 * SECOND, 20 * SECOND, 10 * MINUTE, 14 * HOUR])(
    '%d ms ahead: the time is that of the newest block, counted on',
    async (aheadMs) => {
      const { clock, pass, errorMs } = await world({ aheadMs })
      await pass(MINUTE)
      expect(errorMs()).toBeLessThanOrEqual(0)
      expect(errorMs()).toBeGreaterThan(-2 * SECOND)
      const before = clock.nowMs()
      await pass(3 * SECOND, 3 * SECOND)
      expect(clock.nowMs() - before).toBe(3 * SECOND)
    },
  )

  test('from the first look on, and for five seconds without another block', async () => {
    const { pass, stall, errorMs } = await world({ aheadMs: HOUR })
    expect(errorMs()).toBeLessThanOrEqual(0)
    stall(true)
    await pass(5 * SECOND - 1, SECOND)
    expect(errorMs()).toBeLessThanOrEqual(0)
    await pass(1)
    expect(errorMs()).toBe(HOUR)
    stall(false)
    await pass(2 * SECOND)
    expect(errorMs()).toBeLessThanOrEqual(0)
  })

  test('it is set right while we run: it is believed again', async () => {
    let aheadMs = HOUR
    let passedMs = 0
    const clock = createBlockClock({
      clock: { nowMs: () => TRUE_MS + passedMs + aheadMs },
      steady: { nowMs: () => passedMs },
      head: async () => ({ number: BigInt(passedMs), timeMs: TRUE_MS + passedMs }),
      log: createLog('test', 'silent'),
    })

    for (; passedMs < MINUTE; passedMs += 5 * SECOND) await clock.look()
    expect(clock.nowMs()).toBeLessThanOrEqual(TRUE_MS + passedMs)
    aheadMs = 0
    expect(clock.nowMs()).toBe(TRUE_MS + passedMs)
  })
})

describe('a node in trouble makes no right clock look wrong', () => {
  test('it does not answer', async () => {
    const { away, pass, errorMs } = await world({ aheadMs: 0 })
    await pass(MINUTE)
    away(true)
    await pass(HOUR, MINUTE)
    expect(errorMs()).toBe(0)
  })

  test('it shows no new block for an hour, and then those of the hour', async () => {
    const { stall, pass, errorMs } = await world({ aheadMs: 0 })
    await pass(MINUTE)
    stall(true)
    await pass(HOUR, MINUTE)
    expect(errorMs()).toBe(0)
    stall(false)
    await pass(MINUTE)
    expect(errorMs()).toBe(0)
  })

  test('it has fallen behind by ten minutes: what it showed before counts', async () => {
    const { lag, pass, errorMs } = await world({ aheadMs: 0 })
    await pass(MINUTE)
    lag(10 * MINUTE)
    await pass(20 * MINUTE)
    expect(errorMs()).toBe(0)
  })

  test('it was hours behind when we began, and catches up', async () => {
    const { lag, pass, errorMs } = await world({ aheadMs: 0 })
    for (let behindMs = 5 * HOUR; behindMs >= 0; behindMs -= 10 * MINUTE) {
      lag(behindMs)
      await pass(5 * SECOND)
      expect(errorMs(), `${behindMs} ms behind`).toBe(0)
    }
    await pass(MINUTE)
    expect(errorMs()).toBe(0)
  })
})

describe('VAL-10 the newest block’s time: it is at least so late', () => {
  test.each([-HOUR, 0, HOUR])('counted on, whatever our clock says: %d ms ahead', async (aheadMs) => {
    const { clock, pass, trueMs } = await world({ aheadMs })
    await pass(MINUTE)
    const before = clock.newestBlock.nowMs()
    expect(before).toBeLessThanOrEqual(trueMs())
    expect(before).toBeGreaterThan(trueMs() - 2 * SECOND)
    await pass(3 * SECOND, 3 * SECOND)
    expect(clock.newestBlock.nowMs() - before).toBeLessThanOrEqual(4 * SECOND)
    expect(clock.newestBlock.nowMs()).toBeGreaterThan(trueMs() - 2 * SECOND)
  })

  test('a node that stands still or is away is counted on from its last block', async () => {
    const { clock, pass, stall, away, trueMs } = await world({ aheadMs: 0 })
    await pass(MINUTE)
    stall(true)
    await pass(HOUR, MINUTE)
    away(true)
    await pass(HOUR, MINUTE)
    expect(clock.newestBlock.nowMs()).toBeLessThanOrEqual(trueMs())
    expect(clock.newestBlock.nowMs()).toBeGreaterThan(trueMs() - 2 * SECOND)
  })

  test('before the first look nothing is known', () => {
    const head = () => Promise.reject(new UnavailableError('chain_unavailable', 'head: timeout'))
    const log = createLog('test', 'silent')
    const clock = createBlockClock({ clock: { nowMs: () => TRUE_MS }, head, log })
    expect(clock.newestBlock.nowMs()).toBe(0)
  })
})

describe('following the chain', () => {
  afterEach(() => vi.useRealTimers())

  test('the newest block is read each second at first, then every five, until it is ended; a failed look is no end', async () => {
    vi.useFakeTimers()
    const looks: number[] = []
    const startMs = Date.now()
    const clock = createBlockClock({
      clock: { nowMs: () => TRUE_MS },
      head: async () => {
        looks.push((Date.now() - startMs) / SECOND)
        throw new UnavailableError('chain_unavailable', 'head: timeout')
      },
      log: createLog('test', 'silent'),
    })
    const stop = clock.follow()
    await vi.advanceTimersByTimeAsync(15 * SECOND)
    stop()
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(looks).toEqual([0, 1, 2, 3, 4, 9, 14])
  })
})

describe('I4 a host whose clock is behind opens nothing and ends nothing by a time from before the newest block', () => {
  const behind = { nowMs: () => TRUE_MS - HOUR }
  const withBlockAt = async (timeMs: number) => {
    const head = async () => ({ number: 1n, timeMs })
    const log = createLog('test', 'silent')
    const clock = createBlockClock({ clock: behind, later: { nowMs: () => TRUE_MS }, head, log })
    await clock.look()
    return clock.nowMs()
  }

  test('where the later of our clocks says that it is so late: no earlier than that block', async () => {
    expect(await withBlockAt(TRUE_MS - 2 * SECOND)).toBe(TRUE_MS - 2 * SECOND)
  })

  test('a block from the future is not believed beyond the later of our clocks', async () => {
    expect(await withBlockAt(TRUE_MS + DAY)).toBe(TRUE_MS)
  })
})
