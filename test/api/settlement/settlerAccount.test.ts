import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { sleep, until } from '../../support/process.ts'
import { pay } from './payer.ts'
import { settlerWorld } from './settlerWorld.ts'

const world = settlerWorld({ buyers: 70 })

describe('gas and nonces', () => {
  test('without gas nothing is signed, readiness says so, and everything goes on once there is some', async () => {
    await world.fund(0n)
    const settler = world.start()
    world.ledger.add('a', await pay(world.buyer(0), world.anvil.receiver))
    settler.wake()
    await until('it says so', () => settler.problem()?.includes('send it gas'))
    await until('the metric says so', async () =>
      /settler_problem\{problem="no_gas",role="test"\} 1/.test(await settler.metrics.registry.metrics()),
    )
    expect(world.broadcasts()).toEqual([])
    expect(world.ledger.row('a').refused).toBeNull()
    await world.fund(10n ** 18n)
    await world.ledger.quiet()
    expect(world.ledger.row('a').settled).not.toBeNull()
    expect(settler.problem()).toBeNull()
  })

  test('the metric says within about a minute what the account holds, also while nothing is sold', async () => {
    const real = performance.now.bind(performance)
    let aheadMs = 0
    onTestFinished(() => void vi.restoreAllMocks())
    vi.spyOn(performance, 'now').mockImplementation(() => real() + aheadMs)
    const { metrics } = world.start()
    const told = async () =>
      /^settler_gas_wei\S* (\S+)$/m.exec(await metrics.registry.metrics())?.[1] ?? 'nothing'
    await until('it is told', async () => (await told()) === '1000000000000000000')
    for (const [wei, text] of [
      [2n * 10n ** 18n, '2000000000000000000'],
      [7n, '7'],
    ] as const) {
      await world.fund(wei)
      aheadMs += 61_000
      await until('it is told anew', async () => (await told()) === text, 10_000)
    }
  })

  test('a transaction that is not mined for three blocks is offered dearer with the same nonce', async () => {
    const settler = world.start()
    await world.automine(false)
    world.ledger.add('a', await pay(world.buyer(0), world.anvil.receiver))
    settler.wake()
    await world.broadcast()
    await world.waitingAtNode(1)
    for (let block = 0; block < 4; block++) {
      await world.anvil.clients.node.setNextBlockBaseFeePerGas({ baseFeePerGas: 5n * 10n ** 9n })
      await world.mine()
      await sleep(150)
    }
    await until('it is replaced', () => world.ledger.row('a').txs.length >= 2)
    await world.anvil.clients.node.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 9n })
    await world.mine()
    await until('mined', async () => (await world.settlerTxs()) === 1)
    await world.ledger.quiet()
    expect(world.ledger.row('a').txs).toContain(world.ledger.row('a').settled!.tx)
  })

  test('one that the node keeps and no block takes is offered dearer too', async () => {
    const settler = world.start()
    await world.automine(false)
    const { gasLimit } = await world.anvil.clients.reads.getBlock()
    world.ledger.add('a', await pay(world.buyer(0), world.anvil.receiver))
    settler.wake()
    await world.broadcast()
    await world.waitingAtNode(1)
    await world.anvil.clients.node.setBlockGasLimit({ gasLimit: 60_000n })
    for (let block = 0; block < 4; block++) {
      await world.mine()
      await sleep(150)
    }
    await until('it is replaced', () => world.ledger.row('a').txs.length >= 2)
    await world.anvil.clients.node.setBlockGasLimit({ gasLimit })
    await world.mine()
    await world.ledger.quiet()
    expect(world.ledger.row('a').txs).toContain(world.ledger.row('a').settled!.tx)
  })

  test('a transaction that the node lost is offered again', async () => {
    const settler = world.start()
    await world.automine(false)
    world.ledger.add('a', await pay(world.buyer(0), world.anvil.receiver))
    settler.wake()
    await world.broadcast()
    await world.waitingAtNode(1)
    const [tx] = world.ledger.row('a').txs
    await world.anvil.clients.node.dropTransaction({ hash: tx! })
    await until('mined', async () => {
      await world.mine()
      await sleep(150)
      return world.ledger.row('a').settled !== null
    })
    expect([world.ledger.row('a').txs.length, await world.settlerTxs()]).toEqual([1, 1])
  })

  test('what an earlier life left under way is waited for, not sent a second time', async () => {
    const first = world.start()
    await world.automine(false)
    world.ledger.add('a', await pay(world.buyer(0), world.anvil.receiver))
    first.wake()
    await world.broadcast()
    await world.waitingAtNode(1)
    await world.stop()
    world.start().wake()
    await sleep(500)
    await world.mine()
    await world.ledger.quiet()
    expect([world.broadcasts().length, await world.settlerTxs()]).toEqual([1, 1])
  })

  test('what an earlier life left stuck at the node is replaced with the same nonce', async () => {
    await world.automine(false)
    const account = privateKeyToAccount(world.key)
    const { baseFeePerGas } = await world.anvil.clients.reads.getBlock()
    await world.anvil.clients.wallet.sendTransaction({
      account,
      to: account.address,
      gas: 21_000n,
      nonce: 0,
      maxFeePerGas: baseFeePerGas! + 1n,
      maxPriorityFeePerGas: 1n,
    })
    world.ledger.add('a', await pay(world.buyer(0), world.anvil.receiver))
    world.start()
    await until('settled', async () => {
      await world.anvil.clients.node.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 9n })
      await world.mine()
      await sleep(150)
      return world.ledger.row('a').settled !== null
    })
    expect(await world.settlerTxs()).toBe(1)
  })

  test('somebody else uses the key: nothing is lost and nothing paid twice', async () => {
    const settler = world.start()
    await world.automine(false)
    world.ledger.add('a', await pay(world.buyer(0), world.anvil.receiver))
    settler.wake()
    await world.broadcast()
    await world.waitingAtNode(1)
    const account = privateKeyToAccount(world.key)
    await world.anvil.clients.wallet.sendTransaction({
      account,
      to: account.address,
      gas: 21_000n,
      nonce: 0,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 11n,
    })
    await world.mine()
    await world.automine(true)
    await world.ledger.quiet(30_000)
    expect(world.ledger.row('a').settled).not.toBeNull()
    expect(await world.settlerTxs()).toBe(2)
  })

  test('I9 somebody else spends several nonces: they are waited for together, and what is mined behind them is written down at once', async () => {
    const TAKEN = 4
    const settler = world.start()
    await world.automine(false)
    for (let index = 0; index <= TAKEN; index++) {
      world.ledger.add(`k${index}`, await pay(world.buyer(index), world.anvil.receiver))
      settler.wake()
      await world.waitingAtNode(index + 1)
    }
    const account = privateKeyToAccount(world.key)
    for (let nonce = 0; nonce < TAKEN; nonce++)
      await world.anvil.clients.wallet.sendTransaction({
        account,
        to: account.address,
        gas: 21_000n,
        nonce,
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 10n ** 11n,
      })
    await world.mine()
    await world.automine(true)
    await until('the last is settled', () => world.ledger.row(`k${TAKEN}`).settled !== null, 5_000)
    await world.ledger.quiet(20_000)
    for (let index = 0; index <= TAKEN; index++) expect(world.ledger.row(`k${index}`).settled).not.toBeNull()
  })
})
