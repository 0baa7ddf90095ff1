import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountDigest } from '../../../api/entitlements/credit.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { get, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { isAlive, until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

const SPREAD = '/x402/v1/spread'
const PACK = '/x402/v1/credits-2'
const SECRET = 'a-secret-of-the-buyer'

let chain: TestChain
let service: Service
let one: string
let two: string
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain })
  ;[one, two] = service.bases as [string, string]
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

let agents = 0
const freshAgent = () => `agent-${agents++}`
const received = () => chain.balance(chain.receiver)
//  from the second process: the first one may have died
const buy = async (path: string, headers: Record<string, string>) => {
  const { header } = await payment(await offerOf(two, path), chain.buyers[0]!)
  return { header, answer: await get(`${two}${path}`, { ...headers, ...paid(header) }) }
}
const locked = (agent: string, secret = SECRET) => ({
  'x-agent-id': agent,
  'x-service-credit-auth': secret,
})
const funded = async (path = PACK) => {
  const agent = freshAgent()
  const { answer } = await buy(path, locked(agent))
  expect(answer.status, answer.text).toBe(200)
  return agent
}
const spend = (headers: Record<string, string>, path = SPREAD, base = one) => get(`${base}${path}`, headers)

describe('4.1 rule 14 credit packs', () => {
  test.each([
    [PACK, 'SKU_AG_CREDITS_02', '2000000', 2],
    ['/x402/v1/credits-5', 'SKU_AG_CREDITS_05', '5000000', 5],
    ['/x402/v1/credits-10', 'SKU_AG_CREDITS_10', '10000000', 10],
  ])('%s returns storeCredit {creditUsdc, balanceUsdc, spendHint}', async (path, sku, amount, usdc) => {
    expect((await offerOf(one, path)).amount).toBe(amount)
    const { answer } = await buy(path, locked(freshAgent()))
    expect(answer.json).toMatchObject({
      sku,
      result: { storeCredit: { creditUsdc: usdc, balanceUsdc: usdc } },
    })
    expect(answer.json.result.storeCredit.spendHint).toContain('X-Service-Credit-Auth')
    expect(answer.json.result.storeCredit).not.toHaveProperty('claimCode')
    expect(answer.text).not.toContain(SECRET)
  })

  test('a second pack adds to the balance', async () => {
    const agent = await funded()
    const { answer } = await buy('/x402/v1/credits-5', locked(agent))
    expect(answer.json.result.storeCredit).toMatchObject({ creditUsdc: 5, balanceUsdc: 7 })
  })

  test('a read is paid with it: no money moves, a receipt comes along', async () => {
    const agent = await funded()
    const before = await received()
    const answer = await spend(locked(agent))
    expect(answer.status, answer.text).toBe(200)
    expect(answer.json).toMatchObject({
      ok: true,
      protocol: 'store-credit',
      sku: 'SKU_AG_SPREAD_01',
      result: { paymentAttestation: { payload: { amountAtomic: '1000', network: 'store-credit' } } },
    })
    expect(answer.header('payment-response')).toBeNull()
    expect(await received()).toBe(before)
    const id = answer.json.result.paymentAttestation.attestationId
    expect((await get(`${two}/api/receipt-oracle/verify?id=${id}`)).json.valid).toBe(true)
  })
})

