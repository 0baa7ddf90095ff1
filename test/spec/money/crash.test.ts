import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountDigest } from '../../../api/entitlements/credit.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { type Answer, get, type Offer, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { isAlive, isStopped, sleep, until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

const PING = '/x402/v1/ping'
const HOUR_PASS = '/x402/v1/hour-pass'
const PACK = '/x402/v1/credits-2'

let chain: TestChain
let service: Service
let offer: Offer
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain })
  offer = await offerOf(service.bases[0]!, PING)
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const received = () => chain.balance(chain.receiver)
const claimKey = (from: string, nonce: string) =>
  `auth:8453:${offer.asset.toLowerCase()}:${from.toLowerCase()}:${nonce}`
/** A request whose server may die under it. */
const attempt = (index: number, header: string): Promise<Answer | null> =>
  get(`${service.bases[index]}${PING}?echo=crash`, paid(header)).catch(() => null)
/** What a buyer does: the same payment again until there is an answer that is not "again later". */
const persist = (index: number, header: string) =>
  until('the same payment is answered', async () => {
    const answer = await attempt(index, header)
    if (answer === null) return null
    if (answer.status === 503 || answer.status === 409) {
      expect(answer.header('retry-after')).not.toBeNull()
      return null
    }
    return answer
  })

describe('3.5 an api process dies at every step', () => {
  const answered: { header: string; text: string; response: string | null }[] = []

  test.each([
    ['CRA-01 CP1', 'after the payment was read'],
    ['CRA-01 CP2', 'after the payment was verified'],
    ['CRA-01 CP3', 'after the answer was computed'],
    ['CRA-02 CP4', 'after the claim'],
    ['CRA-06 CP8', 'after it learned of the settlement'],
    ['CRA-07 CP9', 'before the receipt'],
    ['CRA-08 CP10', 'after the receipt was signed'],
    ['CRA-09 CP11', 'after the answer was stored, before it was sent'],
  ])('%s, %s: the resend is answered once, the money moves once', async (id) => {
    const point = id.split(' ')[1]!
    await service.restartApi(0, { FAULT_POINT: `${point}:kill` })
    const [before, sales] = [await received(), await service.ledger.redis.xlen(KEYS.sales)]
    const { header } = await payment(offer, chain.buyers[0]!)
    expect(await attempt(0, header)).toBeNull()
    await until('the process is dead', () => !isAlive(service.apis[0]!.pid))
    if (id.startsWith('CRA-01')) expect(await received()).toBe(before)

    const answer = await persist(1, header)
    expect(answer.status).toBe(200)
    answered.push({ header, text: answer.text, response: answer.header('payment-response') })
    expect((await received()) - before).toBe(10_000n)
    expect((await service.ledger.redis.xlen(KEYS.sales)) - sales).toBe(1)
  })

  test('and the process in its place gives each of them the same bytes, for no more money', async () => {
    await service.restartApi(0)
    const before = await received()
    expect(answered).toHaveLength(8)
    for (const { header, text, response } of answered) {
      const again = await persist(0, header)
      expect([again.text, again.header('payment-response')]).toEqual([text, response])
    }
    expect(await received()).toBe(before)
  })

  test('CRA-04, RPL-04 all api processes die between settlement and answer, under 64 copies', async () => {
    for (const index of [0, 1]) await service.restartApi(index, { FAULT_POINT: 'CP8:kill' })
    const before = await received()
    const { header } = await payment(offer, chain.buyers[1]!)
    const answers = await Promise.all(Array.from({ length: 64 }, (_, i) => attempt(i % 2, header)))
    expect(answers.every((answer) => answer === null || [503, 409, 200].includes(answer.status))).toBe(true)
    for (const index of [0, 1]) await service.restartApi(index)
    const final = await Promise.all([persist(0, header), persist(1, header)])
    expect(final.map((answer) => answer.status)).toEqual([200, 200])
    expect(final[0]!.text).toBe(final[1]!.text)
    expect((await received()) - before).toBe(10_000n)
  })

  test('CRA-04, DATA-11 with no resend at all the worker answers the claim, from the draft it was made with', async () => {
    await service.restartApi(0, { FAULT_POINT: 'CP4:kill' })
    const { header, signed } = await payment(offer, chain.buyers[1]!)
    expect(await attempt(0, header)).toBeNull()
    await until('the claim is answered without a client', async () => {
      return (await service.ledger.ledger.find(claimKey(signed.from, signed.nonce)))?.answer ?? null
    })
    await service.restartApi(0)
    expect((await persist(0, header)).status).toBe(200)
  })
})

