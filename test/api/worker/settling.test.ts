import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
import { until } from '../../support/process.ts'
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
