import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { intentName } from '../../../api/classic/order.ts'
import { digestOfToken } from '../../../api/entitlements/token.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { someGap, someSnapshot } from '../../support/boards.ts'
import { get, nowS, offerOf, paid, payment, type Signed } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { FEED } from '../../support/feed.ts'
import { readSse } from '../../support/feedReaders.ts'
import { until } from '../../support/process.ts'
import { transferData } from '../../support/railWorld.ts'
import { type Service, startService } from '../../support/service.ts'
import { transferProof } from '../../support/transferProof.ts'

const PING = '/x402/v1/ping'
const SPREAD = '/x402/v1/spread'

let chain: TestChain
let service: Service
let wrong: string //  the process whose clock is wrong
let right: string
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain })
  ;[wrong, right] = service.bases as [string, string]
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const received = () => chain.balance(chain.receiver)
/** Environment of a process whose clock is `ms` ahead. */
async function shifted(ms: number): Promise<{ NODE_OPTIONS: string }> {
  const file = join(service.dir, `clock${ms}.mjs`)
  await writeFile(file, `const now = Date.now\nDate.now = () => now() + ${ms}\n`)
  return { NODE_OPTIONS: `--import=file://${file}` }
}
/** Restarts the first process with its clock `ms` ahead. */
const shift = async (ms: number) =>
  service.restartApi(0, { ...(await shifted(ms)), MARKET_MAX_AGE_MS: String(3 * DAY) })
const sign = async (change: Partial<Signed> = {}) => {
  const offer = await offerOf(right, PING)
  return (await payment(offer, chain.buyers[0]!, change)).header
}

test.each([
  ['five seconds behind', -5 * SECOND],
  ['a minute ahead', 60 * SECOND],
])('FAC-17 a clock %s refuses nobody: what the stock client signs is sold', async (_, ms) => {
  await shift(ms)
  const before = await received()
  const answer = await get(`${wrong}${PING}`, paid(await sign({ validAfter: nowS() - 600n })))
  expect(answer.status, answer.text).toBe(200)
  expect((await received()) - before).toBe(10_000n)
})

describe('VAL-10 a clock ten minutes wrong charges nobody without an answer', () => {
  test('ahead: refused without a charge, and a process with the right time sells for the same payment', async () => {
    await shift(10 * MINUTE)
    const before = await received()
    const header = await sign()
    expect((await get(`${wrong}${PING}`, paid(header))).status).toBe(402)
    expect(await received()).toBe(before)
    const sold = await until('sold', async () => {
      const answer = await get(`${right}${PING}`, paid(header))
      return answer.status === 200 ? answer : null
    })
    expect((await get(`${wrong}${PING}`, paid(header))).text).toBe(sold.text)
    expect((await received()) - before).toBe(10_000n)
  })

  describe('behind: the newest block says that it is later', () => {
    beforeAll(async () => {
      await chain.clients.node.mine({ blocks: 1 })
      await shift(-10 * MINUTE)
    })

    test('what is good by the chain’s clock is sold', async () => {
      const before = await received()
      const validAfter = nowS() - 5n
      await chain.clients.node.mine({ blocks: 1 }) //  as a chain does by itself: what it would take is judged by its newest
      const header = await sign({ validAfter })
      const sold = await until('the newest block was looked at', async () => {
        const answer = await get(`${wrong}${PING}`, paid(header))
        return answer.status === 200 ? answer : null
      })
      expect((await get(`${right}${PING}`, paid(header))).text).toBe(sold.text)
      expect((await received()) - before).toBe(10_000n)
    })

    test.each([
      ['has expired', () => ({ validBefore: nowS() - 60n }), 'expired'],
      ['may be used for too long', () => ({ validBefore: nowS() + 15n * 60n }), 'window_too_long'],
    ])('what %s by the chain’s clock is refused', async (_, change, code) => {
      const before = await received()
      const answer = await get(`${wrong}${PING}`, paid(await sign(change())))
      expect([answer.status, answer.json.code]).toEqual([402, code])
      expect(await received()).toBe(before)
    })
  })
})

test('VEN-08 a process that is behind says how old data is by the ledger’s clock', async () => {
  const atMs = Date.now() - 20 * SECOND
  await service.publish(someSnapshot([someGap()], { asOfMs: { a: atMs, b: atMs }, publishedMs: atMs }))
  await shift(-MINUTE)
  const before = await received()
  const offer = await offerOf(right, SPREAD)
  const { header } = await payment(offer, chain.buyers[0]!, { validAfter: nowS() - 600n })
  const sold = await get(`${wrong}${SPREAD}`, paid(header))
  expect(sold.status, sold.text).toBe(200)
  expect(sold.json.result.ageMs.a).toBeGreaterThanOrEqual(20 * SECOND)
  expect((await received()) - before).toBe(1_000n)
})

describe('I17 a process whose clock is behind, or an engine whose clock is ahead, sells nothing that is not of now', () => {
  const spread = async (base: string) => {
    const { header } = await payment(await offerOf(right, SPREAD), chain.buyers[0]!, {
      validAfter: nowS() - 600n,
    })
    const { status, json } = await get(`${base}${SPREAD}`, paid(header))
    return [status, json.code]
  }

  test.each([
    ['ten minutes', 10 * MINUTE],
    ['half a minute', 30 * SECOND],
  ])('%s behind: what is as old as that, and too old, is refused', async (_, ms) => {
    await service.restartApi(0, { ...(await shifted(-ms)), MARKET_MAX_AGE_MS: String(MINUTE) })
    const atMs = Date.now() - ms - 61 * SECOND
    const version = Date.now()
    await service.publish(
      someSnapshot([someGap()], { version, asOfMs: { a: atMs, b: atMs }, publishedMs: atMs }),
    )
    await until('it is refused', async () => (await spread(wrong))[1] === 'stale_data')
  })

  test('an engine that is ahead', async () => {
    await shift(0)
    const publishedMs = Date.now() + 10 * MINUTE
    await service.publish(someSnapshot([someGap()], { version: Date.now(), publishedMs }))
    for (const base of [right, wrong])
      await until('it is refused', async () => (await spread(base))[1] === 'stale_data')
    await service.publish(someSnapshot([someGap()], { version: Date.now() }))
    await until('it is sold again', async () => (await spread(right))[0] === 200)
  })
})

