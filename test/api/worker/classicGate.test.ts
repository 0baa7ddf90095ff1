import { beforeEach, describe, expect, test } from 'vitest'
import { answerClaims } from '../../../api/worker/answerClaims.ts'
import { gateWithClassic } from '../../../api/worker/classicGate.ts'
import { MINUTE } from '../../../ops/units.ts'
import { quietLog } from '../../support/ledger.ts'
import { allBoards, BUYER, classicWorld } from '../classic/world.ts'

/** I3, CHN-03: the worker answers what requests left unanswered, and looks first whether the money is still there. */
const world = classicWorld()
beforeEach(() => {
  world.cash.whole(true)
  world.cash.down(false)
  world.goods = allBoards()
})

/** A purchase whose process died after its claim. */
async function claimed(sku = 'SKU_AG_HOUR_PASS_01') {
  const { intentId, amountAtomic } = await world.open({ sku, payload: {} })
  const txHash = world.cash.send('usdc_base', { atomic: amountAtomic })
  await world.watch()
  world.atFaultPoint = (point) => {
    if (point === 'CP8') throw new Error('the process dies')
  }
  expect((await world.post('/fulfill', { buyerId: BUYER, intentId })).status).toBe(500)
  world.atFaultPoint = () => {}
  return { intentId, txHash, key: `intent:${world.nameOf(intentId)}` }
}
/** One pass of the worker, after a request would have been done, or after a paid claim is given up. */
async function pass(afterMs = 10_000) {
  const { ports } = world
  const finality = gateWithClassic({ reached: async () => true }, ports)
  return await answerClaims({ ...ports, finality, log: quietLog }, Date.now() + afterMs)
}
const isAnswered = async (key: string) => (await world.ports.ledger.find(key))?.answer != null

describe('a claimed purchase without an answer', () => {
  test.each(['SKU_AG_HOUR_PASS_01', 'SKU_AG_PING_01'])('%s: answered if its money is there', async (sku) => {
    const { key, intentId } = await claimed(sku)
    expect(await pass()).toEqual({ delivered: 1, refunded: 0 })
    expect(await isAnswered(key)).toBe(true)
    expect((await world.post('/fulfill', { buyerId: BUYER, intentId })).status).toBe(200)
  })

  const LEAVES: [string, (tx: string) => () => void][] = [
    ['gone', (tx) => world.cash.forget(tx)],
    [
      'back in a younger block than its sum requires',
      (tx) => {
        world.cash.amend(tx, { confirmations: 1 })
        return () => world.cash.amend(tx, { confirmations: 2 })
      },
    ],
    [
      'on a chain that does not answer',
      () => {
        world.cash.down(true)
        return () => world.cash.down(false)
      },
    ],
    [
      'unknown to a server that could not know it',
      (tx) => {
        world.cash.whole(false)
        return world.cash.forget(tx)
      },
    ],
  ]
  test.each(LEAVES)('neither answered nor refunded while its money is %s', async (_, leave) => {
    const { key, txHash } = await claimed()
    const bringBack = leave(txHash)
    expect(await pass(10 * MINUTE)).toEqual({ delivered: 0, refunded: 0 })
    expect(await isAnswered(key)).toBe(false)
    bringBack()
    expect((await pass(20 * MINUTE)).delivered).toBe(1)
  })

  test('a rail that does not answer is asked once in a pass, and holds up no other sale', async () => {
    const [first, second] = [await claimed(), await claimed()]
    let asked = 0
    const rails = world.ports.rails.map((rail) => ({
      ...rail,
      byHash: async (...args: Parameters<typeof rail.byHash>) => {
        asked++
        return await rail.byHash(...args)
      },
    }))
    world.cash.down(true)
    const gate = gateWithClassic({ reached: async () => true }, { ...world.ports, rails })
    for (const { key } of [first, second]) {
      const claim = (await world.ports.ledger.find(key))!
      await expect(gate.reached(claim)).rejects.toThrow()
    }
    const other = { ...(await world.ports.ledger.find(first.key))!, key: 'authorization:other' }
    expect([await gate.reached(other), asked]).toEqual([true, 1])
    world.cash.down(false)
    expect((await pass(30 * MINUTE)).delivered).toBe(2)
  })
})
