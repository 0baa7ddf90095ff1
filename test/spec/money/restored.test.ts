import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeFunctionData, erc20Abi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectRedis } from '../../../ops/redis.ts'
import { DAY } from '../../../ops/units.ts'
import { get, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { openLedger, quietLog } from '../../support/ledger.ts'
import { RECONCILE, runMain, until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'
import { transferProof } from '../../support/transferProof.ts'

let chain: TestChain
let service: Service
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1, env: { SETTLE_WAIT_MS: '3000' } })
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const PING = '/x402/v1/ping'
const ping = (headers = {}) => get(`${service.bases[0]}${PING}`, headers)
const buy = async () => {
  const offer = await offerOf(service.bases[0]!, PING)
  return ping(paid((await payment(offer, chain.buyers[0]!)).header))
}
const received = () => chain.balance(chain.receiver)

/** A legacy purchase before its transfer is shown: only chain and buyer know of it, and nothing is in the ledger. */
async function transferred() {
  const { intentId, amountAtomic } = (await ping()).json.payment
  const args = [chain.receiver, BigInt(amountAtomic)] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  const txHash = await chain.send(chain.buyers[1]!, chain.usdc, data)
  const header = await transferProof(chain.buyers[1]!, intentId, txHash)
  return { txHash, show: () => ping(header) }
}

async function reconcile(...args: string[]) {
  const running = runMain(RECONCILE, {
    args: args,
    env: {
      LEDGER_REDIS_URL: service.ledgerRedis.url,
      REDIS_URL: service.redis.url,
      BASE_RPC_URL: chain.rpcUrl,
      USDC_ADDRESS: chain.usdc,
      RECEIVER_ADDRESS: chain.receiver,
    },
  })
  const { code } = await running.exited
  return { code, out: running.stdout(), err: running.stderr() }
}

async function closedAndThenOpen(open: () => Promise<void>): Promise<void> {
  await until('money is closed', async () => (await buy()).status === 503)
  const before = await received()
  const answer = await buy()
  expect([answer.status, answer.json.code]).toEqual([503, 'ledger_unavailable'])
  expect(await received()).toBe(before)
  await open()
  await until('sold again', async () => (await buy()).status === 200)
}

describe('I24, DATA-04 a service that starts after a long time', () => {
  const stopped = async () => {
    await Promise.all([service.worker!.kill(), ...service.apis.map((api) => api.kill())])
  }
  /** Gives both stores the marks that they had a day ago. */
  async function age(): Promise<void> {
    const ledger = openLedger(service.ledgerRedis.url)
    const witness = connectRedis(service.redis.url, { log: quietLog, name: 'test-witness' })
    const [epoch, beat] = [await ledger.redis.get('ledger:epoch'), Date.now() - DAY]
    await ledger.redis.set('ledger:beat', beat)
    await witness.set('witness:ledger', JSON.stringify({ epoch, beat }))
    ledger.close()
    witness.disconnect()
  }
  const start = async () => {
    await chain.clients.node.mine({ blocks: 1 }) //  a chain without new blocks proves nothing
    await service.startWorker()
    await service.restartApi(0)
  }

  test('with all that the chain knows of, it opens by itself', async () => {
    await stopped()
    await age()
    await start()
    await until('sold', async () => (await buy()).status === 200)
  }, 120_000)

  test('restored whole from an older copy it stays closed: what was sold since is not sold again', async () => {
    const kept = join(service.dir, 'copy')
    const data = join(service.ledgerRedis.dir, 'appendonlydir')
    const { show } = await transferred()
    await cp(data, kept, { recursive: true })
    expect((await show()).status).toBe(200)
    expect((await buy()).status).toBe(200)
    await stopped()
    await service.ledgerRedis.kill()
    await rm(data, { recursive: true })
    await cp(kept, data, { recursive: true })
    await service.ledgerRedis.restart()
    await age()
    await start()
    await closedAndThenOpen(async () => {
      const before = await received()
      expect((await show()).status).toBe(503)
      const rebuilt = await reconcile('--rebuild')
      expect(rebuilt.err).toContain('usdc_base: 1 ordinary transfers booked\n')
      await until('it buys nothing', async () => (await show()).json.code === 'bound_elsewhere')
      expect(await received()).toBe(before)
    })
  }, 150_000)
})

describe('DATA-04 a ledger that lost everything, and its operator', () => {
  test('while money is open --rebuild and --open are refused, and who has just paid by a transfer is answered', async () => {
    expect((await buy()).status).toBe(200)
    const { show } = await transferred()
    for (const action of ['--rebuild', '--open']) {
      const refused = await reconcile(action)
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('money is open')])
    }
    expect((await show()).status).toBe(200)
  })

  test('a witness that is not named is not believed to have seen nothing', async () => {
    const running = runMain(RECONCILE, {
      args: ['--rebuild'],
      env: { LEDGER_REDIS_URL: service.ledgerRedis.url, RECEIVER_ADDRESS: chain.receiver },
    })
    expect((await running.exited).code).toBe(2)
    expect(running.stderr()).toContain('REDIS_URL: is missing')
  })

  test('after FLUSHALL nothing moves; after --rebuild it is sold; what was spent before buys nothing, what came meanwhile does', async () => {
    const [spent, forgotten] = [await transferred(), await transferred()]
    expect((await spent.show()).status).toBe(200)
    await service.ledger.redis.flushall()
    await closedAndThenOpen(async () => {
      await chain.clients.node.increaseTime({ seconds: 120 }) //  some time passes before the operator acts
      const meanwhile = await transferred()
      await service.startWorker() //  as its supervisor would when the settler finds its term gone
      const rebuilt = await reconcile('--rebuild')
      expect(rebuilt.code).toBe(1) //  what was lost stays unexplained
      expect(rebuilt.err).toMatch(
        /usdc_base: \d+ ordinary transfers booked, 1 left that came when money was closed/,
      )
      for (const { show } of [spent, forgotten])
        await until('it buys nothing', async () => (await show()).json.code === 'bound_elsewhere')
      expect((await meanwhile.show()).status).toBe(200)
    })
  }, 150_000)

  test('what an operator has looked at is explained by --book', async () => {
    const { txHash, show } = await transferred()
    expect((await reconcile('--json')).out).toContain(txHash)
    expect(await reconcile('--book', txHash)).toMatchObject({
      code: 0,
      out: `${txHash}: 1 transfers booked\n`,
    })
    expect((await reconcile('--json')).out).not.toContain(txHash)
    expect((await show()).json.code).toBe('bound_elsewhere')
    expect((await reconcile('--book', `0x${'00'.repeat(32)}`)).code).toBe(1)
  })
})
