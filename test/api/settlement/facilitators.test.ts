import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Facilitator } from '../../../api/settlement/facilitator.ts'
import type { SettleOutcome } from '../../../api/settlement/facilitatorAnswers.ts'
import { readFacilitators } from '../../../api/settlement/facilitatorList.ts'
import { type FacilitatorMetrics, facilitatorMetrics } from '../../../api/settlement/facilitatorMetrics.ts'
import { createFacilitators, type Member } from '../../../api/settlement/facilitators.ts'
import type { FacilitatorAsk } from '../../../api/settlement/facilitatorWire.ts'
import { watchSupported } from '../../../api/settlement/watchSupported.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { quietLog } from '../../support/ledger.ts'

type Word = 'valid' | 'bad_signature' | 'down'
type End = SettleOutcome['kind'] | 'down'
const TX = `0x${'ab'.repeat(32)}` as const
const ASK = {} as FacilitatorAsk

/** A facilitator that says what it is told to say and remembers what it was asked. */
type Scripted = Member & {
  verify: Word
  settle: End
  isUsable: boolean
  asked: FacilitatorAsk[]
  answered: number
}
function scripted(name: string): Scripted {
  const script: Scripted = {
    name,
    verify: 'valid' as Word,
    settle: 'settled' as End,
    isUsable: true,
    asked: [] as FacilitatorAsk[],
    answered: 0,
    heard: () => script.answered++,
    usable: () => script.isUsable,
    facilitator: {
      async verify(ask) {
        script.asked.push(ask)
        if (script.verify === 'down') throw new UnavailableError('facilitator_unavailable', 'down')
        return script.verify === 'valid' ? null : script.verify
      },
      async settle(ask) {
        script.asked.push(ask)
        if (script.settle === 'down') throw new UnavailableError('facilitator_unavailable', 'down')
        if (script.settle === 'refused') return { kind: 'refused', reason: 'expired' }
        return { kind: script.settle, tx: TX }
      },
      supported: async () => ({ kinds: [], signers: [] }),
      close: async () => {},
    } as Facilitator,
  }
  return script
}

function pair(metrics?: FacilitatorMetrics) {
  const [first, second] = [scripted('first'), scripted('second')]
  let nowMs = 0
  const both = createFacilitators([first, second], { metrics, nowMs: () => nowMs })
  const later = (ms: number) => {
    nowMs += ms
  }
  return { first, second, both, later }
}

describe('verify fails over: nothing moves by it', () => {
  test('the first is preferred; without a usable answer of it the second is asked', async () => {
    const { first, second, both } = pair()
    expect(await both.verify(ASK)).toBeNull()
    expect(second.asked).toHaveLength(0)
    first.verify = 'down'
    expect(await both.verify(ASK)).toBeNull()
    expect(second.asked).toHaveLength(1)
  })

  test('a refusal is an answer and is not taken elsewhere', async () => {
    const { first, second, both } = pair()
    first.verify = 'bad_signature'
    expect(await both.verify(ASK)).toBe('bad_signature')
    expect(second.asked).toHaveLength(0)
  })

  test('both down: unavailable', async () => {
    const { first, second, both } = pair()
    first.verify = 'down'
    second.verify = 'down'
    await expect(both.verify(ASK)).rejects.toMatchObject({ code: 'facilitator_unavailable' })
  })
})

describe('settle fails over only when the first never heard of it', () => {
  test('never heard: the second gets the identical payment', async () => {
    const { first, second, both } = pair()
    first.settle = 'down'
    expect(await both.settle(ASK)).toMatchObject({ kind: 'settled', tx: TX })
    expect(second.asked).toEqual([ASK])
  })

  test.each<End>(['unknown', 'pending', 'refused'])(
    'FAC-16 %s stays with the one that said so',
    async (end) => {
      const { first, second, both } = pair()
      first.settle = end
      expect((await both.settle(ASK)).kind).toBe(end)
      expect(second.asked).toHaveLength(0)
    },
  )
})

describe('a settlement is no probe', () => {
  test('it goes to the one that verified, and back to the first once that verifies again', async () => {
    const { first, second, both } = pair()
    first.verify = 'down'
    await both.verify(ASK)
    await both.settle(ASK)
    expect([first.asked.length, second.asked.length]).toEqual([1, 2])
    first.verify = 'valid'
    await both.verify(ASK)
    await both.settle(ASK)
    expect([first.asked.length, second.asked.length]).toEqual([3, 2])
  })
})

