import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { createPasses } from '../../../api/entitlements/passes.ts'
import type { Problem } from '../../../api/errors.ts'
import type { Draft, Good } from '../../../api/goods/good.ts'
import { answerByPass, type PassPorts, type SoldByPass } from '../../../api/payment/pass.ts'
import { createSameInstant } from '../../../api/payment/sameInstant.ts'
import { UnavailableError } from '../../../ops/errors.ts'

const PASS = `pass_${'a'.repeat(43)}`
const OTHER = `pass_${'b'.repeat(43)}`

type Drawn = Draft | Problem | Promise<Draft | Problem>
type Row = { calls: string; expiresMs: number; heldExpires?: number } | null
const LIVE = { calls: '6', expiresMs: 9_000_000 }

function world(row: Row) {
  const drawn = { result: {}, snapshotVersion: null } as Drawn
  const state = {
    nowMs: 1_000_000,
    answers: 0,
    wrong: 0,
    looks: 0,
    row,
    answer: drawn,
    beforeTaking: () => {},
    givenBack: new Set<string>(), // by operation
    lost: 0, //                     replies to what is given back
  }
  const good = {
    sku: 'S',
    isSlow: () => true,
    path: '/x402/v1/s',
    parameters: [],
    input: z.object({}),
    answer: () => {
      state.answers++
      return state.answer
    },
  } as unknown as Good<unknown>
  const sold = {
    good,
    sameInstant: createSameInstant(),
    challenge: (code: string) => ({ status: 402, headers: [], body: code }),
  } as unknown as SoldByPass
  const clock = { nowMs: () => state.nowMs }
  const spend = () => {
    if (state.row === null) return { taken: 0, left: 0, expiresMs: 0, expired: true }
    const { calls, expiresMs } = state.row
    const expired = expiresMs <= state.nowMs
    const taken = expired || calls === '0' ? 0 : 1
    state.row = { ...state.row, calls: String(Number(calls) - taken) }
    return { taken, left: Number(calls) - taken, expiresMs, expired }
  }
  const passes = createPasses(
    {
      grant: async () => {
        state.looks++
        if (state.row === null) return null
        const { calls, expiresMs, heldExpires } = state.row
        const held: Record<string, string> =
          heldExpires === undefined ? {} : { heldExpires: String(heldExpires) }
        return { sku: 'P', expiresMs, fields: { calls, ...held } }
      },
      nowMs: async () => state.nowMs,
      spendCalls: async (_, __, wanted) => {
        state.beforeTaking()
        return new Map([...wanted.keys()].map((digest) => [digest, spend()]))
      },
      answerCall: async (_, __, ___, answer, untilMs = Number.POSITIVE_INFINITY) => {
        state.beforeTaking()
        if (state.nowMs > untilMs) return 'outdated'
        const { left, expiresMs } = spend()
        return { answer, left, expiresMs }
      },
      answeredCall: async () => null,
      giveBackCall: async (_, operation) => {
        if (!state.givenBack.has(operation)) state.row!.calls = String(Number(state.row!.calls) + 1)
        state.givenBack.add(operation)
        if (state.lost-- > 0) throw new UnavailableError('ledger_unavailable', 'the reply is lost')
      },
    },
    clock,
  )
  const ports = {
    passes,
    clock,
    answers: { mode: 'live' },
    faultPoint: () => {},
    goods: { marketClock: { nowMs: () => state.nowMs } },
  } as unknown as PassPorts
  const wrongSecret = () => {
    state.wrong++
  }
  const ask = async (pass = PASS, rawQuery = '', idempotencyKey = '', payload = '') => {
    const call = { rawQuery, payload, idempotencyKey, wrongSecret } as Parameters<typeof answerByPass>[1]
    return (await answerByPass(pass, call, sold, ports)).body
  }
  return { state, ask, passes }
}

