import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startChain } from '../../../ops/sandbox/chain/chain.ts'
import { connectChain } from '../../../ops/sandbox/chain/setup.ts'
import { TOKEN_ABI } from '../../../ops/sandbox/chain/tokenAbi.ts'
import { isAlive, type Running, runMain, until } from '../../support/process.ts'

const Ready = z.object({
  ready: z.literal(true),
  url: z.url(),
  usdc: z.custom<`0x${string}`>(),
  receiver: z.custom<`0x${string}`>(),
  pid: z.int(),
  resumed: z.boolean(),
})

let dir: string
const running: Running[] = []
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-chain-test-'))
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((child) => child.stop()))
  await rm(dir, { recursive: true, force: true })
})

async function start() {
  const child = runMain('ops/sandbox/chain/main.ts', {
    env: { DATA_DIR: dir, CHAIN_BLOCK_TIME_S: '1' },
    ipc: true,
  })
  running.push(child)
  const [line] = await child.says(/^\{"ready":true.*$/m)
  const ready = Ready.parse(JSON.parse(line))
  const { reads, wallet } = connectChain(ready.url)
  const balance = (account: `0x${string}`) =>
    reads.readContract({ address: ready.usdc, abi: TOKEN_ABI, functionName: 'balanceOf', args: [account] })
  const accounts = JSON.parse(await readFile(join(dir, 'chain/accounts.json'), 'utf8')) as {
    buyers: { address: `0x${string}`; privateKey: `0x${string}` }[]
  }
  const pay = async (amount: bigint) => {
    const hash = await wallet.sendTransaction({
      account: privateKeyToAccount(accounts.buyers[0]!.privateKey),
      to: ready.usdc,
      data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args: [ready.receiver, amount] }),
    })
    return reads.waitForTransactionReceipt({ hash, timeout: 20_000 })
  }
  return { child, ready, reads, balance, accounts, pay }
}

describe('design 2: a second start continues the chain', () => {
  test('balances, keys, logs and block numbers are there again after SIGTERM', async () => {
    const one = await start()
    expect(one.ready.resumed).toBe(false)
    expect(await one.balance(one.accounts.buyers[0]!.address)).toBe(1_000_000_000n)
    const { blockNumber, transactionHash } = await one.pay(7_000n)
    expect(await one.child.stop()).toEqual({ code: 0, signal: null })
    expect(isAlive(one.ready.pid)).toBe(false)

    const two = await start()
    expect(two.ready.resumed).toBe(true)
    expect(two.accounts).toEqual(one.accounts)
    expect(await two.balance(two.ready.receiver)).toBe(7_000n)
    expect(await two.reads.getBlockNumber()).toBeGreaterThanOrEqual(blockNumber)
    expect((await two.reads.getTransactionReceipt({ hash: transactionHash })).logs).toHaveLength(1)
    await two.pay(1n)
    expect(await two.balance(two.ready.receiver)).toBe(7_001n)
  })

  test('a payment saved before kill -9 is there again', async () => {
    const one = await start()
    const file = join(dir, 'chain/state.json.gz')
    const before = (await stat(file)).mtimeMs
    await one.pay(5_000n)
    await until('state saved', async () => (await stat(file)).mtimeMs > before)
    process.kill(one.ready.pid, 'SIGKILL')
    await one.child.kill()
    const two = await start()
    expect(await two.balance(two.ready.receiver)).toBe(5_000n)
  })

  test('keys are generated for each data folder and readable by their owner only', async () => {
    const one = await start()
    await one.child.stop()
    for (const name of ['accounts.json', 'settler.key', 'state.json.gz'])
      expect((await stat(join(dir, 'chain', name))).mode & 0o777).toBe(0o600)
    expect((await readdir(join(dir, 'chain'))).filter((name) => name.startsWith('load-'))).toEqual([])
    await rm(join(dir, 'chain'), { recursive: true })
    const two = await start()
    expect(two.accounts.buyers[0]!.address).not.toBe(one.accounts.buyers[0]!.address)
  })
})

describe('nothing is left behind', () => {
  test('anvil ends when the parent of its process goes away', async () => {
    const one = await start()
    one.child.child.disconnect()
    expect(await one.child.exited).toEqual({ code: 0, signal: null })
    expect(isAlive(one.ready.pid)).toBe(false)
  })

  test('the process ends with an error when anvil ends', async () => {
    const one = await start()
    process.kill(one.ready.pid, 'SIGKILL')
    expect(await one.child.exited).toEqual({ code: 1, signal: null })
    expect(one.child.stdout()).toContain('anvil ended (SIGKILL)')
  })
})

test('a chain of somebody else that answers on its port is not taken for its own', async () => {
  const { rpcUrl, stop } = await startChain({ dataDir: null, blockTimeS: 'auto', buyers: 1 })
  try {
    const port = Number(new URL(rpcUrl).port)
    await expect(startChain({ dataDir: dir, blockTimeS: 'auto', port })).rejects.toThrow(/already in use/)
  } finally {
    await stop()
  }
})

describe('a read of the newest block in the moment in which another one comes', () => {
  const GONE = { code: -32602, message: 'BlockOutOfRangeError: block height is 6 but requested was 5' }

  /** A node whose answers come in this order. @returns what reading a balance from it gave, and how often it was asked. */
  async function readFrom(answers: object[]) {
    let asked = 0
    const node = createServer((_, response) => {
      const answer = answers[Math.min(asked++, answers.length - 1)]
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }))
    })
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
    const { reads } = connectChain(`http://127.0.0.1:${(node.address() as AddressInfo).port}`)
    const read = await reads
      .getBalance({ address: `0x${'1'.repeat(40)}` })
      .catch((error: Error) => error.message)
    node.closeAllConnections()
    node.close()
    return { read, asked }
  }

  test('is answered the second time', async () => {
    expect(await readFrom([{ error: GONE }, { result: '0x7' }])).toEqual({ read: 7n, asked: 2 })
  })
  test('is not asked a third time', async () => {
    expect(await readFrom([{ error: GONE }])).toEqual({
      read: expect.stringContaining(GONE.message),
      asked: 2,
    })
  })
  test('what else is refused is not asked again', async () => {
    const error = { code: -32602, message: 'invalid address' }
    expect(await readFrom([{ error }])).toEqual({
      read: expect.stringContaining('invalid address'),
      asked: 1,
    })
  })
})