describe('VAL-10, I4 money by transfer: what a process has opened whose clock is ahead is paid for like any other', () => {
  const buyer = () => chain.buyers[2]!
  const transfer = (to: Hex, atomic: string) =>
    chain.send(buyer(), chain.usdc, transferData(to, BigInt(atomic)))
  const post = async (base: string, path: string, body: object) => {
    const own = JSON.stringify({ buyerId: buyer().address, ...body })
    const answer = await fetch(`${base}${path}`, { method: 'POST', body: own })
    return { status: answer.status, json: (await answer.json()) as { payment: Asked; settlement: Standing } }
  }
  type Asked = { intentId: string; receiverAddress: Hex; amountAtomic: string }
  type Standing = { state: string }

  test.each([
    ['twenty seconds', 20 * SECOND],
    ['ten minutes', 10 * MINUTE],
  ])(
    '%s: no transfer is older than the intent that it pays, on the legacy path and the classic one',
    async (_, ms) => {
      await shift(ms)
      const legacy = (await get(`${wrong}${PING}`)).json.payment
      const shown = await transferProof(
        buyer(),
        legacy.intentId,
        await transfer(legacy.payTo, legacy.amountAtomic),
      )
      const classic = (await post(wrong, '/purchase-intent', { sku: 'SKU_AG_PING_01' })).json.payment
      const txHash = await transfer(classic.receiverAddress, classic.amountAtomic)
      for (const base of [wrong, right]) {
        expect((await get(`${base}${PING}`, shown)).status).toBe(200)
        const { status } = await post(base, '/fulfill', { intentId: classic.intentId, txHash })
        expect(status).toBe(200)
      }
    },
  )

  test('a worker an hour ahead ends no purchase before its time', async () => {
    const { redis } = service.ledger
    const open = async () =>
      (await post(right, '/purchase-intent', { sku: 'SKU_AG_PING_01' })).json.payment.intentId
    /** As if it had been opened 46 minutes earlier. */
    const openedBefore = async () => {
      const name = intentName(await open())
      const intent = JSON.parse((await redis.hget(KEYS.intent(name), 'body'))!)
      for (const at of ['createdMs', 'expiresMs', 'graceUntilMs']) intent[at] -= 46 * MINUTE
      await redis.hset(KEYS.intent(name), 'body', JSON.stringify(intent))
      await redis.zadd(KEYS.intents.waiting, intent.graceUntilMs, name)
      return name
    }
    const intentId = await open()
    await service.startWorker(await shifted(HOUR))
    //  the worker ends purchases that are over by every clock; by the second, a full look has begun after its start
    for (let times = 0; times < 2; times++) {
      const over = await openedBefore()
      await until('what is over has ended', async () => {
        const { state } = JSON.parse((await redis.hget(KEYS.intent(over), 'body'))!)
        return state === 'Expired'
      })
    }
    expect((await post(right, '/checkout/settle', { intentId })).json.settlement.state).toBe('New')
  })
})

describe('OPS-14, ENT-06 an hour is an hour of the ledger, whatever a process believes', () => {
  test.each([
    ['a day ahead', DAY],
    ['a day behind', -DAY],
  ])('%s', async (_, ms) => {
    await shift(ms)
    const { header } = await payment(await offerOf(right, '/x402/v1/hour-pass'), chain.buyers[1]!)
    const bought = (await get(`${right}/x402/v1/hour-pass`, paid(header))).json.result
    const pass = { 'x-service-pass': bought.token }
    expect((await get(`${wrong}${PING}`, pass)).json.pass).toEqual({
      callsRemaining: 599,
      expiresAt: bought.expiresAt,
    })
    const row = `grant:pass:${digestOfToken(bought.token)}`
    await service.ledger.redis.hset(row, 'expires', Date.now() - 1)
    expect((await get(`${wrong}${PING}`, pass)).json.code).toBe('pass_expired')
    expect(await service.ledger.redis.hget(row, 'calls')).toBe('599')
  })

  test.each([
    ['a day ahead', DAY],
    ['a day behind', -DAY],
  ])('%s: so is the time of a feed token, polled and streamed', async (_, ms) => {
    await shift(ms)
    const sold = async (name: string, lastsMs: number) => {
      const token = `feed_${name.padStart(43, 'T')}`
      const row = { claim: 'c', sku: 'SKU_AG_ALPHA_7D', expires: Date.now() + lastsMs }
      await service.ledger.redis.hset(`grant:feed:${digestOfToken(token)}`, row)
      return { 'x-service-feed-token': token }
    }
    const poll = async (token: Record<string, string>) => (await get(`${wrong}${FEED}`, token)).json
    const long = await sold('long', 60 * SECOND)
    expect(await until('the feed is read in', async () => (await poll(long)).ok)).toBe(true)

    const short = await sold(`short${Math.sign(ms) + 1}`, 5 * SECOND)
    const sse = await readSse(`${wrong}${FEED}`, short)
    await sse.hears('what is open', (heard) => heard.length > 0)
    await sse.hears('the end', () => sse.ended)
    expect(sse.heard.map(({ event }) => event)).toEqual(['snapshot', 'expired'])
    expect((await poll(short)).code).toBe('feed_token_expired')
  })
})
