import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Redis } from 'ioredis'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openFence } from '../../../api/ledger/fence.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { rpcError, startRpcProxy } from '../../api/settlement/rpcProxy.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { quietLog } from '../../support/ledger.ts'
import { freePort } from '../../support/ports.ts'
import { RECONCILE, runMain, until } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let chain: TestChain
let stores: [TestRedis, TestRedis]
let connections: Redis[] = []
let ledger: Redis
const connect = (store: TestRedis): Redis => {
  const connection = connectRedis(store.url, { log: quietLog, name: 'test' })
  connections.push(connection)
  return connection
}
beforeAll(async () => {
  const started = [startRedis({ appendfsync: 'always' }), startRedis()] as const
  ;[chain, ...stores] = await Promise.all([startTestChain({ buyers: 2 }), ...started])
})
afterAll(async () => {
  await Promise.all([chain?.stop(), ...(stores ?? []).map((store) => store.stop())])
})
beforeEach(async () => {
  ledger = connect(stores[0])
  await Promise.all([ledger.flushall(), connect(stores[1]).flushall()])
  await chain.clients.node.mine({ blocks: 1 })
})
afterEach(() => {
  for (const connection of connections) connection.disconnect()
  connections = []
})

const transfer = (micro: bigint, on = chain) => {
  const args = [on.receiver, micro] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  return on.send(on.buyers[1]!, on.usdc, data)
}
/** Sets the time of the chain's next block, and mines it. */
async function setTime(on: TestChain, ms: number): Promise<void> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'evm_setTime',
    params: [Math.floor(ms / SECOND)],
  })
  await fetch(on.rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  await on.clients.node.mine({ blocks: 1 })
}
const newest = (on = chain) => on.clients.reads.getBlockNumber({ cacheTime: 0 })
const booked = async () => (await ledger.keys('spent:*')).length
/** Makes the ledger one that was open `agoMs` ago and that no witness knows. */
const unwitnessed = (agoMs: number) => ledger.mset('ledger:epoch', 'e', 'ledger:beat', Date.now() - agoMs)
const EPOCH = 'ledger:epoch'

async function reconcile(args: string[], rpcUrl = chain.rpcUrl, { usdc, receiver } = chain) {
  const running = runMain(RECONCILE, {
    args: args,
    env: {
      LEDGER_REDIS_URL: stores[0].url,
      REDIS_URL: stores[1].url,
      BASE_RPC_URL: rpcUrl,
      USDC_ADDRESS: usdc,
      RECEIVER_ADDRESS: receiver,
    },
  })
  const { code } = await running.exited
  return { code, out: running.stdout(), err: running.stderr() }
}

/** A node that answers for its newest block only after `release`. */
async function slowNode() {
  let [arrive, release] = [() => {}, () => {}]
  const asked = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const server: Server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (body.includes('"latest"')) {
      arrive()
      await gate
    }
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(chain.rpcUrl, { method: 'POST', headers, body })
    response.writeHead(answer.status, headers).end(await answer.text())
  }).listen(0, '127.0.0.1')
  await until('it listens', () => server.listening)
  const rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { rpcUrl, asked, release, close: () => server.close() }
}

/** A new chain with one transfer that is not ahead of the ledger's clock. */
async function youngChain() {
  const young = await startTestChain({ buyers: 2 })
  const tx = await transfer(10_000n, young)
  const atMs = Number((await young.clients.reads.getBlock()).timestamp) * SECOND
  await until('the ledger has come to its time', () => Date.now() > atMs)
  return { young, tx, atMs }
}

