import { setTimeout as sleep } from 'node:timers/promises'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RATE_LIMITS } from '../../../api/http/limits.ts'
import { type Answer, get, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { type Service, startService } from '../../support/service.ts'

const PING = '/x402/v1/ping'
const { burst } = RATE_LIMITS.refused

let chain: TestChain
let service: Service
let base: string
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1 })
  base = service.bases[0]!
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})
beforeEach(() => service.restartApi(0)) //  forgets whom it refused

/** A payment of an empty wallet: validly signed, and refused after a look at the chain. */
async function worthless(): Promise<Record<string, string>> {
  const privateKey = generatePrivateKey()
  const empty = { privateKey, address: privateKeyToAccount(privateKey).address }
  return paid((await payment(await offerOf(base, PING), empty)).header)
}

/** A transaction that does not exist, for an intent of ours. */
async function madeUp(): Promise<Record<string, string>> {
  const { intentId } = (await get(`${base}${PING}`)).json.payment
  return {
    'x-payment': JSON.stringify({ intentId, txHash: `0x${'ab'.repeat(32)}`, paymentRail: 'usdc_base' }),
  }
}

/** Sends requests until one is told to wait. @returns its answer, and the answers before it. */
async function flood(headers: Record<string, string>): Promise<{ before: Answer[]; limited: Answer }> {
  const before: Answer[] = []
  for (let sent = 0; sent < 3 * burst; sent += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => get(`${base}${PING}`, headers)))
    const limited = answers.find(({ status }) => status === 429)
    before.push(...answers.filter(({ status }) => status !== 429))
    if (limited !== undefined) return { before, limited }
  }
  throw new Error('nobody was told to wait')
}

describe('RPL-18 a limit by address also for what only claims to pay', () => {
  test.each([
    ['authorizations of an empty wallet', worthless, 402],
    ['transactions that nobody has seen', madeUp, 503],
  ] as const)('%s: beyond the published burst 429, and unlooked at', async (_, headers, status) => {
    const { before, limited } = await flood(await headers())
    expect(new Set(before.map((answer) => answer.status))).toEqual(new Set([status]))
    expect(before.length).toBeGreaterThanOrEqual(burst)
    expect(limited.json.code).toBe('rate_limited')
    expect(Number(limited.header('retry-after'))).toBeGreaterThan(0)
  })

  test('meanwhile unpaid calls are answered; a payment buys once it was told to come again, and is charged once', async () => {
    const { limited } = await flood(await worthless())
    const offer = await offerOf(base, PING) // a 402
    const before = await chain.balance(chain.receiver)
    const { header } = await payment(offer, chain.buyers[0]!)
    const answer = await comeAgain(header, Number(limited.header('retry-after')))
    expect(answer.status, answer.text).toBe(200)
    expect((await chain.balance(chain.receiver)) - before).toBe(BigInt(offer.amount))
  })

  test('who pays is counted by nothing: his resends neither', async () => {
    const { header } = await payment(await offerOf(base, PING), chain.buyers[0]!)
    const first = await get(`${base}${PING}`, paid(header))
    expect(first.status, first.text).toBe(200)
    for (let sent = 0; sent < burst + 100; sent += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => get(`${base}${PING}`, paid(header))))
      expect(new Set(answers.map(({ text }) => text))).toEqual(new Set([first.text]))
    }
  })
})

async function comeAgain(header: string, afterS: number): Promise<Answer> {
  for (let tries = 0, waitS = afterS; ; tries++) {
    await sleep(waitS * 1_000)
    const answer = await get(`${base}${PING}`, paid(header))
    if (answer.status !== 429 || tries === 20) return answer
    waitS = Number(answer.header('retry-after'))
  }
}
