import type { Hex } from 'viem'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isCrowdedStill, noteCrowded } from '../../../api/payment/crowded.ts'
import { somePayment } from '../../support/ledger.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const of = (wallet: number) => {
  const from: Hex = `0x${wallet.toString(16).padStart(40, '0')}`
  const payment = somePayment(wallet)
  return { ...payment, authorization: { ...payment.authorization, from } }
}
const isStill = (wallet: number, isUsed = false) =>
  isCrowdedStill(of(wallet), { settlement: { via: 'facilitator' }, chain: { isUsed: async () => isUsed } })

describe('RPL-18 whose claims were too many a moment ago, of him no facilitator is asked', () => {
  test('for two seconds, of him alone; RPL-13 nor where his payment has moved', async () => {
    noteCrowded(of(1))
    expect([await isStill(1), await isStill(2), await isStill(1, true)]).toEqual([true, false, false])
    vi.advanceTimersByTime(1_999)
    expect(await isStill(1)).toBe(true)
    vi.advanceTimersByTime(1)
    expect(await isStill(1)).toBe(false)
  })

  test('a thousand are remembered, and who was told so longest ago is forgotten first', async () => {
    for (let wallet = 1; wallet <= 1_000; wallet++) noteCrowded(of(wallet))
    noteCrowded(of(1)) //  again
    noteCrowded(of(1_001))
    expect([await isStill(1), await isStill(2), await isStill(3)]).toEqual([true, false, true])
  })
})