describe('processes come and go under load', () => {
  test('OPS-02 a rolling restart: each is told to stop and replaced; who buys meanwhile is answered, once', async () => {
    const before = await received()
    let isOver = false
    const statuses: number[] = []
    const buyers = chain.buyers.slice(0, 3).map(async (buyer) => {
      for (let at = 0; !isOver; at++) {
        const { header } = await payment(offer, buyer)
        statuses.push((await persist(at % 2, header)).status)
        await sleep(50) //  without it the new processes would start under a flood
      }
    })
    for (const index of [0, 1, 0, 1]) {
      expect(await service.apis[index]!.stop(20_000)).toEqual({ code: 0, signal: null })
      await service.restartApi(index)
    }
    isOver = true
    await Promise.all(buyers)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(statuses.length).toBeGreaterThan(4)
    expect((await received()) - before).toBe(10_000n * BigInt(statuses.length))
  }, 180_000)

  test('CRA-14 a crash loop under load: what was paid is answered, once, also while it goes on; nothing is left when it stops', async () => {
    const [before, sales] = [await received(), await service.ledger.redis.xlen(KEYS.sales)]
    let isOver = false
    const answered: { header: string; text: string; isMeanwhile: boolean }[] = []
    const left: { from: string; nonce: string }[] = []
    const shop = async (buyer: TestChain['buyers'][number]) => {
      for (let at = 0; !isOver; at++) {
        await sleep(150) //  without it the new processes would start under a flood
        const { header, signed } = await payment(offer, buyer)
        if (at % 2 === 0) {
          left.push(signed)
          await attempt((at / 2) % 2, header) //  and never again
          continue
        }
        const answer = await persist((at >> 1) % 2, header)
        expect(answer.status).toBe(200)
        answered.push({ header, text: answer.text, isMeanwhile: !isOver })
      }
    }
    const shopping = [0, 1, 2, 0, 1, 2].map((buyer) => shop(chain.buyers[buyer]!))
    const victims = [() => service.startWorker(), () => service.restartApi(0), () => service.restartApi(1)]
    const claimsLeft = async () => {
      const found = left.map(({ from, nonce }) => service.ledger.ledger.find(claimKey(from, nonce)))
      return (await Promise.all(found)).filter((claim) => claim !== null)
    }
    //  on a slow machine it takes more deaths until something has been sold in between
    const isIdle = async () => answered.length === 0 || (await claimsLeft()).length === 0
    for (let death = 0; death < 5 || (death < 20 && (await isIdle())); death++)
      await Promise.all([victims[death % 3]!(), sleep(2_000)])
    isOver = true
    await Promise.all(shopping)
    const claims = await until('no claim is unanswered', async () => {
      const made = await claimsLeft()
      return made.every(({ answer }) => answer !== null) ? made : null
    })
    expect(answered.filter(({ isMeanwhile }) => isMeanwhile).length).toBeGreaterThan(0)
    expect(claims.length).toBeGreaterThan(0)
    const bought = answered.length + claims.length
    expect((await received()) - before).toBe(10_000n * BigInt(bought))
    expect((await service.ledger.redis.xlen(KEYS.sales)) - sales).toBe(bought)
    for (const { header, text } of answered.slice(-20)) expect((await persist(1, header)).text).toBe(text)
  }, 180_000)

  test('CRA-15 killed amid fifty large texts: what was paid there is redeemed elsewhere, each once', async () => {
    const path = '/x402/v1/spec-lint'
    const text = encodeURIComponent(
      `{"openapi":"3.1.0","paths":{"/a":${'{"a":'.repeat(900)}1${'}'.repeat(901)}}`,
    )
    const lint = await offerOf(service.bases[0]!, path)
    const before = await received()
    const texts = await Promise.all(Array.from({ length: 50 }, () => payment(lint, chain.buyers[3]!)))
    const pings = await Promise.all(Array.from({ length: 5 }, () => payment(offer, chain.buyers[4]!)))
    const asked = [
      ...texts.map(({ header }) =>
        get(`${service.bases[0]}${path}?q=${text}`, paid(header)).catch(() => null),
      ),
      ...pings.map(({ header }) => attempt(0, header)),
    ]
    await until('some are claimed', () => service.ledger.redis.zcard(KEYS.claims.settling))
    await service.apis[0]!.kill()
    const told = await Promise.all(asked)
    expect(told.slice(0, 50)).toContain(null)
    expect(told.slice(50)).toContain(null)
    const answers = await Promise.all([
      ...texts.map(({ header }) =>
        until('redeemed', async () => {
          const answer = await get(`${service.bases[1]}${path}?q=${text}`, paid(header))
          return answer.status === 503 || answer.status === 409 ? null : answer
        }),
      ),
      ...pings.map(({ header }) => persist(1, header)),
    ])
    expect(answers.map(({ status }) => status)).toEqual(Array(55).fill(200))
    expect((await received()) - before).toBe(50n * 1_000n + 5n * 10_000n)
    await service.restartApi(0)
  }, 180_000)
})