describe('5.4 creditSpendAuth', () => {
  test.each([
    ['another secret', locked('AGENT', 'another-secret-xx')],
    ['a short secret', locked('AGENT', 'short')],
    ['a letter outside ASCII', locked('AGENT', SECRET.replace('secret', 'secrét'))],
    ['a secret of a megabyte', locked('AGENT', 'x'.repeat(20_000))],
    ['no agent id', { 'x-service-credit-auth': SECRET }],
  ])('CRD-03 %s: refused, nothing is debited', async (_, headers) => {
    const agent = await funded()
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value === 'AGENT' ? agent : value]),
    )
    const answer = await spend(sent).catch(() => null)
    if (answer !== null) expect([answer.status, answer.json.code]).toEqual([402, 'credit_refused'])
    expect((await spend({ ...locked(agent), 'idempotency-key': 'look' })).status).toBe(200)
    const { answer: more } = await buy(PACK, locked(agent))
    expect(more.json.result.storeCredit.balanceUsdc).toBe(3.999)
  })

  test('CRD-04 bought without a secret: only the claim code opens it, once, with the secret that is then locked', async () => {
    const agent = freshAgent()
    const { answer } = await buy(PACK, { 'x-agent-id': agent })
    const { claimCode, balanceUsdc } = answer.json.result.storeCredit
    expect(balanceUsdc).toBe(2)
    expect((await spend(locked(agent, 'secret-of-a-thief'))).json.code).toBe('credit_refused')
    const code = { 'x-agent-id': agent, 'x-service-claim-code': claimCode }
    const withoutSecret = await spend(code)
    expect([withoutSecret.status, withoutSecret.json.code]).toEqual([402, 'credit_refused'])
    const first = await spend({ ...locked(agent), ...code })
    expect(first.status, first.text).toBe(200)
    expect((await spend(locked(agent))).status).toBe(200)
    expect((await spend({ ...locked(freshAgent()), 'x-service-claim-code': claimCode })).json.code).toBe(
      'credit_refused',
    )
  })

  test('a claim code brought with another secret changes no lock: refused, and the code stays good', async () => {
    const owner = await funded()
    const { answer } = await buy(PACK, { 'x-agent-id': freshAgent() })
    const code = { 'x-service-claim-code': answer.json.result.storeCredit.claimCode }
    const thief = locked(owner, 'secret-of-a-thief')
    const stolen = await spend({ ...thief, ...code })
    expect([stolen.status, stolen.json.code]).toEqual([409, 'credit_auth_mismatch'])
    expect([stolen.header('content-type'), stolen.json.accepts]).toEqual([
      'application/problem+json',
      undefined,
    ])
    expect((await spend(thief)).json.code).toBe('credit_refused')
    expect((await spend(locked(owner))).status).toBe(200)
    expect((await spend({ ...locked(freshAgent()), ...code })).status).toBe(200)
  })

  test('a purchase for an agent id that is locked with another secret is refused before money moves', async () => {
    const agent = await funded()
    const before = await received()
    const { answer } = await buy(PACK, locked(agent, 'another-secret-xx'))
    expect([answer.status, answer.json.code]).toEqual([409, 'credit_auth_mismatch'])
    expect(await received()).toBe(before)
  })

  test('CRD-06 agent ids differ by case; an address is the same in any', async () => {
    const agent = await funded()
    expect((await spend(locked(agent.toUpperCase()))).json.code).toBe('credit_refused')
    const address = chain.buyers[1]!.address
    await buy(PACK, locked(address.toLowerCase()))
    expect((await spend(locked(address))).status).toBe(200)
  })
})

/** Has the first process die at a fault point. It stays dead until the next `dieAt` or `revive`. */
const dieAt = async (point: string, ask: () => Promise<unknown>) => {
  await service.restartApi(0, { FAULT_POINT: `${point}:kill` })
  expect(await ask().catch(() => null)).toBeNull()
  await until('the process is dead', () => !isAlive(service.apis[0]!.pid))
}
const revive = () => service.restartApi(0)

