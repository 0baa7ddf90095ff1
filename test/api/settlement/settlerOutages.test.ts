import { keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { BrokenRowError } from '../../../api/ledger/scripts.ts'
import { createPaymentChain } from '../../../api/settlement/chain.ts'
import { ServiceError, UnavailableError } from '../../../ops/errors.ts'
import { createLog } from '../../../ops/log.ts'
import { DAY } from '../../../ops/units.ts'
import { sleep, until } from '../../support/process.ts'
import { cancelCall, pay } from './payer.ts'
import { rpcError, startRpcProxy, type Treatment } from './rpcProxy.ts'
import { settlerWorld } from './settlerWorld.ts'

const world = settlerWorld({ buyers: 70 })

describe('others are away for a while', () => {
  test('the node: jobs wait, are neither refused nor lost, and settle once', async () => {
    const proxy = await startRpcProxy(world.anvil.rpcUrl)
    const settler = world.start(proxy.url)
    proxy.treat(() => 'cut')
    const before = await world.anvil.balance(world.anvil.receiver)
    for (let index = 0; index < 5; index++)
      world.ledger.add(`k${index}`, await pay(world.buyer(index), world.anvil.receiver))
    settler.wake()
    await until('it says so', () => settler.problem() !== null)
    expect(world.ledger.events).toEqual([])
    proxy.treat(() => 'pass')
    await world.ledger.quiet()
    expect(await world.anvil.balance(world.anvil.receiver)).toBe(before + 50_000n)
    await world.stop()
    await proxy.close()
  })

  test('the node takes a transaction and its answer is lost', async () => {
    const proxy = await startRpcProxy(world.anvil.rpcUrl)
    let lost = 0
    proxy.treat(({ method }) => (method === 'eth_sendRawTransaction' && lost++ < 3 ? 'lose' : 'pass'))
    world.start(proxy.url)
    world.ledger.add('a', await pay(world.buyer(0), world.anvil.receiver))
    await world.ledger.quiet()
    expect(world.ledger.row('a').settled).not.toBeNull()
    expect(await world.settlerTxs()).toBe(1)
    await world.stop()
    await proxy.close()
  })

  test('the world.ledger, right when settlements are written down: written once it is back', async () => {
    let refused = 0
    world.ledger.onCall = (method) => {
      if (method === 'recordSettled' && refused++ < 5)
        throw new UnavailableError('ledger_unavailable', 'test')
    }
    for (let index = 0; index < 3; index++)
      world.ledger.add(`k${index}`, await pay(world.buyer(index), world.anvil.receiver))
    world.start()
    await world.ledger.quiet()
    expect(
      world.ledger.events.filter((event) => event.kind === 'settled' && event.outcome === 'recorded').length,
    ).toBe(3)
    expect(await world.settlerTxs()).toBe(1)
  })

  test('the world.ledger, before a broadcast: nothing is sent that is not written down', async () => {
    let away = true
    world.ledger.onCall = (method) => {
      if (method === 'recordBroadcast' && away) throw new UnavailableError('ledger_unavailable', 'test')
    }
    const settler = world.start()
    world.ledger.add('a', await pay(world.buyer(0), world.anvil.receiver))
    settler.wake()
    await until('it says so', () => settler.problem() !== null)
    expect(await world.settlerTxs()).toBe(0)
    away = false
    await world.ledger.quiet()
    expect(world.ledger.row('a').txs).toContain(world.ledger.row('a').settled!.tx)
  })

  test('another settler leads now: this one ends and sends nothing', async () => {
    class Fenced extends ServiceError {
      readonly code = 'fenced'
    }
    world.ledger.onCall = (method) => {
      if (method === 'recordBroadcast') throw new Fenced('test')
    }
    const settler = world.start()
    world.ledger.add('a', await pay(world.buyer(0), world.anvil.receiver))
    settler.wake()
    await expect(settler.done).rejects.toMatchObject({ code: 'fenced' })
    expect(await world.settlerTxs()).toBe(0)
    world.ledger.onCall = () => {}
    world.start(undefined, settler.metrics) //  a later term of the same process
    await world.ledger.quiet()
    expect(await settler.metrics.registry.metrics()).toMatch(
      /settler_payments_total\{outcome="settled",role="test"\} 1/,
    )
  })

  test('the node serves another chain at first: it is asked again, says so, and signs nothing for that one', async () => {
    const proxy = await startRpcProxy(world.anvil.rpcUrl)
    const other: Treatment = { status: 200, body: '{"jsonrpc":"2.0","id":1,"result":"0x1"}' }
    proxy.treat(({ method }) => (method === 'eth_chainId' ? other : 'pass'))
    const settler = world.start(proxy.url)
    world.ledger.add('a', await pay(world.buyer(0), world.anvil.receiver))
    settler.wake()
    await until('it has asked again', () => proxy.count('eth_chainId') > 1)
    expect(settler.problem()).toMatch(/chain_unavailable/)
    expect(proxy.count()).toBe(proxy.count('eth_chainId'))
    proxy.treat(() => 'pass')
    await world.ledger.quiet()
    expect(world.ledger.row('a').settled).not.toBeNull()
    expect(settler.problem()).toBeNull()
    await world.stop()
    await proxy.close()
  })

  test('OPS-14 the clock is set back a day while nothing is sent: what was rejected is sent again as soon as it would have been', async () => {
    const proxy = await startRpcProxy(world.anvil.rpcUrl)
    proxy.treat(({ method }) =>
      method === 'eth_sendRawTransaction' ? rpcError(-32_000, 'not today') : 'pass',
    )
    let setMs = 0
    const clock = { nowMs: () => Date.now() + setMs }
    const settler = world.start(proxy.url, undefined, clock)
    world.ledger.add('a', await pay(world.buyer(0), world.anvil.receiver))
    settler.wake()
    await until('it says so', () => settler.problem()?.includes('rejects'))
    setMs = -DAY
    proxy.treat(() => 'pass')
    await world.ledger.quiet()
    expect(world.ledger.row('a').settled).not.toBeNull()
    await until('nothing is wrong any more', () => settler.problem() === null)
    await world.stop()
    await proxy.close()
  })

  test('OPS-18 the node calls every fee too low: it says so as long as nothing is sent', async () => {
    const proxy = await startRpcProxy(world.anvil.rpcUrl)
    proxy.treat(({ method }) =>
      method === 'eth_sendRawTransaction' ? rpcError(-32_000, 'transaction underpriced') : 'pass',
    )
    const settler = world.start(proxy.url)
    world.ledger.add('a', await pay(world.buyer(0), world.anvil.receiver))
    settler.wake()
    const sends = () => proxy.count('eth_sendRawTransaction')
    await until('it is refused a second time', async () => {
      const before = sends()
      await sleep(300)
      return before > 21 && sends() === before
    })
    const said: (string | null)[] = []
    for (let look = 0; look < 14; look++) {
      said.push(settler.problem())
      await sleep(100)
    }
    expect(new Set(said)).toEqual(new Set(['a transaction is stuck and its fee has reached our limit']))
    proxy.treat(() => 'pass')
    await world.ledger.quiet()
    await until('nothing is wrong any more', () => settler.problem() === null)
    await world.stop()
    await proxy.close()
  })

  test('CRA-04, I4: a new life behind a node that shows no logs settles what the first one had sent', async () => {
    await world.automine(false)
    const first = world.start()
    world.ledger.add('a', await pay(world.buyer(0), world.anvil.receiver))
    first.wake()
    await world.broadcast()
    await world.waitingAtNode(1)
    await world.stop()
    await world.mine()
    const proxy = await startRpcProxy(world.anvil.rpcUrl)
    proxy.treat(({ method }) => (method === 'eth_getLogs' ? rpcError(-32005, 'limit exceeded') : 'pass'))
    const { chain } = world
    world.chain = createPaymentChain({ rpcUrl: proxy.url, log: createLog('test', 'silent') })
    world.start(proxy.url).wake()
    await world.ledger.quiet()
    expect(world.ledger.row('a').settled).toMatchObject({ tx: world.ledger.row('a').txs[0] })
    expect(await world.settlerTxs()).toBe(1)
    await world.stop()
    await world.chain.close()
    world.chain = chain
    await proxy.close()
  })

  test('no job, no question to the node', async () => {
    const proxy = await startRpcProxy(world.anvil.rpcUrl)
    const settler = world.start(proxy.url)
    await until('it has looked', () => proxy.count('eth_getTransactionCount') > 0)
    const asked = await until('it has asked all that it wants to know', async () => {
      const before = proxy.count()
      await sleep(500)
      return proxy.count() === before && before
    })
    settler.wake()
    await sleep(2_500)
    expect(proxy.count()).toBe(asked)
    await world.stop()
    await proxy.close()
  })

  test.each([
    ['the second leaves in its place', 60, ['second']],
    ['so does one that carries a row which broke meanwhile', 62, ['second', 'broken']],
  ])(
    'I9 the node loses both and refuses the first, whose payer takes it back: %s',
    async (_, at, carried) => {
      const proxy = await startRpcProxy(world.anvil.rpcUrl)
      const settler = world.start(proxy.url)
      await world.automine(false)
      const buyer = world.buyer(at)
      const before = await world.anvil.balance(world.anvil.receiver)
      const first = await pay(buyer, world.anvil.receiver)
      world.ledger.add('first', first)
      settler.wake()
      await world.waitingAtNode(1)
      for (const [index, key] of carried.entries())
        world.ledger.add(key, await pay(world.buyer(at + 1 + index), world.anvil.receiver))
      settler.wake()
      await world.waitingAtNode(2)
      const [lost, behind, beside = behind] = ['first', ...carried].map(
        (key) => world.ledger.row(key).txs[0]!,
      )
      expect(beside).toBe(behind)
      const { recordBroadcast } = world.ledger
      world.ledger.recordBroadcast = async (keys, ...sent) => {
        if (keys.includes('broken')) throw new BrokenRowError('a row is broken')
        await recordBroadcast(keys, ...sent)
      }
      const isLost = (raw: unknown) => keccak256(raw as `0x${string}`) === lost
      proxy.treat(({ method, params }) =>
        method === 'eth_sendRawTransaction' && isLost(params[0])
          ? rpcError(-32_003, 'insufficient funds for gas')
          : 'pass',
      )
      for (const hash of [behind!, lost!]) await world.anvil.clients.node.dropTransaction({ hash })
      await world.overtake(buyer, world.anvil.usdc, await cancelCall(buyer, first.authorization.nonce))
      for (let block = 0; block < 4; block++) {
        await world.mine()
        await sleep(400) //  the settler looks at each
      }
      await until('the first is refused', () => world.ledger.row('first').refused !== null)
      await until('the second is settled', async () => {
        await world.mine()
        return world.ledger.row('second').settled !== null
      })
      expect(await world.anvil.balance(world.anvil.receiver)).toBe(before + BigInt(carried.length) * 10_000n)
      await world.stop()
      await proxy.close()
    },
  )
})