describe('DATA-04 --rebuild opens money only after it has looked at all that may be lost', () => {
  test('a later --from-block than the last beat asks for leaves nothing out; an earlier one looks further back', async () => {
    const before = await newest()
    await transfer(10_000n)
    await transfer(20_000n)
    await unwitnessed(10 * MINUTE)
    const late = await reconcile(['--rebuild', '--from-block', String(await newest())])
    expect(late.err).toContain('2 ordinary transfers booked\nmoney is open again')
    expect(await booked()).toBe(2)

    await Promise.all([ledger.flushall(), connect(stores[1]).flushall()])
    await unwitnessed(-HOUR - MINUTE) //  the beat is so far ahead that everything is long before it
    await chain.clients.node.increaseTime({ seconds: (2 * MINUTE) / SECOND })
    await transfer(30_000n)
    const early = await reconcile(['--rebuild', '--force', '--from-block', String(before)])
    expect(early.out).toContain(`blocks ${before} to`)
  })

  test('a node that fails in the middle: what was joined is booked, money stays closed; the next run goes on there', async () => {
    const young = await startTestChain({ buyers: 2 }) //  on this chain nothing else is unknown
    await setTime(young, Date.now() - MINUTE)
    const tx = await transfer(10_000n, young)
    await unwitnessed(0)
    //  more than a part; a busy machine took ten seconds, the client's patience, for half of them at once
    for (let mined = 0; mined < 2_200; mined += 200) await young.clients.node.mine({ blocks: 200 })
    await setTime(young, Date.now())
    const last = await newest(young)
    const proxy = await startRpcProxy(young.rpcUrl)
    proxy.treat(({ method, params: [filter] }) =>
      method === 'eth_getLogs' && BigInt((filter as { toBlock: string }).toBlock) > last - 100n
        ? rpcError(-32602, 'not now')
        : 'pass',
    )
    const failed = await reconcile(['--rebuild'], proxy.url, young)
    expect([failed.code, failed.err]).toEqual([2, expect.stringContaining('chain_unavailable')])
    const rows = await ledger.keys('spent:*')
    expect([rows.filter((key) => key.includes(tx)).length, await ledger.get(EPOCH)]).toEqual([1, 'e'])
    const reached = BigInt(/blocks \d+ to (\d+)/.exec(failed.out)![1]!)

    proxy.treat(() => 'pass')
    const done = await reconcile(['--rebuild'], proxy.url, young)
    expect(done.out).toContain(`blocks ${reached + 1n} to ${last}`)
    expect(done.err).toBe(
      `usdc_base: 0 ordinary transfers booked; those up to block ${reached} by an earlier run\nmoney is open again\n`,
    )
    await proxy.close()
    await young.stop()
  })

  test('without a beat it begins where the operator says', async () => {
    await connect(stores[1]).set('witness:ledger', JSON.stringify({ epoch: 'e', beat: Date.now() }))
    const first = await newest()
    await transfer(10_000n)
    const { out } = await reconcile(['--rebuild', '--from-block', String(first + 1n)])
    expect(out).toContain(`blocks ${first + 1n} to ${first + 1n}`)
    expect(await ledger.get(EPOCH)).not.toBeNull()
  })

  test('a --from-block that the chain does not have yet is refused: nothing would be booked, and money open', async () => {
    await connect(stores[1]).set('witness:ledger', JSON.stringify({ epoch: 'e', beat: Date.now() }))
    await transfer(10_000n)
    const ahead = ['--from-block', String((await newest()) + 1n)]
    for (const order of [['--rebuild'], ['--open'], []]) {
      const refused = await reconcile([...order, ...ahead])
      expect([refused.code, refused.out, refused.err]).toEqual([
        2,
        '',
        expect.stringContaining(`--from-block: is after the newest block, ${await newest()}`),
      ])
    }
    expect([await booked(), await ledger.get(EPOCH)]).toEqual([0, null])
  })

  test.each([
    ['without a beat', async () => {}],
    ['with the beat of another ledger', () => ledger.mset(EPOCH, 'x', 'ledger:beat', Date.now() - MINUTE)],
  ])('nor says he where: %s it looks back 30 days', async (_, lose) => {
    await lose()
    const tx = await transfer(10_000n)
    const last = Number(await newest())
    await chain.clients.node.mine({ blocks: 1 })
    const node = await startRpcProxy(chain.rpcUrl)
    node.treat(async ({ method, params }) => {
      if (method !== 'eth_getBlockByNumber' || !(Number(params[0]) <= last)) return 'pass'
      const block = (await chain.clients.node.request({ method, params } as never)) as { timestamp: Hex }
      const timestamp = `0x${(Number(block.timestamp) - (29 * DAY) / SECOND).toString(16)}`
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: { ...block, timestamp } }) }
    })
    await connect(stores[1]).set('witness:ledger', JSON.stringify({ epoch: 'e', beat: Date.now() }))
    expect((await reconcile(['--rebuild'], node.url)).err).toContain('money is open again')
    expect((await ledger.keys('spent:*')).some((key) => key.includes(tx))).toBe(true)
    await node.close()
  })

  test.each([
    ['within a minute, as clocks differ: booked', 30 * SECOND, true],
    ['later: nobody was sold anything for it, and it may still be shown', 5 * MINUTE, false],
  ])('what came after money was last seen open, %s', async (_, agoMs, isBooked) => {
    const { young, tx, atMs } = await youngChain()
    const seen = { epoch: 'e', beat: atMs - agoMs }
    await connect(stores[1]).set('witness:ledger', JSON.stringify(seen))
    expect((await reconcile(['--rebuild'], young.rpcUrl, young)).err).toContain('money is open again')
    expect((await ledger.keys('spent:*')).some((key) => key.includes(tx))).toBe(isBooked)
    await young.stop()
  })

  test('ledger and witness are of one old copy: money was open since, and all that came is booked', async () => {
    const { young, tx, atMs } = await youngChain()
    const beat = atMs - 10 * MINUTE
    await ledger.mset(EPOCH, 'e', 'ledger:beat', beat)
    await connect(stores[1]).set('witness:ledger', JSON.stringify({ epoch: 'e', beat }))
    expect((await reconcile(['--rebuild'], young.rpcUrl, young)).err).toContain('money is open again')
    expect((await ledger.keys('spent:*')).some((key) => key.includes(tx))).toBe(true)
    await young.stop()
  })

  test('its witness does not answer: refused, since that may have seen more', async () => {
    await unwitnessed(10 * MINUTE)
    const running = runMain(RECONCILE, {
      args: ['--rebuild'],
      env: {
        LEDGER_REDIS_URL: stores[0].url,
        REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
        BASE_RPC_URL: chain.rpcUrl,
        USDC_ADDRESS: chain.usdc,
        RECEIVER_ADDRESS: chain.receiver,
      },
    })
    expect((await running.exited).code).toBe(2)
    expect(running.stderr()).toContain('REDIS_URL: does not answer')
    expect([await booked(), await ledger.get(EPOCH)]).toEqual([0, 'e'])
  })

  test('the worker opens money first: refused, and who has just paid by a transfer is not booked', async () => {
    await unwitnessed(10 * MINUTE)
    for (const action of ['--rebuild', '--open']) {
      const node = await slowNode()
      const running = reconcile([action, '--from-block', '0'], node.rpcUrl)
      await node.asked
      const fence = await openFence({
        ledger,
        witness: connect(stores[1]),
        guarded: connect(stores[0]),
        secret: Buffer.alloc(32, 1),
        join: async () => null,
        log: quietLog,
      })
      await until('money is open', () => fence.problem() === null)
      await transfer(10_000n)
      const epoch = await ledger.get(EPOCH)
      node.release()
      const refused = await running
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('money has opened meanwhile')])
      expect([await booked(), await ledger.get(EPOCH)]).toEqual([0, epoch])
      await fence.stop()
      node.close()
      await unwitnessed(10 * MINUTE)
      await connect(stores[1]).flushall()
    }
  })

  test('what came after it began is left alone', async () => {
    await unwitnessed(10 * MINUTE)
    const node = await slowNode()
    const running = reconcile(['--rebuild', '--from-block', '0'], node.rpcUrl)
    await node.asked
    await chain.clients.node.increaseTime({ seconds: MINUTE / SECOND })
    const tx = await transfer(10_000n)
    node.release()
    expect((await running).err).toMatch(/[1-9]\d* left that came when money was closed/)
    expect((await ledger.keys('spent:*')).filter((key) => key.includes(tx))).toEqual([])
    node.close()
  })

  test('CHN-04 a node that lags: refused, and money stays closed', async () => {
    const old = await startTestChain({ buyers: 1 })
    await setTime(old, Date.now() - 10 * MINUTE)
    await unwitnessed(10 * MINUTE)
    for (const action of [['--rebuild'], ['--open'], []]) {
      const refused = await reconcile(action, old.rpcUrl)
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('chain_unavailable')])
    }
    expect(await ledger.get(EPOCH)).toBe('e')
    await old.stop()
  })
})
