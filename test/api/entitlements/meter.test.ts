import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMeter, type SpendCalls } from '../../../api/entitlements/meter.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { openLedger } from '../../support/ledger.ts'
import { startRedis } from '../../support/redis.ts'

let server: Awaited<ReturnType<typeof startRedis>>
let one: ReturnType<typeof openLedger>
let two: ReturnType<typeof openLedger>
beforeAll(async () => {
  server = await startRedis({ appendfsync: 'always' })
  one = openLedger(server.url)
  two = openLedger(server.url)
})
afterAll(async () => {
  one.close()
  two.close()
  await server.stop()
})

let digests = 0
const FAR = 4_000_000_000_000
/** A pass in the ledger. @returns its digest. */
const issue = async (calls: number, expires = FAR) => {
  const digest = `d${digests++}`
  await one.redis.hset(`grant:pass:${digest}`, { sku: 'S', claim: 'c', expires, calls })
  return digest
}
const left = async (digest: string) => Number(await one.redis.hget(`grant:pass:${digest}`, 'calls'))
const meterOf = ({ ledger }: typeof one) =>
  createMeter((operation, wanted) => ledger.spendCalls('pass', operation, wanted))
/** The ledger's clock. */
const nowMs = async () => {
  const [seconds, micros] = await one.redis.time()
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000)
}
const granted = (calls: unknown[]) => calls.filter((call) => typeof call === 'object').length

describe('8 an hour pass gives at most its calls', () => {
  test('ENT-01, E11: 1,000 concurrent calls over two processes, 600 left: exactly 600 are taken', async () => {
    const digest = await issue(600)
    const meters = [meterOf(one), meterOf(two)]
    const calls = await Promise.all(Array.from({ length: 1_000 }, (_, at) => meters[at % 2]!.take(digest)))
    expect(granted(calls)).toBe(600)
    expect(calls.filter((call) => call === 'used_up')).toHaveLength(400)
    expect(await left(digest)).toBe(0)
    const remaining = calls.flatMap((call) => (typeof call === 'object' ? [call.left] : []))
    expect(new Set(remaining).size).toBe(600)
    expect([Math.min(...remaining), Math.max(...remaining)]).toEqual([0, 599])
  })

  test.each([
    [1, 1_000, 'expired'], //  long past
    [0, FAR, 'used_up'],
    [0, 1_000, 'expired'], //  both: its time is over
  ])('%d calls left, expires at %d: %s, and nothing is taken', async (calls, expires, refusal) => {
    const digest = await issue(calls, expires)
    expect(await meterOf(one).take(digest)).toBe(refusal)
    expect(await left(digest)).toBe(calls)
  })

  test('one nobody issued is unknown, and is not made by asking', async () => {
    expect(await meterOf(one).take('nobody')).toBe('unknown')
    expect(await one.redis.exists('grant:pass:nobody')).toBe(0)
  })

  test('ENT-06 the hour ends by the ledger’s clock: good until the last millisecond before it', async () => {
    const digest = await issue(5, (await nowMs()) + 2_000)
    expect(await meterOf(one).take(digest)).toMatchObject({ left: 4 })
    await sleep(2_100)
    expect(await meterOf(one).take(digest)).toBe('expired')
  })

  test('ENT-06 the very millisecond of its end is over', async () => {
    const files = ['callsLeft', 'spendCalls'].map((name) =>
      readFile(`api/ledger/commands/${name}.lua`, 'utf8'),
    )
    const command = (await Promise.all(files)).join('')
    //  in one script with the command, so that both see the same millisecond; otherwise the pass has expired anyway
    const ending = `
      local time = redis.call('TIME')
      local now = time[1] * 1000 + math.floor(time[2] / 1000)
      redis.call('HSET', KEYS[2], 'calls', 5, 'expires', string.format('%.0f', now))
      return (function() ${command} end)()`
    for (let round = 0; round < 50; round++) {
      const row = `grant:pass:ending${round}`
      const spent = await one.redis.eval(ending, 2, `operation:ending${round}`, row, 1_000, 1)
      expect(spent).toEqual([0, 5, expect.any(Number), 1])
    }
  })
})