describe('CRD-02, CRA-12 a spend is one debit', () => {
  afterAll(revive)
  test('the same Idempotency-Key: the same bytes, one debit; on another request 409', async () => {
    const agent = await funded()
    const headers = { ...locked(agent), 'idempotency-key': 'k1' }
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, at) => spend(headers, SPREAD, at % 2 ? one : two)),
    )
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await spend(headers, `${SPREAD}?q=fed`)).json.code).toBe('bound_elsewhere')
    const { answer } = await buy(PACK, locked(agent))
    expect(answer.json.result.storeCredit.balanceUsdc).toBe(3.999)
  })

  test('I16 the same key again when its answer is forgotten: another purchase, with a permit and a receipt of its own', async () => {
    const agent = await funded()
    const permit = () => spend({ ...locked(agent), 'idempotency-key': 'daily' }, '/x402/v1/tor-call')
    const first = (await permit()).json.result
    const { transaction } = first.paymentAttestation.payload
    expect(await service.ledger.redis.del(KEYS.claim(transaction))).toBe(1)
    const again = await permit()
    expect(again.header('x-service-credit-balance-usdc')).toBe('1.9')
    const second = again.json.result
    const redeem = ({ token }: { token: string }) =>
      get(`${one}/api/v1/tor-call-permit`, { 'x-service-permit': token })
    for (const { torCallPermit, paymentAttestation } of [first, second]) {
      expect((await redeem(torCallPermit)).status).toBe(200)
      const id = paymentAttestation.attestationId
      expect((await get(`${one}/api/receipt-oracle/verify?id=${id}`)).json).toMatchObject({
        valid: true,
        signature: paymentAttestation.signature,
      })
    }
  })

  test.each(['CP8', 'CP10'])(
    'the process dies at %s after the debit: the same key fetches the answer',
    async (point) => {
      const agent = await funded()
      const headers = { ...locked(agent), 'idempotency-key': 'k1' }
      await dieAt(point, () => spend(headers))
      expect((await spend(headers, SPREAD, two)).status).toBe(200)
      const { answer } = await buy(PACK, locked(agent))
      expect(answer.json.result.storeCredit.balanceUsdc).toBe(3.999)
    },
  )
})

/** Every claim that is settled has its answer: the worker has made those that nobody asked for again. */
const nothingWaits = () =>
  until('the worker has answered', async () => (await service.ledger.redis.zcard('claims:undelivered')) === 0)

describe('CRD-02, I4 without an Idempotency-Key: nobody pays twice for an answer he never got', () => {
  afterAll(revive)
  const PASS = '/x402/v1/hour-pass'
  const balanceOf = async (agent: string) =>
    (await buy(PACK, locked(agent))).answer.json.result.storeCredit.balanceUsdc - 2
  const passes = () => service.ledger.redis.keys('grant:pass:*').then(({ length }) => length)

  test('once answered the same request is another purchase', async () => {
    const agent = await funded()
    const [first, second] = [await spend(locked(agent), PASS), await spend(locked(agent), PASS, two)]
    expect(first.json.result.token).not.toBe(second.json.result.token)
    expect(await balanceOf(agent)).toBe(1)
  })

  test('CRD-01 the same request many times at once: each is a purchase, exactly as many as the credit covers', async () => {
    const ann = await funded()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => spend(locked(ann), PASS, at % 2 ? one : two)),
    )
    const sold = answers.filter(({ status }) => status === 200)
    expect(new Set(sold.map(({ json }) => json.result.token)).size).toBe(4)
    expect([sold.length, answers.filter(({ status }) => status === 402).length]).toEqual([4, 36])
    expect(await balanceOf(ann)).toBe(0)
  })

  test.each(['CP8', 'CP10', 'CP11'])(
    'the process dies at %s after the debit: the same request gets the answer, at once or when the worker has made it',
    async (point) => {
      for (const worker of ['is not asked', 'answers first']) {
        const [agent, stranger] = [await funded(), await funded()]
        const before = await passes()
        await dieAt(point, () => spend(locked(agent), PASS))
        if (worker === 'answers first') await nothingWaits()
        const others = await spend(locked(stranger), PASS, two)
        const again = await spend(locked(agent), PASS, two)
        expect([others.status, again.status], again.text).toEqual([200, 200])
        expect(others.json.result.token).not.toBe(again.json.result.token)
        expect([await balanceOf(agent), (await passes()) - before]).toEqual([1.5, 2])
      }
    },
  )
})

