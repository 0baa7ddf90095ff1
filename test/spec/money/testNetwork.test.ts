import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BASE_SEPOLIA } from '../../../ops/sandbox/chain/networks.ts'
import { get, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { runMain } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

const PING = '/x402/v1/ping'
let chain: TestChain
let service: Service
let base: string
let dir: string
beforeAll(async () => {
  chain = await startTestChain({ network: BASE_SEPOLIA })
  service = await startService({ chain, processes: 1, env: { CHAIN_ID: '84532' } })
  base = service.bases[0]!
  dir = await mkdtemp(join(tmpdir(), 'microdata-sepolia-'))
  await writeFile(join(dir, 'key'), chain.buyers[0]!.privateKey, { mode: 0o600 })
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
  await rm(dir, { recursive: true, force: true })
})

const received = () => chain.balance(chain.receiver)

describe('ecosystem 4.10, x402-v2 2.1 on Base’s test network, whose USDC has another name', () => {
  test('a 402 names that network and token, for clients of both versions', async () => {
    const offer = await offerOf(base, PING)
    expect(offer).toMatchObject({
      network: 'eip155:84532',
      asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      extra: { name: 'USDC', version: '2' },
    })
    const { json } = await get(`${base}${PING}`)
    expect(json.accepts[0]).toMatchObject({ network: 'base-sepolia', extra: { name: 'USDC', version: '2' } })
  })

  test('the stock client buys', async () => {
    const before = await received()
    const args = [PING, '--base', base, '--key-file', join(dir, 'key'), '--rpc', chain.rpcUrl, '--json']
    const buyer = runMain('ops/purchase/main.ts', { args, env: { DATA_DIR: dir } })
    await buyer.exited
    expect(JSON.parse(buyer.stdout())).toMatchObject({ outcome: 'bought', ok: true })
    expect((await received()) - before).toBe(10_000n)
  })

  test.each([
    ['the other chain', { chainId: 8453 }],
    ['the other name', { name: 'USD Coin' }],
  ])('what was signed for %s buys nothing', async (_, domain) => {
    const before = await received()
    const offer = await offerOf(base, PING)
    const { header } = await payment(offer, chain.buyers[1]!, {}, domain)
    const answer = await get(`${base}${PING}`, paid(header))
    expect([answer.status, answer.json.code]).toEqual([402, 'bad_signature'])
    expect(await received()).toBe(before)
  })

  test('nobody is lent a wallet: that chain gives no money to who asks', async () => {
    expect((await get(`${base}/sandbox/sign`)).status).toBe(404)
    const texts = await Promise.all(
      ['/quickstart', '/skill.md', '/openapi.json'].map((path) => get(`${base}${path}`)),
    )
    for (const { status, text } of texts) {
      expect(status).toBe(200)
      expect(text).not.toMatch(/sandbox\/sign|play money|funded test wallets/)
    }
  })
})