describe('8, CRA-13 calls that have a name are calls of the same pass', () => {
  const answer = (digest: string, name: string, { ledger } = one) =>
    ledger.answerCall('pass', name, digest, `answer of ${name}`)

  test('I12, ENT-01 100 names at once over two processes, with calls without one, 60 left: exactly 60 are taken', async () => {
    const digest = await issue(60)
    const calls = await Promise.all(
      Array.from({ length: 100 }, (_, at) => [
        answer(digest, `${digest} ${at}`, at % 2 ? one : two),
        meterOf(at % 2 ? two : one).take(digest),
      ]).flat(),
    )
    expect(granted(calls)).toBe(60)
    expect(calls.filter((call) => call === 'used_up')).toHaveLength(140)
    expect(await left(digest)).toBe(0)
  })

  test('ENT-06 the very millisecond of its end is over: a call that is not kept is refused, one that is kept is given', async () => {
    const digest = await issue(5)
    const kept = await answer(digest, `${digest} kept`)
    expect(kept).toEqual({ answer: `answer of ${digest} kept`, left: 4, expiresMs: FAR })
    const files = ['room', 'callsLeft', 'answerCall'].map((name) =>
      readFile(`api/ledger/commands/${name}.lua`, 'utf8'),
    )
    const command = (await Promise.all(files)).join('')
    const ending = `
      local time = redis.call('TIME')
      local now = time[1] * 1000 + math.floor(time[2] / 1000)
      redis.call('HSET', KEYS[2], 'expires', string.format('%.0f', now))
      return (function() ${command} end)()`
    const row = `grant:pass:${digest}`
    expect(await one.redis.eval(ending, 2, `call:${digest} next`, row, 1_000, 'x')).toEqual(['expired'])
    expect(await answer(digest, `${digest} kept`)).toEqual(kept)
    expect(await left(digest)).toBe(4)
  })

  test.each([
    ['over', -1_000, 'outdated', 5],
    ['not over', 60_000, { answer: 'new', left: 4, expiresMs: FAR }, 4],
  ])('I17 the time of its answer is %s by the ledger’s clock', async (_, forMs, outcome, calls) => {
    const digest = await issue(5)
    const untilMs = (await nowMs()) + forMs
    expect(await one.ledger.answerCall('pass', `${digest} new`, digest, 'new', untilMs)).toEqual(outcome)
    expect(await left(digest)).toBe(calls)
  })

  test('CRA-13 what was kept in time stays the answer after its time: a reply was lost', async () => {
    const digest = await issue(5)
    const kept = await answer(digest, `${digest} kept`)
    expect(await one.ledger.answerCall('pass', `${digest} kept`, digest, 'late', 1)).toEqual(kept)
  })

  test('of no such pass: unknown, and nothing is written', async () => {
    const keys = await one.redis.dbsize()
    expect(await answer('none', 'name of none')).toBe('unknown')
    expect(await one.redis.dbsize()).toBe(keys)
  })
})

test('ENT-07 whether a call is within the hour is decided when the ledger takes it, not when its reply comes', async () => {
  const digest = await issue(5, (await nowMs()) + 2_000)
  const late = createMeter(async (operation, wanted) => {
    const spent = await one.ledger.spendCalls('pass', operation, wanted)
    await expect.poll(() => meterOf(two).take(digest)).toBe('expired')
    return spent
  })
  expect(await late.take(digest)).toMatchObject({ left: 4 })
})

describe('ENT-02, CRA-13, E1 a lost reply takes nothing twice', () => {
  const losing = (losses: number): SpendCalls => {
    let lost = 0
    return async (operation, wanted) => {
      const spent = await one.ledger.spendCalls('pass', operation, wanted)
      if (lost++ < losses) throw new UnavailableError('ledger_unavailable', 'cut after the store did it')
      return spent
    }
  }

  test('the step is repeated under its id: one call is gone, and the caller has it', async () => {
    const digest = await issue(10)
    expect(await createMeter(losing(2)).take(digest)).toMatchObject({ left: 9 })
    expect(await left(digest)).toBe(9)
  })

  test('when no reply ever comes the caller is told so, and one call at most is gone', async () => {
    const digest = await issue(10)
    await expect(createMeter(losing(100)).take(digest)).rejects.toBeInstanceOf(UnavailableError)
    expect(await left(digest)).toBe(9)
  })
})

