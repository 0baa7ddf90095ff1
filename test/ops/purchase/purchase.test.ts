import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Report } from '../../../ops/purchase/report.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { runMain } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

/** What ./ops/buy starts. */
const BUYER = 'ops/purchase/main.ts'

/** The real command, the real service, a real chain: nothing between them is made up. */
let chain: TestChain
let service: Service
let dir = ''

beforeAll(async () => {
  chain = await startTestChain({ blockTimeS: 1 })
  service = await startService({ chain, processes: 1 })
  dir = await mkdtemp(join(tmpdir(), 'microdata-purchase-'))
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
  await rm(dir, { recursive: true, force: true })
})

async function startBuying(buyer: number, args: string[]) {
  const keyFile = join(dir, `buyer-${buyer}`)
  await writeFile(keyFile, chain.buyers[buyer]!.privateKey, { mode: 0o600 })
  const common = ['--base', service.bases[0]!, '--key-file', keyFile, '--rpc', chain.rpcUrl]
  return runMain(BUYER, { args: [...args, ...common], env: { DATA_DIR: dir } })
}

async function buy(buyer: number, args: string[]): Promise<{ code: number | null; report: Report }> {
  const running = await startBuying(buyer, [...args, '--json'])
  const { code } = await running.exited
  return { code, report: JSON.parse(running.stdout()) as Report }
}

describe('./ops/buy buys from the service with the stock client', () => {
  test('spread: transfer on chain, data, receipt', async () => {
    const before = await chain.balance(chain.receiver)
    const { code, report } = await buy(0, ['/x402/v1/spread', '--q', 'fed rates'])
    expect(report).toMatchObject({ ok: true, outcome: 'bought', message: null })
    expect(code).toBe(0)
    expect((await chain.balance(chain.receiver)) - before).toBe(1_000n)
    expect(report.chain).toMatchObject({
      status: 'confirmed',
      sentBy: chain.accounts.settler.address.toLowerCase(),
      transfer: { from: chain.buyers[0]!.address, to: chain.receiver, valueAtomic: '1000' },
    })
    expect(report.answer).toMatchObject({ result: { spread: { found: true, gapCents: 7 } } })
    expect(report.receipt?.checks.map(({ name }) => name)).toContain('signature')
    expect(report.receipt?.valid).toBe(true)
  })

  test('ping by its SKU', async () => {
    const { report } = await buy(1, ['SKU_AG_PING_01', '--param', 'echo=hello'])
    expect(report.answer).toMatchObject({
      result: { ping: { echo: 'hello', txHash: report.settlement?.transaction } },
    })
    expect(report.signed?.valueUsdc).toBe('0.01')
  })

  test('a bad parameter costs nothing: exit code 3', async () => {
    const before = await chain.balance(chain.buyers[2]!.address)
    const { code, report } = await buy(2, ['/x402/v1/ping', '--param', `echo=${'x'.repeat(257)}`])
    expect(code).toBe(3)
    expect(report.message).toContain('On chain the payment has not been taken')
    expect(await chain.balance(chain.buyers[2]!.address)).toBe(before)
  })

  test('the service dies with kill -9 during the purchase: one payment, one answer', async () => {
    const before = await chain.balance(chain.buyers[3]!.address)
    const running = await startBuying(3, ['/x402/v1/ping'])
    await running.says(/Signed/)
    await service.restartApi(0)
    const { code } = await running.exited
    expect(running.stdout()).toContain('Bought and verified')
    expect(code).toBe(0)
    expect(before - (await chain.balance(chain.buyers[3]!.address))).toBe(10_000n)
  })

  test('an empty wallet is refused: exit code 4', async () => {
    const [{ address }] = chain.buyers.slice(4) as [(typeof chain.buyers)[number]]
    await chain.administer('blacklist', address)
    const { code, report } = await buy(4, ['/x402/v1/ping'])
    expect(code).toBe(4)
    expect(report.attempts).toMatchObject([{ status: 402 }])
  })
})
