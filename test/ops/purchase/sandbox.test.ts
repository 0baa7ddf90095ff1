import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findSandbox, readSandbox } from '../../../ops/purchase/sandbox.ts'
import { freePort } from '../../support/ports.ts'
import { type Seller, startSeller } from './seller.ts'

/** The file as the supervisor writes it (ops/supervise/sandboxFile.ts), with more than a buyer reads. */
const privateKey = generatePrivateKey()
const sandboxFile = (url: string, change: object = {}) =>
  JSON.stringify({
    mode: 'sandbox',
    world: 'generator',
    pid: 1,
    url,
    operator: {},
    chain: { chainId: 8453, rpcUrl: 'http://127.0.0.1:8545', usdc: '0x', receiver: '0x', settler: null },
    buyers: [{ address: privateKeyToAddress(privateKey), privateKey }],
    clickhouse: { url: 'http://127.0.0.1:8123', database: 'microdata', user: 'analyst', password: 'p' },
    journal: { url: 'http://127.0.0.1:8123', database: 'microdata', user: 'default', password: 'p' },
    ...change,
  })

let worlds = ''
let seller: Seller
let silent = ''

async function world(name: string, content: string, writtenS: number): Promise<string> {
  const dir = join(worlds, name)
  await mkdir(dir, { recursive: true })
  await writeFile(join(dir, 'sandbox.json'), content)
  await utimes(join(dir, 'sandbox.json'), writtenS, writtenS)
  return dir
}

beforeAll(async () => {
  worlds = await mkdtemp(join(tmpdir(), 'microdata-worlds-'))
  seller = await startSeller()
  silent = `http://127.0.0.1:${await freePort()}`
})
afterAll(async () => {
  await seller.stop()
  await rm(worlds, { recursive: true, force: true })
})

describe('which sandbox ./ops/buy buys from', () => {
  test('none runs: the message says how to start one', async () => {
    await expect(findSandbox('', join(worlds, 'absent'))).rejects.toThrow('./ops/start')
    await world('stopped', sandboxFile(silent), 9_000)
    await expect(findSandbox('', worlds)).rejects.toThrow('./ops/start')
  })

  test('the newest that runs: not an older one, and not a newer one that has stopped', async () => {
    await world('older', sandboxFile(seller.base), 1_000)
    const newest = await world('newest', sandboxFile(seller.base), 2_000)
    await world('broken', '{', 8_000)
    const found = await findSandbox('', worlds)
    expect(found.dataDir).toBe(newest)
    expect(found.journal.user).toBe('default')
    expect(found.wallet?.account.address).toBe(privateKeyToAddress(privateKey))
  })

  test('a named folder is taken as it is, running or not', async () => {
    const dir = await world('named', sandboxFile(`${silent}/x`), 1)
    expect((await findSandbox(dir, worlds)).url).toBe(silent)
    await expect(findSandbox(join(worlds, 'absent'), worlds)).rejects.toThrow('sandbox.json')
  })

  test('a sandbox on somebody else’s chain has no buyers, and so no wallet', async () => {
    expect(
      (await readSandbox(await world('poor', sandboxFile(seller.base, { buyers: [] }), 1)))?.wallet,
    ).toBeNull()
  })
})
