import { describe, expect, test } from 'vitest'
import type { TestChain } from '../../support/chain.ts'
import { until } from '../../support/process.ts'
import { pay } from './payer.ts'
import { settlerWorld } from './settlerWorld.ts'
import { lower, nonce } from './vectors.ts'

const world = settlerWorld({ buyers: 70 })

describe('wallet payments go alone', () => {
  const walletPay = async (mode: Parameters<TestChain['deploy1271']>[1], over = {}) => {
    const wallet = await world.anvil.deploy1271(lower(world.buyer(0).address), mode)
    await world.anvil.mint(wallet, 1_000_000n)
    return {
      wallet,
      payment: await pay(world.buyer(0), world.anvil.receiver, { from: lower(wallet), ...over }),
    }
  }

  test('a deployed wallet beside key-signed payments: a transaction of its own', async () => {
    const { payment } = await walletPay('owner')
    const settler = world.start()
    await world.automine(false)
    world.ledger.add('wallet', payment)
    world.ledger.add('key', await pay(world.buyer(1), world.anvil.receiver))
    settler.wake()
    await until('both left', () => world.broadcasts().length === 2)
    await world.waitingAtNode(2)
    await world.mine()
    await world.ledger.quiet()
    expect(world.ledger.row('wallet').settled!.tx).not.toBe(world.ledger.row('key').settled!.tx)
  })

  test('SIG-07: a key’s account with code that accepts its key: a transaction of its own', async () => {
    const wallet = await world.anvil.deploy1271(lower(world.buyer(61).address))
    const bytecode = (await world.anvil.clients.reads.getCode({ address: wallet }))!
    await world.anvil.clients.node.setCode({ address: world.buyer(61).address, bytecode })
    const payment = await pay(world.buyer(61), world.anvil.receiver)
    expect(payment.signer).toBe('ecdsa')
    world.ledger.add('coded', payment)
    world.ledger.add('plain', await pay(world.buyer(1), world.anvil.receiver))
    world.start()
    await world.ledger.quiet()
    expect(world.ledger.row('coded').settled!.tx).not.toBe(world.ledger.row('plain').settled!.tx)
  })

  test('SIG-05: an undeployed wallet is deployed by its factory and pays, in one transaction', async () => {
    const factory = lower(await world.anvil.deployFactory())
    const { wallet, wrap } = await world.anvil.counterfactual(factory, lower(world.buyer(0).address), nonce())
    await world.anvil.mint(wallet, 1_000_000n)
    world.ledger.add(
      'new',
      await pay(
        world.buyer(0),
        world.anvil.receiver,
        { from: lower(wallet) },
        { wrap, factories: new Set([factory]) },
      ),
    )
    world.start()
    await world.ledger.quiet()
    expect(world.ledger.row('new').settled).not.toBeNull()
    expect(await world.anvil.clients.reads.getCode({ address: wallet })).toMatch(/^0x6/)
    expect(await world.settlerTxs()).toBe(1)
  })

  test('SIG-04: a wallet that can tell a simulation by its gas price is found out, and costs no gas', async () => {
    const { payment } = await walletPay('flips')
    expect(await world.chain.refuse(payment)).toBeNull() //  it does pass where no gas is paid
    world.ledger.add('flips', payment)
    world.start()
    await world.ledger.quiet()
    expect(world.ledger.row('flips').refused).toBe('bad_signature')
    expect(await world.settlerTxs()).toBe(0)
  })

  test('SIG-04: a wallet that changes its mind is refused once the block shows it, and not tried again', async () => {
    const { wallet, payment } = await walletPay('owner')
    const settler = world.start()
    await world.automine(false)
    world.ledger.add('turncoat', payment)
    settler.wake()
    await world.broadcast()
    await world.waitingAtNode(1)
    await world.anvil.clients.node.setStorageAt({
      address: wallet,
      index: 0,
      value: `0x${'5'.padStart(64, '0')}`,
    })
    await world.mine()
    await world.anvil.clients.node.setStorageAt({
      address: wallet,
      index: 0,
      value: `0x${'0'.padStart(64, '0')}`,
    })
    await world.automine(true)
    await world.ledger.quiet()
    expect(world.ledger.row('turncoat')).toMatchObject({ settled: null, refused: 'wallet_not_supported' })
    world.ledger.add('again', await pay(world.buyer(0), world.anvil.receiver, { from: lower(wallet) }))
    settler.wake()
    await world.ledger.quiet()
    expect(world.ledger.row('again').refused).toBe('wallet_not_supported')
    expect(await world.settlerTxs()).toBe(1)
  })
})

test('SIG-04: neighbours that burn so much gas that the whole batch reverts: the others settle in the next', async () => {
  const wallet = await world.anvil.deploy1271(lower(world.buyer(4).address))
  const bytecode = (await world.anvil.clients.reads.getCode({ address: wallet }))!
  const [victims, burners] = [
    [10, 11, 12, 13, 14, 15],
    [40, 41, 42],
  ]
  await world.automine(false)
  for (const index of [...victims, ...burners])
    world.ledger.add(`k${index}`, await pay(world.buyer(index), world.anvil.receiver))
  world.start()
  await world.broadcast()
  await world.waitingAtNode(1)
  for (const index of burners) {
    const { address } = world.buyer(index)
    await world.anvil.clients.node.setStorageAt({ address, index: 0, value: `0x${'3'.padStart(64, '0')}` })
    await world.anvil.clients.node.setCode({ address, bytecode })
  }
  await world.mine()
  const [reverted] = world.ledger.row('k10').txs
  const { status } = await world.anvil.clients.reads.getTransactionReceipt({ hash: reverted! })
  await world.automine(true)
  await world.ledger.quiet()
  expect(status).toBe('reverted')
  for (const index of victims)
    expect(world.ledger.row(`k${index}`).settled?.tx).toBe(world.ledger.row(`k${index}`).txs[1])
  for (const index of burners) expect(world.ledger.row(`k${index}`).refused).toBe('wallet_not_supported')
})
