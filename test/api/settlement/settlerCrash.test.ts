import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { sleep, until } from '../../support/process.ts'
import { createMemoryLedger, type MemoryLedger } from './memoryLedger.ts'
import { pay } from './payer.ts'
import { type RpcProxy, startRpcProxy } from './rpcProxy.ts'
import { type Fate, type SettlerProcess, startSettlerProcess } from './settlerProcess.ts'

const JOBS = 8
let anvil: TestChain
let proxy: RpcProxy
let ledger: MemoryLedger
let key: Hex
let before: bigint
let lives: SettlerProcess[]

beforeAll(async () => {
  anvil = await startTestChain({ buyers: JOBS })
  proxy = await startRpcProxy(anvil.rpcUrl)
})
afterAll(async () => {
  await proxy?.close()
  await anvil?.stop()
})
beforeEach(async () => {
  lives = []
  key = generatePrivateKey()
  ledger = createMemoryLedger()
  proxy.treat(() => 'pass')
  await anvil.clients.node.setBalance({ address: privateKeyToAddress(key), value: 10n ** 18n })
  await anvil.clients.node.setAutomine(true)
  before = await anvil.balance(anvil.receiver)
  for (let index = 0; index < JOBS; index++)
    ledger.add(`k${index}`, await pay(anvil.buyers[index]!, anvil.receiver))
})
afterEach(async () => {
  await Promise.all(lives.map((life) => life.kill()))
})

function live(fate: (method: string) => Fate = () => 'live'): SettlerProcess {
  const life = startSettlerProcess({ ledger, rpcUrl: proxy.url, key, fate })
  lives.push(life)
  return life
}

const nth = (method: string, n: number, doom: Fate) => {
  let seen = 0
  return (called: string): Fate => (called === method && ++seen === n ? doom : 'live')
}

/** What must hold after any crash: each payment settled once and written down with its own log; money moved once. */
async function expectAllSettledOnce(): Promise<void> {
  await ledger.quiet(40_000)
  const rows = Array.from({ length: JOBS }, (_, index) => ledger.row(`k${index}`))
  expect(rows.every(({ settled, refused }) => settled !== null && refused === null)).toBe(true)
  expect(new Set(rows.map(({ settled }) => `${settled!.tx}:${settled!.logIndex}`)).size).toBe(JOBS)
  expect(await anvil.balance(anvil.receiver)).toBe(before + BigInt(JOBS) * 10_000n)
  for (const event of ledger.events)
    if (event.kind === 'settled')
      expect(ledger.events.some((one) => one.kind === 'broadcast' && one.tx === event.tx)).toBe(true)
}

describe('kill -9 of the settler, and a new life', () => {
  test.each<[string, string, number, Fate]>([
    ['before it has read a job', 'pending', 1, 'die before'],
    ['before a transaction is written down', 'recordBroadcast', 1, 'die before'],
    ['CP5: between writing it down and sending it', 'recordBroadcast', 1, 'die after'],
    ['CP7: between the receipt and the first settlement written', 'recordSettled', 1, 'die before'],
    ['in the middle of writing settlements', 'recordSettled', JOBS / 2, 'die after'],
    ['after the last settlement', 'recordSettled', JOBS, 'die after'],
  ])('%s', async (_, method, n, doom) => {
    await live(nth(method, n, doom)).died
    live()
    await expectAllSettledOnce()
  })

  test.each([
    ['CP6: the node has it, the answer is lost, and it is mined after the death', 'lose'],
    ['it dies as it sends', 'cut'],
  ] as const)('%s', async (_, treatment) => {
    await anvil.clients.node.setAutomine(false)
    const first = live()
    proxy.treat(({ method }) => {
      if (method !== 'eth_sendRawTransaction') return 'pass'
      void first.kill()
      return treatment
    })
    await first.died
    await sleep(100)
    proxy.treat(() => 'pass')
    live()
    await until('blocks go on', async () => {
      await anvil.clients.node.mine({ blocks: 1 })
      await sleep(200)
      return ledger.row(`k${JOBS - 1}`).settled !== null
    })
    await expectAllSettledOnce()
  })

  test('CRA-10, CRA-14: twelve deaths in a row, at a different step each time', async () => {
    await anvil.clients.node.setAutomine(false)
    await anvil.clients.node.setIntervalMining({ interval: 1 })
    const methods = ['pending', 'recordBroadcast', 'recordSettled']
    for (let death = 0; death < 12; death++) {
      const doom = nth(methods[death % 3]!, 1 + (death % 4), death % 2 === 0 ? 'die after' : 'die before')
      const life = live(doom)
      await Promise.race([life.died, sleep(1_500)])
      await life.kill()
    }
    live()
    await expectAllSettledOnce()
    await anvil.clients.node.setIntervalMining({ interval: 0 })
  })

  test('CRA-11: two settlers with one key at a time: money moves once', async () => {
    live()
    live()
    await expectAllSettledOnce()
  })
})
