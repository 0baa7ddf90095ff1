import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Good } from '../../../api/goods/good.ts'
import { answerByPass, type PassPorts, type SoldByPass } from '../../../api/payment/pass.ts'
import { createSameInstant } from '../../../api/payment/sameInstant.ts'
import { spentPassesOf } from '../../../api/payment/spentPasses.ts'

const PASS = `pass_${'a'.repeat(43)}`
const OTHER = `pass_${'b'.repeat(43)}`

function world(taken: 'unknown' | 'expired' | 'used_up' | { left: number; expiresMs: number }) {
  const state = { nowMs: 1_000_000, answers: 0, wrong: 0, taken }
  const good = {
    ...{ sku: 'S', path: '/x402/v1/s', parameters: [], input: z.object({}) },
    answer: () => {
      state.answers++
      return { result: {}, snapshotVersion: null }
    },
  } as unknown as Good<unknown>
  const sold = {
    ...{ good, sameInstant: createSameInstant() },
    challenge: (code: string) => ({ status: 402, headers: [], body: code }),
  } as unknown as SoldByPass
  const clock = { nowMs: () => state.nowMs }
  const ports = {
    passes: { isKnown: () => true, take: async () => state.taken },
    goods: { marketClock: { nowMs: () => state.nowMs } },
    ...{ clock, answers: { mode: 'live' } },
  } as unknown as PassPorts
  spentPassesOf(ports.passes, clock)
  const wrongSecret = () => {
    state.wrong++
  }
  const call = { rawQuery: '', payload: '', wrongSecret } as Parameters<typeof answerByPass>[1]
  const ask = async (pass = PASS) => (await answerByPass(pass, call, sold, ports)).body
  return { state, ask }
}

describe('8, INP-16: a pass that is over has nobody work for it', () => {
  test.each(['expired', 'used_up'] as const)('%s: one answer in two seconds is worked out', async (over) => {
    const { state, ask } = world(over)
    const answers: number[] = []
    for (const laterMs of [0, 1, 1_998, 1]) {
      state.nowMs += laterMs
      expect(await ask()).toBe(`pass_${over}`)
      answers.push(state.answers)
    }
    expect(answers).toEqual([1, 1, 1, 2])
    expect(await ask(OTHER)).toBe(`pass_${over}`) // in the same millisecond: the answer that is there
    state.nowMs++
    expect([await ask(OTHER), state.answers]).toEqual([`pass_${over}`, 2])
  })

  test('ENT-09 one that the ledger has forgotten since it was met is a wrong secret, as one that was never met', async () => {
    const { state, ask } = world('unknown')
    expect([await ask(), state.wrong]).toEqual(['pass_unknown', 1])
    const { state: over, ask: asked } = world('expired')
    expect([await asked(), over.wrong]).toEqual(['pass_expired', 0])
  })

  test('decision 008: given back after a reorganisation it answers again two seconds later', async () => {
    const { state, ask } = world('expired')
    await ask()
    state.taken = { left: 5, expiresMs: 2_000_000 }
    expect(await ask()).toBe('pass_expired')
    state.nowMs += 2_000
    expect(await ask()).toContain('"callsRemaining":5')
  })
})
