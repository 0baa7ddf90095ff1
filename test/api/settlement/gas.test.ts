import { describe, expect, test } from 'vitest'
import { MAX_FEE } from '../../../api/settlement/fees.ts'
import { createGas } from '../../../api/settlement/gas.ts'
import { type Rpc, RpcError } from '../../../api/settlement/rpc.ts'
import { lower } from './vectors.ts'

const ADDRESS = lower(`0x${'5e'.repeat(20)}`)
const MWEI = 1_000_000n

/** A node that advises a tip, and an account with this many wei. */
function world({ baseFee = 10n * MWEI, tip = 2n * MWEI, wei = 10n ** 18n }) {
  const node = { baseFee, tip: tip as bigint | Error, wei, asked: 0, nowMs: 0 }
  const rpc = {
    call: async () => {
      node.asked++
      if (node.tip instanceof Error) throw node.tip
      return `0x${node.tip.toString(16)}`
    },
  } as unknown as Rpc
  const gas = createGas({
    rpc,
    wallet: { address: ADDRESS, balance: async () => node.wei },
    baseFee: () => node.baseFee,
    nowMs: () => node.nowMs,
  })
  return { node, gas }
}

describe('an offer', () => {
  test('follows the newest block at once, and asks for the tip every ten seconds', async () => {
    const { node, gas } = world({})
    expect(await gas.offer()).toEqual({ maxFee: 22n * MWEI, tip: 2n * MWEI })
    Object.assign(node, { baseFee: 20n * MWEI, tip: 3n * MWEI, nowMs: 10_000 })
    expect(await gas.offer()).toEqual({ maxFee: 42n * MWEI, tip: 2n * MWEI })
    node.nowMs++
    expect(await gas.offer()).toEqual({ maxFee: 43n * MWEI, tip: 3n * MWEI })
    expect(node.asked).toBe(2)
  })

  test('of a node that gives no advice has the tip of Base’s own wallets', async () => {
    const { node, gas } = world({})
    node.tip = new RpcError('eth_maxPriorityFeePerGas', -32_601, null, 'the method does not exist')
    expect(await gas.offer()).toEqual({ maxFee: 21n * MWEI, tip: 1n * MWEI })
  })

  test('is not made of an advice that did not come', async () => {
    const { node, gas } = world({})
    node.tip = new Error('cut off')
    await expect(gas.offer()).rejects.toThrow('cut off')
    node.tip = 2n * MWEI
    expect((await gas.offer()).tip).toBe(2n * MWEI)
  })

  test('that is raised never passes our limit', async () => {
    const { gas } = world({})
    await gas.offer()
    expect(gas.raised({ maxFee: 8n * MWEI, tip: 1n })).toEqual({ maxFee: 22n * MWEI, tip: 2n * MWEI })
    expect(gas.raised({ maxFee: MAX_FEE, tip: 1n })).toBeNull()
  })
})

describe('refused', () => {
  const FEES = { maxFee: 10n, tip: 1n }

  test.each([
    [210_000n, null],
    [209_999n, 'no_gas'], //  one wei less than 21,000 gas at 10 wei
  ])('an account with %d wei: %s', async (wei, code) => {
    const { gas } = world({ wei })
    expect((await gas.refuse(21_000n, FEES))?.code ?? null).toBe(code)
  })

  test('a price above our limit, whatever the account holds', async () => {
    const { gas } = world({ wei: 0n })
    expect(await gas.refuse(21_000n, { maxFee: MAX_FEE + 1n, tip: 1n })).toMatchObject({
      code: 'gas_too_dear',
    })
  })

  test.each([
    [200_000n * 22n * MWEI, null],
    [200_000n * 22n * MWEI - 1n, 'no_gas'],
  ])('any departure of an account with %d wei: %s', async (wei, code) => {
    const { gas } = world({ wei })
    expect((await gas.refuseAny())?.code ?? null).toBe(code)
  })
})
