import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey, type ClaimTerms } from '../../../api/ledger/ledger.ts'
import type { Payment } from '../../../api/settlement/port.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { sleep, until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

/** What the worker's duties compare was dated by the ledger, so its own clock decides nothing. */
let chain: TestChain
let service: Service
beforeAll(async () => {
  chain = await startTestChain()
  //  no settler, and a facilitator that nobody asks: what is claimed here waits
  service = await startService({ chain, processes: 0, facilitatorUrl: 'http://127.0.0.1:9' })
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

/** Starts a worker whose clock is `ms` ahead. */
async function shift(ms: number): Promise<void> {
  const file = join(service.dir, `clock${ms}.mjs`)
  await writeFile(file, `const now = Date.now\nDate.now = () => now() + ${ms}\n`)
  await service.startWorker({ NODE_OPTIONS: `--import=file://${file}` })
}
async function claimed(payment: Payment, terms: Partial<ClaimTerms> = {}) {
  const key = authorizationKey(payment)
  await service.ledger.ledger.claim(key, 'owner', someTerms(terms), payment)
  return { key, row: KEYS.claim(key) }
}
/** On another chain than the service's, so that ours says nothing of it. */
const elsewhere = (seed: number): Payment => ({ ...somePayment(seed), chainId: 1 })

describe('OPS-14, I4 a minute of a paid sale is a minute of the ledger', () => {
  test('a worker an hour ahead gives back no price at once, since the buyer may still ask for fresh data', async () => {
    const { ledger } = service.ledger
    const result = { ageMs: { a: 0, b: 0 }, maxAgeMs: 1, recorded: false }
    const draft = JSON.stringify({ result, snapshotVersion: 7 })
    const { key } = await claimed(elsewhere(1), { draft, snapshotVersion: 7 })
    await ledger.recordSettled(key, someSettled(1), 1)
    await shift(HOUR)
    const looks = () => service.worker!.stdout().split('a paid claim cannot be answered').length - 1
    const answer = async () => (await ledger.find(key))!.answer
    await until('it was looked at twice', async () => looks() > 1 || (await answer()) !== null)
    expect(await answer()).toBeNull()
  })
})

describe('CHN-03 the grace of a reorganisation is one of the ledger', () => {
  test.each([
    ['a minute', 1, MINUTE],
    ['a day', 2, DAY],
  ])('a worker %s ahead takes nothing back at its first look', async (_, seed, ms) => {
    const payment = somePayment(10 + seed)
    const { key, row } = await claimed({ ...payment, asset: chain.usdc }, { asset: chain.usdc })
    await service.ledger.ledger.recordSettled(key, { ...someSettled(10 + seed), blockNumber: 1n }, 8453)
    await service.ledger.redis.hset(row, 'body', '{}', 'deliveredAt', 1)
    await shift(ms)
    const { redis } = service.ledger
    await until('it is missed', () => redis.hexists(row, 'missing').then((there) => there === 1))
    await sleep(5 * SECOND) //  two more looks
    expect(await redis.hexists(row, 'suspended')).toBe(0)
  })
})

describe('I9 how long a payment waits is told by the ledger’s time', () => {
  test.each([
    ['an hour ahead', 1, HOUR],
    ['an hour behind', 2, -HOUR],
  ])('by a worker %s', async (_, seed, ms) => {
    const { row } = await claimed(elsewhere(20 + seed))
    await service.ledger.redis.hset(row, 'created', (await service.ledger.ledger.nowMs()) - 20 * MINUTE)
    await shift(ms)
    const port = /"operatorPort":(\d+)/.exec(service.worker!.stdout())![1]
    const told = await until('it is told', async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      return Number(/^settling_oldest_seconds\S* (\S+)$/m.exec(text)?.[1]) || null
    })
    expect(told).toBeGreaterThan(1_199)
    expect(told).toBeLessThan(1_260)
  })
})