describe('CRD-02, CRA-12, I4 POST /purchase-intent without an Idempotency-Key, and with one', () => {
  afterAll(revive)
  const PING = { sku: 'SKU_AG_PING_01', payload: { echo: 'hello' } }
  const order = async (agent: string, body: object, base = one, headers = {}) => {
    const response = await fetch(`${base}/purchase-intent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...locked(agent), ...headers },
      body: JSON.stringify(body),
    })
    return { status: response.status, json: JSON.parse(await response.text()) }
  }
  const figures = async (agent: string) => {
    const row = `credit:account:${accountDigest(agent)}`
    const figures = await service.ledger.redis.hmget(row, 'balance', 'held')
    return figures.map(Number)
  }
  test.each(['CP8', 'CP10', 'CP11'])(
    'the process dies at %s after the debit: the same POST gets the answer, at once or when the worker has made it',
    async (point) => {
      for (const [worker, headers] of [
        ['is not asked', {}],
        ['answers first', {}],
        ['is not asked', { 'idempotency-key': 'order-17' }],
      ] as const) {
        const agent = await funded()
        await dieAt(point, () => order(agent, PING, one, headers))
        if (worker === 'answers first') await nothingWaits()
        const again = await order(agent, PING, two, headers)
        expect([again.status, again.json.result.ping.echo]).toEqual([200, 'hello'])
        expect(await figures(agent)).toEqual([1_990_000, 0])
        const { payment } = (await order(agent, PING, two)).json
        expect(payment.intentId).not.toBe(again.json.payment.intentId)
        expect(await figures(agent)).toEqual([1_980_000, 0])
      }
    },
  )

  test('CRD-08 credit for a part, the 402 is lost: the same POST holds nothing more', async () => {
    const agent = await funded()
    const dear = { sku: 'SKU_TIP_00', options: { tipUsdc: 3 } }
    await dieAt('CP11', () => order(agent, dear))
    const again = await order(agent, dear, two)
    expect([again.status, again.json.payment.creditUsdc]).toEqual([402, '2'])
    expect(await figures(agent)).toEqual([2_000_000, 2_000_000])
  })
})

describe('CRD-11 an account whose money has left its chain', () => {
  test('is sold nothing and spends nothing, and says why; its buyer is not charged', async () => {
    const agent = await funded()
    await service.ledger.redis.hset(`credit:account:${accountDigest(agent)}`, {
      frozen: '1',
      debt: '2000000',
    })
    const before = await received()
    const { answer } = await buy(PACK, locked(agent))
    expect([answer.status, answer.json.code]).toEqual([409, 'credit_frozen'])
    expect(await received()).toBe(before)
    const spent = await spend(locked(agent))
    expect([spent.status, spent.json.code]).toEqual([409, 'credit_frozen'])
    expect((await spend(locked(agent, 'another-secret-xx'))).json.code).toBe('credit_refused')
  })

  test('opens no claim code: it stays good for another account', async () => {
    const agent = await funded()
    const { answer } = await buy(PACK, { 'x-agent-id': agent })
    const code = { 'x-service-claim-code': answer.json.result.storeCredit.claimCode }
    await service.ledger.redis.hset(`credit:account:${accountDigest(agent)}`, {
      frozen: '1',
      debt: '2000000',
    })
    expect((await spend({ ...locked(agent), ...code })).json.code).toBe('credit_frozen')
    expect((await spend({ ...locked(freshAgent()), ...code })).status).toBe(200)
  })
})

describe('3 store credit carries balanceUsdc', () => {
  const figures = ({ header }: Awaited<ReturnType<typeof get>>) =>
    ['balance', 'held'].map((name) => header(`x-service-credit-${name}-usdc`))

  test('an answer says what is left; sent again it is the same answer, and says what is left by now', async () => {
    const agent = await funded()
    const named = { ...locked(agent), 'idempotency-key': 'one' }
    const first = await spend(named)
    expect(figures(first)).toEqual(['1.999', '0'])
    expect(figures(await spend(locked(agent)))).toEqual(['1.998', '0'])
    const again = await spend(named, SPREAD, two)
    expect([again.text, figures(again)]).toEqual([first.text, ['1.998', '0']])
  })

  test('credit_short says what can be spent and what open purchases hold', async () => {
    const agent = await funded()
    await service.ledger.redis.hset(`credit:account:${accountDigest(agent)}`, 'held', '1999500')
    const short = await spend(locked(agent))
    expect([short.status, short.json.code, ...figures(short)]).toEqual([
      402,
      'credit_short',
      '0.0005',
      '1.9995',
    ])
  })

  test.each([
    ['another secret', 'another-secret-xx'],
    ['a short one', 'short'],
  ])('%s is told nothing', async (_, secret) => {
    const agent = await funded()
    const refused = await spend(locked(agent, secret))
    expect([refused.json.code, ...figures(refused)]).toEqual(['credit_refused', null, null])
    expect(figures(await get(`${one}${SPREAD}`, { 'x-agent-id': agent }))).toEqual([null, null])
  })
})

describe('what credit does not buy', () => {
  test('CRD-10 credit is not sold for credit', async () => {
    const agent = await funded()
    const answer = await spend(locked(agent), PACK)
    expect([answer.status, answer.json.code]).toEqual([402, 'credit_not_covering'])
  })

  test('more than there is: 402, nothing is debited', async () => {
    const agent = await funded()
    expect((await spend(locked(agent), '/x402/v1/hour-pass')).status).toBe(200)
    const dear = await spend(locked(agent), '/x402/v1/hour-pass')
    expect(dear.status).toBe(200)
    await spend(locked(agent), '/x402/v1/hour-pass')
    await spend(locked(agent), '/x402/v1/hour-pass')
    expect((await spend(locked(agent))).json.code).toBe('credit_short')
  })

  test('a refusal costs nothing: bad parameter 400, no data 503', async () => {
    const agent = await funded()
    expect((await spend(locked(agent), '/x402/v1/match')).status).toBe(400)
    expect((await spend(locked(agent), '/x402/v1/bot-fuel')).status).toBe(503)
    const { answer } = await buy(PACK, locked(agent))
    expect(answer.json.result.storeCredit.balanceUsdc).toBe(4)
  })

  test('7. credit that pays for nothing is a 402 before the query is looked at', async () => {
    const [agent, poor] = [await funded(), await funded()]
    await service.ledger.redis.hset(`credit:account:${accountDigest(poor)}`, 'held', '1999500')
    for (const [headers, code] of [
      [locked(agent, 'another-secret-xx'), 'credit_refused'],
      [locked(poor), 'credit_short'],
    ] as const) {
      const answer = await spend(headers, '/x402/v1/match')
      expect([answer.status, answer.json.code]).toEqual([402, code])
    }
  })

  test('a claim code beside a bad parameter: 400, and no secret is locked', async () => {
    const { answer } = await buy(PACK, {})
    const code = { 'x-service-claim-code': answer.json.result.storeCredit.claimCode }
    const agent = freshAgent()
    const unclear = await spend({ ...locked(agent, 'a-secret-not-kept'), ...code }, '/x402/v1/match')
    expect([unclear.status, unclear.json.code]).toEqual([400, 'invalid_parameter'])
    expect((await spend({ ...locked(agent), ...code })).status).toBe(200)
  })

  test('VAL-15 credit and a payment in one request: 400, neither is used', async () => {
    const agent = await funded()
    const { answer } = await buy(SPREAD, locked(agent))
    expect([answer.status, answer.json.code]).toEqual([400, 'two_payments'])
  })

  test.each(['x-payment', 'x-service-pass'])(
    'VAL-15 the secret that a pack is bought for makes no room for a second payment: %s',
    async (second) => {
      const before = await received()
      const { answer } = await buy(PACK, { ...locked(freshAgent()), [second]: '{}' })
      expect([answer.status, answer.json.code]).toEqual([400, 'two_payments'])
      expect(await received()).toBe(before)
    },
  )

  test('CRD-07 the same credit purchase resent: the same bytes, credited once', async () => {
    const agent = freshAgent()
    const { header, answer } = await buy(PACK, locked(agent))
    expect((await get(`${two}${PACK}`, { ...locked(agent), ...paid(header) })).text).toBe(answer.text)
    const more = await buy(PACK, locked(agent))
    expect(more.answer.json.result.storeCredit.balanceUsdc).toBe(4)
  })
})

test('5.4, OPS-05 no secret and no claim code is in the ledger or in any output', async () => {
  const agent = freshAgent()
  const { answer } = await buy(PACK, { 'x-agent-id': agent })
  const { claimCode } = answer.json.result.storeCredit
  const kept: string[] = []
  const { redis } = service.ledger
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key)
    kept.push(
      key,
      type === 'hash'
        ? JSON.stringify(await redis.hgetall(key))
        : type === 'string'
          ? String(await redis.get(key))
          : '',
    )
  }
  const outputs = [...service.apis, service.worker!].map((running) => running.stdout() + running.stderr())
  for (const text of [...kept, ...outputs]) {
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain(claimCode)
  }
})
