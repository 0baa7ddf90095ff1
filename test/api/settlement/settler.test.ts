import { encodeFunctionData } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { Payment } from '../../../api/settlement/port.ts'
import { TOKEN_ABI } from '../../../ops/sandbox/chain/tokenAbi.ts'
import { until } from '../../support/process.ts'
import { cancelCall, pay, transferCall } from './payer.ts'
import { settlerWorld } from './settlerWorld.ts'
import { lower, USDC } from './vectors.ts'

const world = settlerWorld({ buyers: 70 })

describe('what is claimed is settled', () => {
  test('one payment: money moves, the log index is that of its Transfer, the hash was known before', async () => {
    const settler = world.start()
    const before = await world.anvil.balance(world.anvil.receiver)
    world.ledger.add('a', await pay(world.buyer(0), world.anvil.receiver))
    settler.wake()
    await world.ledger.quiet()
    const { settled, txs } = world.ledger.row('a')
    expect(await world.anvil.balance(world.anvil.receiver)).toBe(before + 10_000n)
    expect(txs).toEqual([settled!.tx])
    const [transfer] = (await world.chain.transfers(USDC, settled!.tx)) as {
      logIndex: number
      blockMs: number
    }[]
    expect(settled).toMatchObject({ logIndex: transfer!.logIndex, blockMs: transfer!.blockMs })
    expect(world.ledger.events.map(({ kind }) => kind)).toEqual(['broadcast', 'settled'])
  })

  test('64 at once share a transaction, each with its own log', async () => {
    const settler = world.start()
    await world.automine(false)
    const payments = await Promise.all(
      Array.from({ length: 64 }, (_, index) => pay(world.buyer(index), world.anvil.receiver)),
    )
    //  all in one step: the settler also looks by itself, every second
    for (const [index, payment] of payments.entries()) world.ledger.add(`k${index}`, payment)
    settler.wake()
    await world.broadcast()
    await world.waitingAtNode(1)
    await world.mine()
    await world.ledger.quiet()
    const settled = Array.from({ length: 64 }, (_, index) => world.ledger.row(`k${index}`).settled!)
    expect(new Set(settled.map(({ tx }) => tx)).size).toBe(1)
    expect(new Set(settled.map(({ logIndex }) => logIndex)).size).toBe(64)
    expect(await world.settlerTxs()).toBe(1)
  })

  test('those that come while a transaction is under way leave before it is mined', async () => {
    const settler = world.start()
    await world.automine(false)
    for (let round = 1; round <= 3; round++) {
      world.ledger.add(`k${round}`, await pay(world.buyer(round), world.anvil.receiver))
      settler.wake()
      await until('it left', () => world.broadcasts().length === round)
      await world.waitingAtNode(round)
    }
    await world.mine()
    await world.ledger.quiet()
    expect(new Set([1, 2, 3].map((round) => world.ledger.row(`k${round}`).settled!.blockNumber)).size).toBe(1)
  })

  test('two claims of one authorization: the transfer pays one of them', async () => {
    const payment = await pay(world.buyer(0), world.anvil.receiver)
    world.ledger.add('first', payment)
    world.ledger.add('second', payment)
    world.start()
    await world.ledger.quiet()
    expect([world.ledger.row('first').settled !== null, world.ledger.row('second').refused]).toEqual([
      true,
      'taken',
    ])
  })

  test('a payer that signs for more than it has pays what it can, the rest is refused', async () => {
    const poor = { privateKey: generatePrivateKey() }
    await world.anvil.mint(privateKeyToAddress(poor.privateKey), 15_000n)
    world.ledger.add('first', await pay(poor, world.anvil.receiver))
    world.ledger.add('second', await pay(poor, world.anvil.receiver))
    world.start()
    await world.ledger.quiet()
    expect([world.ledger.row('first').settled !== null, world.ledger.row('second').refused]).toEqual([
      true,
      'insufficient_funds',
    ])
  })
})