describe('8, INP-16: nobody works for a pass that is over', () => {
  test.each<[string, Row]>([
    ['expired', { calls: '6', expiresMs: 1_000_000 }],
    ['expired', { calls: '6', expiresMs: 900_000, heldExpires: 1_000_000 }], // revoked, and over besides
    ['revoked', { calls: '6', expiresMs: 1_000_000, heldExpires: LIVE.expiresMs }],
    ['used_up', { ...LIVE, calls: '0' }],
  ])('%s: no answer is worked out, and the ledger is asked once in two seconds', async (over, row) => {
    const { state, ask } = world(row)
    const looks: number[] = []
    for (const laterMs of [0, 1, 1_998, 1]) {
      state.nowMs += laterMs
      expect(await ask()).toBe(`pass_${over}`)
      looks.push(state.looks)
    }
    expect([looks, state.answers]).toEqual([[1, 1, 1, 2], 0])
    expect(await ask(OTHER)).toBe(`pass_${over}`)
  })

  test('one that pays is asked about by its calls alone, as long as ten seconds do not lie between them', async () => {
    const { state, ask } = world(LIVE)
    for (const laterMs of [0, 9_999, 9_999]) {
      state.nowMs += laterMs
      expect(await ask()).toContain('callsRemaining')
    }
    expect(state.looks).toBe(1)
    state.nowMs += 10_000
    expect(await ask()).toContain('"callsRemaining":2')
    expect([state.looks, state.answers]).toEqual([2, 4])
  })

  test('fifty thousand are remembered; the one that was met first is forgotten first', async () => {
    const { state, passes } = world(LIVE)
    for (let nth = 0; nth <= 50_000; nth++) await passes.standing(`pass ${nth}`)
    expect([passes.standing('pass 1'), state.looks]).toEqual(['good', 50_001])
    expect([await passes.standing('pass 0'), state.looks]).toEqual(['good', 50_002])
  })

  test('its last call is taken: the next answer is the last that is worked out', async () => {
    const { state, ask } = world({ ...LIVE, calls: '1' })
    expect(await ask()).toContain('"callsRemaining":0')
    for (const laterMs of [1, 1, 3_000]) {
      state.nowMs += laterMs
      expect(await ask()).toBe('pass_used_up')
    }
    expect(state.answers).toBe(2)
  })

  test('ENT-09 one that the ledger has forgotten since it was met is a wrong secret, as one that was never met', async () => {
    const { state, ask } = world(null)
    expect([await ask(), state.wrong]).toEqual(['pass_unknown', 1])
    const { state: met, ask: asks } = world(LIVE)
    await asks()
    met.row = null
    met.nowMs++
    expect([await asks(), met.wrong]).toEqual(['pass_unknown', 1])
  })

  test('decision 008: nobody is told to buy another pass because the payment of this one has left its chain', async () => {
    const { state, ask } = world(LIVE)
    expect(await ask()).toContain('callsRemaining')
    state.row = { calls: '4', expiresMs: state.nowMs, heldExpires: LIVE.expiresMs }
    expect(await ask()).toBe('pass_revoked')
    state.row = { ...LIVE, calls: '4' }
    state.nowMs += 2_000
    expect(await ask()).toContain('"callsRemaining":3')
  })

  test('decision 008: given back after a reorganisation it answers again two seconds later', async () => {
    const { state, ask } = world({ ...LIVE, expiresMs: 0 })
    expect(await ask()).toBe('pass_expired')
    state.row = LIVE
    expect(await ask()).toBe('pass_expired')
    state.nowMs += 2_000
    expect(await ask()).toContain('"callsRemaining":5')
  })
})

describe('DNS-11, INP-16: an answer that fails costs nothing, so nobody has more of them under way than his share', () => {
  test('sixteen of a pass: beyond it is told to wait, another pass is not; when one is over there is room', async () => {
    const { state, ask } = world({ ...LIVE, calls: '600' })
    const refused = Promise.withResolvers<Problem>()
    state.answer = refused.promise
    const all = Array.from({ length: 20 }, (_, nth) => ask(PASS, `q=${nth}`))
    for (const said of await Promise.all(all.slice(16))) expect(JSON.parse(String(said)).code).toBe('busy')
    expect(state.answers).toBe(16)
    state.answer = { problem: 'resolver_unavailable' }
    expect(JSON.parse(String(await ask(OTHER, 'q=other'))).code).toBe('resolver_unavailable')
    refused.resolve({ problem: 'resolver_unavailable' })
    for (const said of await Promise.all(all.slice(0, 16)))
      expect(JSON.parse(String(said)).code).toBe('resolver_unavailable')
    state.answer = { result: {}, snapshotVersion: null }
    expect(await ask(PASS, 'q=20')).toContain('"callsRemaining":599')
  })
})