describe('circuit', () => {
  test('after three failures the first is passed over, then probed, then preferred again; the metrics say so', async () => {
    const metrics = createMetrics('test')
    const { first, both, later } = pair(facilitatorMetrics(metrics, ['first', 'second']))
    const said = async (name: string) => {
      const { values } = await metrics.registry.getSingleMetric(name)!.get()
      return values.flatMap(({ labels: { facilitator, call }, value }) =>
        value === 0 ? [] : [`${facilitator} ${call} ${value}`],
      )
    }
    first.verify = 'down'
    for (let call = 0; call < 2; call++) await both.verify(ASK)
    expect(await said('facilitator_circuit_open')).toEqual([])
    for (let call = 0; call < 3; call++) await both.verify(ASK)
    expect(first.asked).toHaveLength(3)
    expect(await said('facilitator_circuit_open')).toEqual(['first verify 1'])
    expect(await said('facilitator_failovers_total')).toEqual(['second verify 3'])
    later(5_000)
    await both.verify(ASK)
    expect(first.asked).toHaveLength(4)
    first.verify = 'valid'
    later(9_999)
    await both.verify(ASK)
    expect(first.asked).toHaveLength(4)
    later(1)
    await both.verify(ASK)
    expect(await said('facilitator_circuit_open')).toEqual([])
    await both.verify(ASK)
    expect(first.asked).toHaveLength(6)
  })

  test('unknown settlements open it for settlements, however well it verifies', async () => {
    const { first, second, both } = pair()
    first.settle = 'unknown'
    for (let sale = 0; sale < 4; sale++) {
      await both.verify(ASK)
      await both.settle(ASK)
    }
    expect([first.asked.length, second.asked.length]).toEqual([7, 1])
  })

  const settled = async ({ both }: ReturnType<typeof pair>) => {
    const outcome = await both.settle(ASK)
    return outcome.kind === 'settled' ? outcome.shown! : null
  }

  test('FAC-07 three times the chain has nothing of what is settled, it says: passed over, with an alarm each', async () => {
    const metrics = createMetrics('test')
    const world = pair(facilitatorMetrics(metrics, ['first', 'second']))
    const { first, second } = world
    for (let sale = 0; sale < 3; sale++) (await settled(world))!(false)
    await settled(world)
    expect([first.asked.length, second.asked.length]).toEqual([3, 1])
    expect(await metrics.registry.metrics()).toMatch(/facilitator_alarms_total\{.*first.*settle.*\} 3\n/)
    world.later(5_000)
    ;(await settled(world))!(true)
    await settled(world)
    expect([first.asked.length, second.asked.length], 'what is shown is good news').toEqual([5, 1])
  })

  test('FAC-07 its own word that it is settled is no good news: those between do not hide the lies', async () => {
    const world = pair()
    const { first, second } = world
    const told = []
    for (let sale = 0; sale < 3; sale++) told.push(await settled(world))
    for (const shown of told) {
      shown!(false)
      await settled(world)
    }
    expect([first.asked.length, second.asked.length]).toEqual([5, 1])
  })

  test('with every circuit open one is still asked: nobody is turned away for ever', async () => {
    const { first, second, both } = pair()
    first.verify = 'down'
    second.verify = 'down'
    for (let call = 0; call < 3; call++) await both.verify(ASK).catch(() => {})
    first.verify = 'valid'
    expect(await both.verify(ASK)).toBeNull()
  })
})