describe('what happens between the simulation and the block', () => {
  const interfere = async (act: (payment: Payment) => Promise<unknown>, over = {}) => {
    const settler = world.start()
    await world.automine(false)
    const payment = await pay(world.buyer(0), world.anvil.receiver, over)
    world.ledger.add('victim', payment)
    world.ledger.add('bystander', await pay(world.buyer(1), world.anvil.receiver))
    settler.wake()
    await world.broadcast()
    await world.waitingAtNode(1)
    const result = await act(payment)
    await world.waitingAtNode(2)
    await world.mine()
    await world.automine(true)
    await world.ledger.quiet()
    expect(world.ledger.row('bystander').settled?.tx).toBe(world.ledger.row('bystander').txs[0])
    const failed = /^settler_failed_total\S* (\d+)$/m.exec(await settler.metrics.registry.metrics())?.[1]
    return { payment, result, failed }
  }

  test('RPL-13: a third party submits it first: settled by that transaction', async () => {
    const { result } = await interfere((payment) =>
      world.overtake(world.buyer(2), world.anvil.usdc, transferCall(payment)),
    )
    expect(world.ledger.row('victim').settled?.tx).toBe(result)
  })

  test('RPL-14: the payer cancels it: refused', async () => {
    await interfere(async ({ authorization }) =>
      world.overtake(world.buyer(2), world.anvil.usdc, await cancelCall(world.buyer(0), authorization.nonce)),
    )
    expect(world.ledger.row('victim')).toMatchObject({ settled: null, refused: 'nonce_used' })
  })

  test('RPL-14: the payer empties the wallet: refused', async () => {
    const held = await world.anvil.balance(world.buyer(0).address)
    const empty = encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'transfer',
      args: [world.buyer(3).address, held],
    })
    const { failed } = await interfere(() => world.overtake(world.buyer(0), world.anvil.usdc, empty))
    expect(world.ledger.row('victim')).toMatchObject({ settled: null, refused: 'insufficient_funds' })
    await world.anvil.mint(world.buyer(0).address, held)
    expect(failed, 'its operator is told').toBe('1')
  })

  test('RPL-11: another authorization with the same nonce lands first: refused', async () => {
    await interfere(async ({ authorization }) => {
      const other = await pay(world.buyer(0), world.anvil.receiver, { nonce: authorization.nonce, value: 1n })
      return world.overtake(world.buyer(2), world.anvil.usdc, transferCall(other))
    })
    expect(world.ledger.row('victim')).toMatchObject({ settled: null, refused: 'nonce_used' })
  })

  test('SIG-04: a payer becomes a wallet that burns all gas: only its own payment suffers', async () => {
    const code = await world.anvil.clients.reads.getCode({
      address: await world.anvil.deploy1271(lower(world.buyer(4).address)),
    })
    const settler = world.start()
    await world.automine(false)
    world.ledger.add('burner', await pay(world.buyer(60), world.anvil.receiver))
    for (let index = 1; index <= 5; index++)
      world.ledger.add(`k${index}`, await pay(world.buyer(index), world.anvil.receiver))
    settler.wake()
    await world.broadcast()
    await world.waitingAtNode(1)
    await world.anvil.clients.node.setStorageAt({
      address: world.buyer(60).address,
      index: 0,
      value: `0x${'3'.padStart(64, '0')}`,
    })
    await world.anvil.clients.node.setCode({ address: world.buyer(60).address, bytecode: code! })
    await world.mine()
    await world.automine(true)
    await world.ledger.quiet()
    expect(world.ledger.row('burner').refused).toBe('wallet_not_supported')
    for (let index = 1; index <= 5; index++) expect(world.ledger.row(`k${index}`).settled).not.toBeNull()
  })

  test('it expires before it is mined: refused when the chain’s own clock is past it', async () => {
    const { timestamp } = await world.anvil.clients.reads.getBlock()
    const settler = world.start()
    await world.automine(false)
    world.ledger.add(
      'late',
      await pay(world.buyer(0), world.anvil.receiver, { validBefore: timestamp + 30n }),
    )
    settler.wake()
    await world.broadcast()
    await world.waitingAtNode(1)
    await world.anvil.clients.node.setNextBlockTimestamp({ timestamp: timestamp + 31n })
    await world.mine()
    await world.ledger.quiet()
    expect(world.ledger.row('late').refused).toBe('expired')
  })
})