describe('I17 the ledger answers late, or the process stands still, between an answer and its call', () => {
  const LIMIT_MS = 90_000
  const aged = (ageMs: number): Draft => ({
    result: { ageMs: { a: ageMs, b: 0 }, maxAgeMs: LIMIT_MS, recorded: false },
    snapshotVersion: 1,
  })
  /** A draft of that age, and `lateMs` until the ledger acts; then the boards hold `next`. */
  function late(ageMs: number, lateMs: number, next: Draft | Problem, row: Row = LIVE) {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { state, ask } = world(row)
    state.answer = aged(ageMs)
    state.beforeTaking = () => {
      state.nowMs += lateMs
      vi.setSystemTime(Date.now() + lateMs)
      state.answer = next
      state.beforeTaking = () => {}
    }
    return { state, told: async (key = '') => JSON.parse(String(await ask(PASS, '', key))) }
  }

  test.each([
    ['too old by then: it is made again', LIMIT_MS - 59_999, 60_000, 5],
    ['just within its limit by then: it goes out', LIMIT_MS - 60_000, 60_000, LIMIT_MS - 60_000],
    ['of less than a second ago: it goes out', LIMIT_MS, 999, LIMIT_MS],
  ])('its data is %s, for one call', async (_, ageMs, lateMs, sold) => {
    const { told } = late(ageMs, lateMs, aged(5))
    expect(await told()).toMatchObject({ pass: { callsRemaining: 5 }, result: { ageMs: { a: sold } } })
  })

  test.each([
    ['', 0],
    [', also if the reply to that is lost', 1],
  ])('there is nothing to sell any more: refused, and the call is given back%s', async (_, lost) => {
    const { state, told } = late(LIMIT_MS, 10_000, { problem: 'no_data' })
    state.lost = lost
    expect((await told()).code).toBe('no_data')
    expect([state.row!.calls, state.givenBack.size]).toEqual(['6', 1])
  })

  test('the last call of a pass, given back, pays for the next answer', async () => {
    const { state, told } = late(LIMIT_MS, 10_000, { problem: 'no_data' }, { ...LIVE, calls: '1' })
    expect((await told()).code).toBe('no_data')
    state.answer = aged(5)
    expect((await told()).pass.callsRemaining).toBe(0)
  })

  test('it is not known whether the call is back: no word about what was charged', async () => {
    const { state, told } = late(LIMIT_MS, 10_000, { problem: 'no_data' })
    state.lost = Number.POSITIVE_INFINITY
    expect((await told()).code).toBe('ledger_unavailable')
  })

  test.each([
    ['too old by then: refused, no call is taken', LIMIT_MS - 59_999, 60_000, 'stale_data', '6'],
    ['just within its limit by then: it goes out', LIMIT_MS - 60_000, 60_000, undefined, '5'],
    ['of less than a second ago: it goes out', LIMIT_MS, 999, undefined, '5'],
    ['of a second ago, and was at its limit: refused', LIMIT_MS, 1_000, 'stale_data', '6'],
  ])('CRA-13 with a key, its data is %s', async (_, ageMs, lateMs, code, left) => {
    const { state, told } = late(ageMs, lateMs, aged(5))
    expect([(await told('k')).code, state.row!.calls]).toEqual([code, left])
    expect((await told('k')).result.ageMs.a).toBe(5)
  })

  test('what does not age is sold whenever the ledger answers', async () => {
    for (const key of ['', 'k']) {
      const { state, told } = late(0, 3_600_000, { problem: 'no_data' })
      state.answer = { result: { clean: true }, snapshotVersion: null }
      expect((await told(key)).result).toEqual({ clean: true })
    }
  })
})

test('two calls of one instant share an answer only where they ask the same, in the query and in the payload header', async () => {
  const { state, ask } = world(LIVE)
  const answers: unknown[] = []
  for (const [nth, [query, payload]] of [
    ['', 'a'],
    ['', 'a'],
    ['', 'b'],
    ['q=b', 'b'],
  ].entries()) {
    state.answer = { result: { nth }, snapshotVersion: null }
    answers.push(JSON.parse(String(await ask(PASS, query, '', payload))).result.nth)
  }
  expect(answers).toEqual([0, 0, 2, 3])
})