describe('FAC-15 /supported is watched', () => {
  afterEach(() => vi.useRealTimers())
  const KIND = { x402Version: 2, scheme: 'exact', network: 'eip155:8453' }
  const watched = () => {
    const support = { kinds: [KIND], signers: ['0x01'], down: false }
    const metrics = createMetrics('test')
    let looks = 0
    const watch = watchSupported(
      {
        name: 'first',
        facilitator: {
          supported: async () => {
            looks++
            if (support.down) throw new UnavailableError('facilitator_unavailable', 'down')
            return support as never
          },
        },
      },
      { network: 'eip155:8453', log: quietLog, metrics: facilitatorMetrics(metrics, ['first']) },
    )
    return { support, watch, looks: () => looks, text: () => metrics.registry.metrics() }
  }

  test('without our network it is not used; with it again it is; silence does not change that', async () => {
    const { support, watch, text } = watched()
    await watch.look()
    expect(watch.usable()).toBe(true)
    support.kinds = [
      { ...KIND, x402Version: 1 },
      { ...KIND, network: 'eip155:84532' },
      { ...KIND, scheme: 'upto' },
    ]
    await watch.look()
    expect(watch.usable()).toBe(false)
    expect(await text()).toMatch(/facilitator_usable\{facilitator="first"[^}]*\} 0/)
    support.down = true
    await watch.look()
    expect(watch.usable()).toBe(false)
    support.down = false
    support.kinds = [KIND]
    await watch.look()
    expect(watch.usable()).toBe(true)
    watch.stop()
  })

  test('two looks in vain: it does not answer, until it answers a look or a paid call', async () => {
    const { support, watch } = watched()
    await watch.look()
    support.down = true
    await watch.look()
    expect(watch.answers()).toBe(true)
    await watch.look()
    expect(watch.answers()).toBe(false)
    watch.heard()
    expect(watch.answers()).toBe(true)
    await watch.look()
    await watch.look()
    expect([watch.answers(), watch.usable()]).toEqual([false, true])
    support.down = false
    await watch.look()
    expect(watch.answers()).toBe(true)
    watch.stop()
  })

  test('a member hears of its answers: refusals too, outages and unknown outcomes not', async () => {
    const { first, both } = pair()
    const answered = async (call: 'verify' | 'settle') => {
      const before = first.answered
      await both[call](ASK)
      return first.answered - before
    }
    expect([await answered('verify'), await answered('settle')]).toEqual([1, 1])
    Object.assign(first, { verify: 'bad_signature', settle: 'refused' })
    expect([await answered('verify'), await answered('settle')]).toEqual([1, 1])
    first.settle = 'unknown'
    expect(await answered('settle')).toBe(0)
    first.verify = 'down'
    expect(await answered('verify')).toBe(0)
  })

  test('it is looked at every minute, and every five seconds while it is silent', async () => {
    vi.useFakeTimers()
    const { support, watch, looks } = watched()
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(looks()).toBe(3)
    support.down = true
    await vi.advanceTimersByTimeAsync(MINUTE + 10 * SECOND)
    expect(looks()).toBe(6)
    support.down = false
    await vi.advanceTimersByTimeAsync(5 * SECOND + MINUTE)
    expect(looks()).toBe(8)
    watch.stop()
    await vi.advanceTimersByTimeAsync(HOUR)
    expect(looks()).toBe(8)
  })

  test('other signers are counted', async () => {
    const { support, watch, text } = watched()
    await watch.look()
    support.signers = ['0x02']
    await watch.look()
    await watch.look()
    expect(await text()).toMatch(/facilitator_signer_changes_total\{facilitator="first"[^}]*\} 1/)
    watch.stop()
  })

  test('one that is not usable is never asked; none usable: unavailable, nothing is claimed', async () => {
    const { first, second, both } = pair()
    first.isUsable = false
    await both.verify(ASK)
    expect(first.asked).toHaveLength(0)
    second.isUsable = false
    await expect(both.verify(ASK)).rejects.toMatchObject({ code: 'facilitator_unavailable' })
  })
})

describe('FACILITATORS_FILE', () => {
  const A = { name: 'a', url: 'https://a.example/x402' }
  const read = (list: unknown, mode: 'live' | 'sandbox' = 'live') =>
    readFacilitators(JSON.stringify(list), mode)

  test('a list in order of preference; headers are optional', () => {
    const auth = { verify: { authorization: 'k' }, settle: {}, supported: {} }
    const none = { verify: {}, settle: {}, supported: {} }
    expect(
      read([
        { ...A, auth },
        { name: 'b', url: 'https://b.example' },
      ]),
    ).toEqual([
      { ...A, auth },
      { name: 'b', url: 'https://b.example', auth: none },
    ])
  })

  test.each([
    ['empty', []],
    ['not a list', A],
    ['one name twice', [A, A]],
    ['no url', [{ name: 'a' }]],
    ['unknown key', [{ ...A, weight: 3 }]],
    ['a header with a line break', [{ ...A, auth: { verify: { x: 'planted\r\ny: z' } } }]],
    ['nine of them', Array.from({ length: 9 }, (_, n) => ({ ...A, name: `n${n}` }))],
    ['http in live mode', [{ ...A, url: 'http://a.example/planted' }]],
  ])('%s: refused by key, without a word of its content', (_, list) => {
    expect(() => read(list)).toThrow(/FACILITATORS_FILE: /)
    expect(() => read(list)).not.toThrow(/planted/)
  })

  test('http is fine in the sandbox', () => {
    expect(read([{ ...A, url: 'http://127.0.0.1:1' }], 'sandbox')).toHaveLength(1)
  })
})