describe('the worker and the ledger die', () => {
  test('CRA-05 kill -9 of the worker while claims wait: its successor settles each once', async () => {
    const before = await received()
    const headers = await Promise.all(Array.from({ length: 12 }, () => payment(offer, chain.buyers[2]!)))
    const asked = headers.map(({ header }, i) => attempt(i % 2, header))
    await service.worker!.kill()
    await service.startWorker()
    await Promise.all(asked)
    const answers = await Promise.all(headers.map(({ header }, i) => persist(i % 2, header)))
    expect(answers.map((answer) => answer.status)).toEqual(Array(12).fill(200))
    expect((await received()) - before).toBe(120_000n)
  })

  test('RPL-05, DATA-01 kill -9 of the ledger: closed meanwhile, the same bytes afterwards', async () => {
    const { header } = await payment(offer, chain.buyers[3]!)
    const first = await persist(0, header)
    const before = await received()
    const other = await payment(offer, chain.buyers[3]!)
    await service.ledgerRedis.kill()
    const closed = await attempt(0, other.header)
    expect([closed?.status, closed?.json.code]).toEqual([503, 'ledger_unavailable'])
    expect((await get(`${service.bases[0]}${PING}`)).status).toBe(402) // the unpaid path needs no store
    await service.ledgerRedis.restart()
    expect((await persist(1, header)).text).toBe(first.text)
    expect((await persist(1, other.header)).status).toBe(200)
    expect((await received()) - before).toBe(10_000n)
  })
})

describe('3.5 the worker dies over an answer that nobody came back for', () => {
  test.each(['CP9', 'CP10'])(
    'CRA-07, CRA-08 at %s: its successor gives it; the credit is booked once',
    async (point) => {
      const agent = `agent-of-${point}`
      const headers = { 'x-agent-id': agent, 'x-service-credit-auth': 'a-secret-of-the-buyer' }
      const pack = await offerOf(service.bases[1]!, PACK)
      const buy = (index: number, header: string) =>
        get(`${service.bases[index]}${PACK}`, { ...headers, ...paid(header) })
      await service.startWorker({ FAULT_POINT: `${point}:kill` })
      await service.restartApi(0, { FAULT_POINT: 'CP8:kill' })
      const [before, sales] = [await received(), await service.ledger.redis.xlen(KEYS.sales)]
      const { header, signed } = await payment(pack, chain.buyers[0]!)
      expect(await buy(0, header).catch(() => null)).toBeNull()
      expect(await service.worker!.exited).toMatchObject({ signal: 'SIGKILL' })
      const account = `credit:account:${accountDigest(agent)}`
      expect(await service.ledger.redis.hget(account, 'balance')).toBeNull()

      await service.startWorker()
      const answered = await until('answered', async () => {
        return (await service.ledger.ledger.find(claimKey(signed.from, signed.nonce)))?.answer
      })
      expect((await buy(1, header)).text).toBe(answered.body)
      expect(await service.ledger.redis.hget(account, 'balance')).toBe('2000000')
      expect((await received()) - before).toBe(2_000_000n)
      expect((await service.ledger.redis.xlen(KEYS.sales)) - sales).toBe(1)
    },
  )
})

describe('3.5 all processes and both stores die at once', () => {
  test.each([
    ['CRA-01', 'CP3'],
    ['CRA-02', 'CP4'],
    ['CRA-06', 'CP8'],
    ['CRA-07', 'CP9'],
    ['CRA-09', 'CP11'],
  ])(
    '%s at %s: the resend is answered once, with one token, for one price',
    async (_, point) => {
      const pass = await offerOf(service.bases[1]!, HOUR_PASS)
      const buy = (index: number, header: string) => get(`${service.bases[index]}${HOUR_PASS}`, paid(header))
      await service.restartApi(0, { FAULT_POINT: `${point}:stop` })
      const [before, sales] = [await received(), await service.ledger.redis.xlen(KEYS.sales)]
      const passes = async () => (await service.ledger.redis.keys('grant:pass:*')).length
      const issued = await passes()
      const { header } = await payment(pass, chain.buyers[4]!)
      const asked = buy(0, header).catch(() => null)
      await until('it stands still there', () => isStopped(service.apis[0]!.pid))
      const { apis, worker, redis, ledgerRedis } = service
      await Promise.all([...apis, worker!, redis, ledgerRedis].map((each) => each.kill()))
      expect(await asked).toBeNull()
      if (point === 'CP3') expect(await received()).toBe(before)

      await Promise.all([redis.restart(), ledgerRedis.restart()])
      await Promise.all([service.startWorker(), service.restartApi(0), service.restartApi(1)])
      const answer = await until('answered', async () => {
        const again = await buy(1, header)
        return again.status === 503 || again.status === 409 ? null : again
      })
      expect(answer.status, answer.text).toBe(200)
      expect((await buy(0, header)).text).toBe(answer.text)
      expect((await received()) - before).toBe(500_000n)
      expect((await service.ledger.redis.xlen(KEYS.sales)) - sales).toBe(1)
      expect((await passes()) - issued).toBe(1)
      const token = answer.json.result.token as string
      expect((await get(`${service.bases[0]}${PING}`, { 'x-service-pass': token })).status).toBe(200)
    },
    180_000,
  )
})
