import { encodeFunctionData, type Hex } from 'viem'
import { expect, test } from 'vitest'
import { AT_FIRST } from '../../../api/settlement/payersInAir.ts'
import { TOKEN_ABI } from '../../../ops/sandbox/chain/tokenAbi.ts'
import { until } from '../../support/process.ts'
import { pay } from './payer.ts'
import { settlerWorld } from './settlerWorld.ts'

const world = settlerWorld({ buyers: 3 })
const CLAIMED = 2 * AT_FIRST

/**
 * Claims many payments of one wallet, emptied before they are mined and refilled afterwards.
 * @returns the gas it cost.
 */
async function emptied(round: string, wake: () => void): Promise<bigint> {
  const [payer, friend] = [world.buyer(0), world.buyer(1)]
  await world.automine(false)
  const payments = await Promise.all(Array.from({ length: CLAIMED }, () => pay(payer, world.anvil.receiver)))
  for (const [at, payment] of payments.entries()) world.ledger.add(`${round}${at}`, payment)
  const before = world.broadcasts().length
  wake()
  await until('some left', () => world.broadcasts().length > before)
  await world.waitingAtNode(1)
  const held = await world.anvil.balance(payer.address)
  const args = [friend.address, held] as const
  const empty = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args })
  await world.overtake(payer, world.anvil.usdc, empty)
  await world.waitingAtNode(2)
  await world.mine()
  await world.automine(true)
  await world.ledger.quiet()
  await world.anvil.mint(payer.address, held)
  let gas = 0n
  for (const { tx } of world.broadcasts().slice(before) as { tx: Hex }[])
    gas += (await world.anvil.clients.reads.getTransactionReceipt({ hash: tx })).gasUsed
  for (const at of payments.keys()) expect(world.ledger.row(`${round}${at}`).refused).not.toBeNull()
  return gas
}

test('RPL-14 a payer who empties his wallet under his payments costs the gas of one at most the next time', async () => {
  const settler = world.start()
  const first = await emptied('first', settler.wake)
  expect(first).toBeLessThan(60_000n * BigInt(AT_FIRST))
  const second = await emptied('second', settler.wake)
  expect(second).toBeLessThan(100_000n)

  //  the wallet's later payments are still taken, one at a time, and do not slow down others
  const names = ['his', 'theirs', 'theirs too']
  for (const [at, name] of names.entries())
    world.ledger.add(name, await pay(world.buyer(at === 0 ? 0 : 2), world.anvil.receiver))
  settler.wake()
  await world.ledger.quiet()
  expect(names.map((name) => world.ledger.row(name).refused)).toEqual([null, null, null])
})

test('an agent that pays more than that at once is served over two blocks', async () => {
  const settler = world.start()
  await world.automine(false)
  const payments = await Promise.all(
    Array.from({ length: CLAIMED }, () => pay(world.buyer(2), world.anvil.receiver)),
  )
  for (const [at, payment] of payments.entries()) world.ledger.add(`k${at}`, payment)
  settler.wake()
  for (const block of [1, 2]) {
    await until('a part left', () => world.broadcasts().length === block)
    await world.waitingAtNode(1)
    await world.mine()
  }
  await world.ledger.quiet()
  expect(payments.map((_, at) => world.ledger.row(`k${at}`).refused)).toEqual(payments.map(() => null))
})