describe('8, I17 a call that paid for nothing is given back', () => {
  const giveBack = (digest: string, operation: string) => one.ledger.giveBackCall('pass', operation, digest)

  test('I12 once, however often the step is repeated', async () => {
    const digest = await issue(5)
    await meterOf(one).take(digest)
    for (let sent = 0; sent < 3; sent++) await giveBack(digest, `${digest} back`)
    expect(await left(digest)).toBe(5)
    expect(await one.redis.pttl(`operation:${digest} back`)).toBeGreaterThan(0)
  })

  test('to one that is over, too: its money may come back', async () => {
    const digest = await issue(0, 1_000)
    await giveBack(digest, `${digest} back`)
    expect(await left(digest)).toBe(1)
  })

  test('to none that is not there, or broken: nothing is written', async () => {
    const broken = await issue(5)
    await one.redis.hset(`grant:pass:${broken}`, { calls: 'many' })
    const keys = await one.redis.dbsize()
    for (const digest of ['nobody', broken]) await giveBack(digest, `${digest} back`)
    expect(await one.redis.dbsize()).toBe(keys)
    expect(await one.redis.hget(`grant:pass:${broken}`, 'calls')).toBe('many')
  })
})

test('property: whoever calls how often on which passes, each gives exactly min(wanted, calls) and never goes below zero', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ calls: fc.nat(20), wanted: fc.nat(30) }), { minLength: 1, maxLength: 6 }),
      async (passes) => {
        const rows = await Promise.all(
          passes.map(async (pass) => ({ ...pass, digest: await issue(pass.calls) })),
        )
        const meters = [meterOf(one), meterOf(two)]
        const asked = rows.flatMap(({ digest, wanted }) => Array.from({ length: wanted }, () => digest))
        const taken = await Promise.all(
          asked.map(async (digest, at) => ({ digest, call: await meters[at % 2]!.take(digest) })),
        )
        for (const { digest, calls, wanted } of rows) {
          const got = taken.filter((each) => each.digest === digest).map(({ call }) => call)
          expect(granted(got)).toBe(Math.min(calls, wanted))
          expect(await left(digest)).toBe(Math.max(0, calls - wanted))
        }
      },
    ),
    { numRuns: 40 },
  )
})

test('more callers than may wait are turned away, the others are served', async () => {
  const digest = await issue(100_000)
  const meter = meterOf(one)
  const calls = await Promise.allSettled(Array.from({ length: 21_000 }, () => meter.take(digest)))
  const refused = calls.filter(({ status }) => status === 'rejected').length
  expect(refused).toBeGreaterThan(0)
  expect(await left(digest)).toBe(100_000 - (21_000 - refused))
})

describe('DATA-07, I23 while the store stands still', () => {
  /** Requests that wait behind a step the store does not answer, in the order in which they are answered. */
  async function standing({ commandTimeoutMs, waitMs }: { commandTimeoutMs: number; waitMs: number }) {
    const still = await startRedis({ appendfsync: 'always' })
    const { redis, ledger, close } = openLedger(still.url, { commandTimeoutMs })
    for (const name of ['sent', 'waits', 'late'])
      await redis.hset(`grant:pass:${name}`, { sku: 'S', claim: 'c', expires: FAR, calls: 10 })
    const told: string[] = []
    const meter = createMeter((operation, wanted) => ledger.spendCalls('pass', operation, wanted), waitMs)
    const ask = (digest: string) =>
      meter.take(digest).then(
        () => told.push(`${digest} taken`),
        (error: UnavailableError) => told.push(`${digest} ${error.code}`),
      )
    await ask('sent')
    process.kill(still.pid, 'SIGSTOP')
    const calls = [ask('sent'), ask('waits'), ask('late')]
    try {
      await Promise.all(calls.slice(1))
      const before = [...told]
      await calls[0]
      process.kill(still.pid, 'SIGCONT')
      const left = await Promise.all(
        ['waits', 'late'].map((name) => redis.hget(`grant:pass:${name}`, 'calls')),
      )
      await ask('waits')
      return { before, told, left }
    } finally {
      process.kill(still.pid, 'SIGCONT')
      close()
      await still.stop()
    }
  }

  test('who is not sent when his time is over is refused, and nothing is taken from him', async () => {
    const { before, told, left } = await standing({ commandTimeoutMs: 1_500, waitMs: 50 })
    expect(before).toEqual(['sent taken', 'waits busy', 'late busy'])
    expect(left).toEqual(['10', '10'])
    expect(told.slice(3)).toEqual(['sent ledger_unavailable', 'waits taken'])
  })

  test('when the step before them fails those who wait are refused with it, and nothing is taken from them', async () => {
    const { before, told, left } = await standing({ commandTimeoutMs: 1_500, waitMs: 600_000 })
    expect(before).toEqual(['sent taken', 'sent ledger_unavailable', 'waits busy', 'late busy'])
    expect(left).toEqual(['10', '10'])
    expect(told.slice(4)).toEqual(['waits taken'])
  })
})
