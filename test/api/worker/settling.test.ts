import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { KEYS } from '../../../api/ledger/keys.ts'
import { createSettlerState } from '../../../api/ledger/settlerState.ts'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import { settleWhileLeading } from '../../../api/worker/settling.ts'
import { realClock } from '../../../ops/clock.ts'
import { loadConfig } from '../../../ops/config.ts'
import { fenceKey, leaderKey } from '../../../ops/lead.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { openLedger, quietLog } from '../../support/ledger.ts'
import { sleep, until } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let dir: string
let anvil: TestChain
let chain: ClosableChain
let server: TestRedis
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-settling-'))
  ;[anvil, server] = await Promise.all([startTestChain(), startRedis({ appendfsync: 'always' })])
  chain = createPaymentChain({ rpcUrl: anvil.rpcUrl, log: quietLog })
})
afterAll(async () => {
  await chain?.close()
  await server?.stop()
  await anvil?.stop()
  await rm(dir, { recursive: true, force: true })
})

describe('what a settler says of itself', () => {
  test('a worker that leads no more says nothing of gas and has no problem: its alarms are over', async () => {
    const key = generatePrivateKey()
    await anvil.clients.node.setBalance({ address: privateKeyToAddress(key), value: 0n })
    const SETTLER_KEY_FILE = join(dir, 'settler.key')
    await writeFile(SETTLER_KEY_FILE, key, { mode: 0o600 })
    const config = loadConfig({ BASE_RPC_URL: anvil.rpcUrl, SETTLER_KEY_FILE }, 'script')
    const { ledger, redis, close } = openLedger(server.url)
    const news = connectRedis(server.url, { log: quietLog, name: 'test-news', blocking: true })
    const metrics = createMetrics('worker')
    const says = async () =>
      (await metrics.registry.metrics())
        .split('\n')
        .filter((line) => /^settler_(problem|gas_wei)\{/.test(line) && !/problem="(?!no_gas)/.test(line))
    const ports = { config, ledger, chain, redis, news, clock: realClock }
    const settling = settleWhileLeading({ ...ports, log: quietLog, metrics })
    const silent = ['settler_problem{problem="no_gas",role="worker"} 0']
    expect(await says()).toEqual(silent) //  from the start, so that an alert has something to compare
    const broke = ['settler_gas_wei{role="worker"} 0', 'settler_problem{problem="no_gas",role="worker"} 1']
    await until('it has no gas', async () => (await says()).join() === broke.join())
    const state = createSettlerState(redis)
    await until('the others hear of it', async () => /gas/.test((await state.problem()) ?? ''))
    await redis.multi().set(leaderKey('settler'), 'another').incr(fenceKey('settler')).exec()
    await until('it says nothing', async () => (await says()).join() === silent.join())
    expect(settling.problem()).toBeNull()
    await redis.del(KEYS.settler) //  as if no worker reported any more
    expect(await state.problem()).toContain('no worker settles')
    await state.say(null)
    expect(await state.problem()).toBeNull()
    expect(await redis.pttl(KEYS.settler)).toBeGreaterThan(0)
    await settling.stop()
    news.disconnect()
    close()
  })
})

describe('OPS-01, I4 one settler at a time, whatever becomes of the lease while its node lets it wait', () => {
  const LEASE = leaderKey('settler')
  const waiting: ServerResponse[] = [] //  calls that the node has not answered yet
  let heard: (string | null)[] //          the fences that the worker was told of
  let exit: ReturnType<typeof vi.spyOn>
  let close: () => void
  let world: Awaited<ReturnType<typeof start>>
  let isSlow: boolean
  const refuse = (response: ServerResponse) => response.writeHead(503).end()
  const node = createServer((_, response) => {
    if (isSlow) waiting.push(response)
    else refuse(response)
  })

  async function start() {
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
    const SETTLER_KEY_FILE = join(dir, 'patient.key')
    await writeFile(SETTLER_KEY_FILE, generatePrivateKey(), { mode: 0o600 })
    const BASE_RPC_URL = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
    const config = loadConfig({ BASE_RPC_URL, SETTLER_KEY_FILE }, 'script')
    const { ledger, redis, close: closeLedger } = openLedger(server.url)
    await redis.flushall()
    const news = connectRedis(server.url, { log: quietLog, name: 'test-news', blocking: true })
    close = () => {
      news.disconnect()
      closeLedger()
    }
    const log = { ...quietLog, info: ({ fence }: { fence: string | null }) => void heard.push(fence) }
    const ports = { config, ledger, chain, redis, news, clock: realClock, metrics: createMetrics('worker') }
    const settling = settleWhileLeading({ ...ports, log: log as never })
    await until('the settler waits for its node', () => waiting.length === 1)
    const hears = (fence: string | null) => until(`it hears of ${fence}`, () => heard.at(-1) === fence)
    return {
      settling,
      lose: async () => {
        await redis.set(LEASE, 'another')
        await hears(null)
      },
      /** Another worker led for a moment. */
      leadAnew: async () => {
        const before = Number(heard.at(-1))
        await redis.multi().incr(fenceKey('settler')).del(LEASE).exec()
        await hears(String(before + 2))
      },
      /** Its lease was never taken: the same term goes on, though the worker had given it up. */
      loseAndFind: async () => {
        const [id, before] = [(await redis.get(LEASE))!, heard.at(-1)!]
        await redis.set(LEASE, 'another')
        await hears(null)
        await redis.set(LEASE, id)
        await hears(before)
      },
      /** One call is answered, and the settler waits for the next ones: none is waited for longer than 5 s. */
      answerOne: async () => {
        const result = `0x${config.CHAIN_ID.toString(16)}`
        waiting.pop()!.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
        await until('it asks for more', () => waiting.length > 0)
        await sleep(200)
        return waiting.length
      },
      /** The node refuses what waits for it: the settler that asked has ended soon, and whoever comes next has asked. */
      answer: async () => {
        waiting.splice(0).forEach(refuse)
        await sleep(500)
      },
    }
  }
  beforeEach(async () => {
    heard = []
    isSlow = true
    exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never)
    world = await start()
  })
  afterEach(async () => {
    isSlow = false
    waiting.splice(0).forEach(refuse)
    await world.settling.stop()
    close()
    await new Promise((resolve) => node.close(resolve))
    expect(exit).not.toHaveBeenCalled()
    exit.mockRestore()
  })

  test('the lease comes back as another term: the next begins when the one before has ended', async () => {
    await world.leadAnew()
    expect(waiting).toHaveLength(1)
    await world.answer()
    expect(waiting).toHaveLength(1)
  })

  test('stopped meanwhile: that waits for the settler that was told to end, and none begins', async () => {
    await world.leadAnew()
    let isOver = false
    const stopped = world.settling.stop().then(() => {
      isOver = true
    })
    await sleep(300)
    expect(isOver).toBe(false)
    await world.answer()
    await stopped
    expect(waiting).toHaveLength(0)
  })

  test('lost again meanwhile: none begins under a fence of which it is known that it is over', async () => {
    await world.leadAnew()
    await world.lose()
    await world.answer()
    expect(waiting).toHaveLength(0)
  })

  test('given up and found again: it begins when the one before has ended, and once', async () => {
    await world.leadAnew()
    const asked = await world.answerOne()
    await world.loseAndFind()
    await sleep(200)
    expect(waiting).toHaveLength(asked)
    await world.answer()
    expect(waiting).toHaveLength(1)
  })
})
