import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createRails, type Rails } from '../../../api/rails/index.ts'
import { realClock } from '../../../ops/clock.ts'
import { RefusedOrder } from '../../../ops/commandLine.ts'
import { loadConfig } from '../../../ops/config.ts'
import { createLog } from '../../../ops/log.ts'
import { atomicOf, payBy } from '../../../ops/sandbox/pay/pay.ts'
import { readSandbox, type Sandbox } from '../../../ops/sandbox/pay/sandbox.ts'
import { isAlive, type Running, runMain, until } from '../../support/process.ts'

const Ready = z.object({
  ethereum: z.url(),
  polygon: z.url(),
  arbitrum: z.url(),
  solana: z.url(),
  bitcoin: z.url(),
  prices: z.url(),
  evmReceiver: z.string(),
  solanaReceiver: z.string(),
  solanaAlternate: z.string(),
  bitcoinReceiver: z.string(),
  pids: z.array(z.int()).length(3),
})
type Ready = z.infer<typeof Ready>

let dir: string
let child: Running
let ready: Ready
let rails: Rails
let sandbox: Sandbox

async function start(): Promise<void> {
  child = runMain('ops/sandbox/rails/main.ts', {
    env: { DATA_DIR: dir, CHAIN_BLOCK_TIME_S: 'auto', LOG_LEVEL: 'warn' },
    ipc: true,
  })
  const [line] = await child.says(/^\{"ready":true.*$/m, 60_000)
  ready = Ready.parse(JSON.parse(line))
  const evm = (rpcUrl: string) => ({ rpcUrl, receiver: ready.evmReceiver })
  const accounts = JSON.parse(await readFile(join(dir, 'chain/accounts.json'), 'utf8')) as object
  const file = {
    ...accounts,
    chain: evm('http://127.0.0.1:1'),
    rails: {
      ethereum: evm(ready.ethereum),
      polygon: evm(ready.polygon),
      arbitrum: evm(ready.arbitrum),
      solana: { rpcUrl: ready.solana, receiver: ready.solanaReceiver },
      bitcoin: { url: ready.bitcoin, receiver: ready.bitcoinReceiver },
    },
  }
  await writeFile(join(dir, 'sandbox.json'), JSON.stringify(file))
  sandbox = await readSandbox(dir)
  await rails?.close()
  const config = loadConfig(
    {
      RECEIVER_ADDRESS: ready.evmReceiver,
      SOL_BASE_RECEIVER: ready.evmReceiver,
      ETHEREUM_RPC_URL: ready.ethereum,
      ETHEREUM_RECEIVER: ready.evmReceiver,
      POLYGON_RPC_URL: ready.polygon,
      POLYGON_RECEIVER: ready.evmReceiver,
      ARBITRUM_RPC_URL: ready.arbitrum,
      ARBITRUM_RECEIVER: ready.evmReceiver,
      SOLANA_RPC_URL: ready.solana,
      SOLANA_RECEIVER: ready.solanaReceiver,
      SOLANA_ALTERNATE_RECEIVER: ready.solanaAlternate,
      BITCOIN_API_URL: ready.bitcoin,
      BITCOIN_RECEIVER: ready.bitcoinReceiver,
      PRICE_A_URL: `${ready.prices}/a`,
      PRICE_B_URL: `${ready.prices}/b`,
    },
    'script',
  )
  rails = createRails({ config, clock: realClock, log: createLog('test', 'silent') })
}
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-rails-test-'))
  await start()
})
afterAll(async () => {
  await rails?.close()
  await child?.stop()
  await rm(dir, { recursive: true, force: true })
})

describe('design 2: every rail can be paid by in the sandbox', () => {
  test('all nine are offered', () => expect(rails.unavailable).toEqual([]))

  test.each([
    ['eth_mainnet', '0.0001', 10n ** 14n],
    ['usdc_eth', '2.49', 2_490_000n],
    ['usdt_eth', '2.49', 2_490_000n],
    ['usdc_polygon', '0.25', 250_000n],
    ['usdc_arbitrum', '0.25', 250_000n],
    ['sol', '0.001', 1_000_000n],
    ['btc', '0.0001', 10_000n],
  ])('%s: %s is paid by the command and found by the rail', async (rail, amount, atomic) => {
    const { tx, to } = await payBy(sandbox, { rail, amount })
    const found = await until('the transfer', async () => {
      const answer = await rails.find(rail)!.byHash(tx)
      return typeof answer === 'string' ? null : answer
    })
    expect(found).toMatchObject([{ tx, atomic, to: /^(sol|btc)$/.test(rail) ? to : to.toLowerCase() }])
  })

  test('the command says what is wrong', async () => {
    const wrong = (rail: string, amount: string) => payBy(sandbox, { rail, amount })
    await expect(wrong('paypal', '1')).rejects.toThrow('choose one of usdc_base')
    await expect(wrong('constructor', '1')).rejects.toThrow('choose one of usdc_base')
    for (const amount of ['0', '-1', '1e3', '', '0.0000001', '1.'])
      await expect(wrong('usdc_eth', amount), amount).rejects.toThrow('positive amount')
    for (const rail of ['usdc_base', 'eth_mainnet', 'usdt_eth', 'sol', 'btc'])
      await expect(payBy(sandbox, { rail, amount: '1', to: 'nobody' }), rail).rejects.toThrow(RefusedOrder)
    const mistyped = ready.bitcoinReceiver.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q'))
    await expect(payBy(sandbox, { rail: 'btc', amount: '1', to: mistyped })).rejects.toThrow(RefusedOrder)
    const body = JSON.stringify({ outputs: [{ address: mistyped, sats: 1 }] })
    expect((await fetch(`${ready.bitcoin}/__sandbox/pay`, { method: 'POST', body })).status).toBe(400)
    expect(atomicOf('0.000000000000000001', 18)).toBe(1n)
    await expect(readSandbox(join(dir, 'nowhere'))).rejects.toThrow('./ops/start')
  })

  test('a second start keeps keys and transactions; SIGTERM leaves nothing behind', async () => {
    const before = ready
    const [sol, usdc] = [
      await payBy(sandbox, { rail: 'sol', amount: '0.002' }),
      await payBy(sandbox, { rail: 'usdc_polygon', amount: '0.5' }),
    ]
    expect(await child.stop()).toEqual({ code: 0, signal: null })
    expect(before.pids.filter(isAlive)).toEqual([])
    expect((await stat(join(dir, 'rails/receivers.json'))).mode & 0o777).toBe(0o600)
    await start()
    expect([ready.evmReceiver, ready.solanaReceiver, ready.bitcoinReceiver]).toEqual([
      before.evmReceiver,
      before.solanaReceiver,
      before.bitcoinReceiver,
    ])
    await until('final again', async () => (await rails.find('sol')!.byHash(sol.tx)) !== 'unknown')
    expect(await rails.find('usdc_polygon')!.byHash(usdc.tx)).toMatchObject([{ atomic: 500_000n }])
  })

  test('one chain that ends, ends the process with its last words', async () => {
    process.kill(ready.pids[1]!, 'SIGKILL')
    expect(await child.exited).toEqual({ code: 1, signal: null })
    expect(child.stdout()).toContain('anvil ended (SIGKILL)')
    expect(ready.pids.filter(isAlive)).toEqual([])
  })
})
