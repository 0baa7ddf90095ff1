import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Good, GoodPorts } from '../../../api/goods/good.ts'
import { ping } from '../../../api/goods/ping.ts'
import type { HttpRequest } from '../../../api/http/exchange.ts'
import { RATE_LIMITS } from '../../../api/http/limits.ts'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { KEYS as LEDGER } from '../../../api/ledger/keys.ts'
import { transferKey } from '../../../api/ledger/ledger.ts'
import { OPEN_CLAIMS_MAX } from '../../../api/ledger/redis.ts'
import { createPaymentIds } from '../../../api/payment/extensions/paymentIds.ts'
import { createGate } from '../../../api/payment/gate.ts'
import type { X402Ports } from '../../../api/payment/sale.ts'
import { sellByX402 } from '../../../api/payment/x402.ts'
import { NAMED_MAX_BYTES } from '../../../api/settlement/namedBytes.ts'
import type { AuthorizationFate, PaymentChain, Settled } from '../../../api/settlement/port.ts'
import { realClock } from '../../../ops/clock.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { DAY, SECOND } from '../../../ops/units.ts'
import { freshNonce, headerOf, nowS, payloadOf, termsFor } from '../../support/buyer.ts'
import { openLedger, someSettled } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { answers, callOf, soldAs, terms } from './sold.ts'

const PAYER: `0x${string}` = `0x${'77'.repeat(20)}`
const [KEYS, FORGED] = [`0x${'11'.repeat(65)}`, `0x${'22'.repeat(65)}`] as const

/** The newest board: the good sells its version number. */
let board: { version: number; problem?: 'no_data' }
const good: Good<unknown> = {
  ...ping,
  answer: () =>
    board.problem === undefined
      ? { result: { board: board.version }, snapshotVersion: board.version }
      : { problem: board.problem },
}
const sold = soldAs(good)
const call = callOf()

let redis: TestRedis
let book: ReturnType<typeof openLedger>
let ports: X402Ports
/** Runs while the payment settles. @returns false if nobody learns how it ended. */
let settling: () => boolean
let isDeep: boolean
let settlements = 0
beforeAll(async () => {
  redis = await startRedis({ appendfsync: 'always' })
  book = openLedger(redis.url)
  ports = {
    ledger: book.ledger,
    credits: createCreditLedger(book.redis),
    clock: realClock,
    paymentClock: realClock,
    chainId: 8453,
    paymentIds: createPaymentIds(book.redis, { answerTtlMs: DAY }),
    //  the payer's key signs KEYS; any other signature needs a wallet's confirmation, and does not get it
    classify: (_, signature) => ({
      signature: signature as typeof KEYS,
      signer: signature === KEYS ? 'ecdsa' : 'contract',
    }),
    settlement: {
      via: 'self',
      refuse: async ({ signer }) => (signer === 'ecdsa' ? null : 'bad_signature'),
      settle: async ({ key }) => {
        if (!settling()) return null
        await book.ledger.recordSettled(key, someSettled(++settlements), 8453)
        return await book.ledger.find(key)
      },
    },
    finality: { reached: async () => isDeep },
    chain: {} as PaymentChain,
    goods: {} as GoodPorts,
    settleWaitMs: 10,
    answerTtlMs: DAY,
    faultPoint: () => {},
    answers,
  }
})
afterAll(async () => {
  book?.close()
  await redis?.stop()
})
beforeEach(() => {
  board = { version: 7 }
  settling = () => true
  isDeep = true
})

const signed = (id?: string, signature: typeof KEYS | typeof FORGED = KEYS, payer = PAYER) => {
  const offer = { ...sold.offer } as Parameters<typeof termsFor>[0]
  const payload = payloadOf(offer, { ...termsFor(offer, payer), nonce: freshNonce() }, signature)
  const extensions = id === undefined ? {} : { 'payment-identifier': { info: { required: false, id } } }
  return headerOf({ ...payload, extensions })
}
const send = async (header: string) => {
  const { status, body } = await sellByX402(header, call, sold, ports)
  return { status, json: JSON.parse(String(body)) }
}
const told = async (header: string) => {
  const { status, json } = await send(header)
  const { paymentAttestation, board: of } = json.result ?? {}
  return [status, of ?? json.code, paymentAttestation?.payload.snapshotVersion]
}

describe('design 4: what is delivered is the newest data there is when the payment has settled', () => {
  test('a newer board came while it settled: that one, and it is what is stored', async () => {
    settling = () => {
      board = { version: 8 }
      return true
    }
    const header = signed()
    expect(await told(header)).toEqual([200, 8, 8])
    board = { version: 9 }
    expect(await told(header)).toEqual([200, 8, 8])
  })

  test.each([
    ['nothing newer came', { version: 7 }],
    ['an older one came, from an engine that began anew', { version: 6 }],
    ['what there was is gone', { version: 8, problem: 'no_data' as const }],
  ])('%s: what was drafted before any money moved', async (_, later) => {
    settling = () => {
      board = later
      return true
    }
    expect(await told(signed())).toEqual([200, 7, 7])
  })

  test('one who asks again, since it was pending or waits for confirmations, gets what is newest then', async () => {
    settling = () => false
    const header = signed()
    expect(await told(header)).toEqual([503, 'settlement_pending', undefined])
    settling = () => true
    isDeep = false
    const [key] = await book.redis.zrange('claims:settling', '0', '-1')
    await book.ledger.recordSettled(key!, someSettled(++settlements), 8453)
    board = { version: 8 }
    await expect(told(header)).resolves.toEqual([503, 'settlement_pending', undefined])
    isDeep = true
    board = { version: 9 }
    expect(await told(header)).toEqual([200, 9, 9])
  })
})

test('I9 a payment that is pending is named by the newest transaction that may carry it', async () => {
  const [first, bumped] = [`0x${'a1'.repeat(32)}`, `0x${'b2'.repeat(32)}`]
  const settle: X402Ports['settlement']['settle'] = async ({ key }) => {
    await book.redis.hset(LEDGER.claim(key), 'txs', `${first},${bumped}`)
    return await book.ledger.find(key)
  }
  const how = { ...ports, settlement: { ...ports.settlement, settle } }
  const { status, headers } = await sellByX402(signed(), call, sold, how)
  const [, response] = headers.find(([name]) => name === 'payment-response') ?? []
  const { success, transaction } = JSON.parse(Buffer.from(response!, 'base64').toString())
  expect([status, success, transaction]).toEqual([503, false, bumped])
})

test('a receipt is kept for 400 days; what names its purchase longer than the answer, so that nobody pays it twice', async () => {
  await book.redis.flushall()
  expect((await send(signed('purchase-that-is-kept'))).status).toBe(200)
  const leftMs = async (name: string) => await book.redis.pttl((await book.redis.keys(name))[0]!)
  expect(Math.ceil((await leftMs(LEDGER.attestation('*'))) / DAY)).toBe(400)
  expect(await leftMs('payment-id:*')).toBeGreaterThan(DAY)
})

test('4.2 an id whose payment is pending is bound however long that takes, and then as long as its answer is kept', async () => {
  await book.redis.flushall()
  const id = 'purchase-that-takes-long'
  settling = () => false
  const header = signed(id)
  expect((await send(header)).json.code).toBe('settlement_pending')
  const [row] = (await book.redis.keys('payment-id:*')) as [string]
  expect(await book.redis.pttl(row)).toBe(-1)
  const [key] = (await book.redis.zrange('claims:settling', '0', '-1')) as [string]
  await book.ledger.recordSettled(key, someSettled(++settlements), 8453)
  expect((await send(header)).status).toBe(200)
  const [untilMs, answerUntilMs] = await Promise.all(
    [row, LEDGER.claim(key)].map((of) => book.redis.call('PEXPIRETIME', of)),
  )
  expect(untilMs).toBe(answerUntilMs)
  expect((await send(signed(id))).json.code).toBe('already_paid')
})

describe('4.2 what a payment id is bound to is told to its payer alone', () => {
  test('who only claims to be the payer hears of his signature; the payer of what is paid', async () => {
    const id = 'purchase-of-somebody-1'
    expect((await send(signed(id))).status).toBe(200)
    const forged = await send(signed(id, FORGED))
    expect([forged.status, forged.json.code]).toEqual([402, 'bad_signature'])
    expect(forged.json).not.toHaveProperty('paidBy')
    const again = await send(signed(id))
    expect([again.status, again.json.code]).toEqual([409, 'already_paid'])
  })

  test('an id that a version before this bound has its payer told the same', async () => {
    const id = 'purchase-of-before-1'
    expect((await send(signed(id))).status).toBe(200)
    for (const row of await book.redis.keys('payment-id:*')) await book.redis.hdel(row, 'asks')
    expect((await send(signed(id))).json.code).toBe('already_paid')
  })

  test('what is paid is told before the chain is asked, and when it does not answer', async () => {
    const id = 'purchase-of-somebody-2'
    expect((await send(signed(id))).status).toBe(200)
    const away = () => Promise.reject(new UnavailableError('chain_unavailable', 'away'))
    const settlement = { ...ports.settlement, refuse: away }
    const { status } = await sellByX402(signed(id), call, sold, { ...ports, settlement })
    expect(status).toBe(409)
  })
})

describe('4.2, FAC-14 the price or the receiver changed after a purchase was begun', () => {
  const dearer = soldAs({ ...good, priceMicroUsdc: 2n * good.priceMicroUsdc })
  const elsewhere = { ...sold, offer: { ...sold.offer, payTo: `0x${'99'.repeat(20)}` as const } }
  const signedFor = (of: typeof sold, id: string) => {
    const offer = { ...of.offer } as Parameters<typeof termsFor>[0]
    const payload = payloadOf(offer, { ...termsFor(offer, PAYER), nonce: freshNonce() }, KEYS)
    return headerOf({ ...payload, extensions: { 'payment-identifier': { info: { required: false, id } } } })
  }

  test.each([
    ['price', dearer],
    ['receiver', elsewhere],
  ])('%s: who signs anew under the same payment id is told what has paid', async (what, now) => {
    const id = `purchase-before-the-${what}`
    expect((await send(signed(id))).status).toBe(200)
    const { status, body } = await sellByX402(signedFor(now, id), call, now, ports)
    expect([status, JSON.parse(String(body)).code]).toEqual([409, 'already_paid'])
  })

  test.each([
    ['price', dearer],
    ['receiver', elsewhere],
  ])('%s: a settlement that is taken up again asks for what was claimed', async (_, now) => {
    settling = () => false
    const header = signed()
    expect((await send(header)).json.code).toBe('settlement_pending')
    const [key] = await book.redis.zrange(LEDGER.claims.settling, '-1', '-1')
    await book.redis.hset(`claim:${key}`, 'lease', 1)
    const asked: unknown[] = []
    const settle: X402Ports['settlement']['settle'] = async (job, waitMs) => {
      asked.push([job.offer.amount, job.offer.payTo])
      settling = () => true
      return await ports.settlement.settle(job, waitMs)
    }
    const how = { ...ports, settlement: { ...ports.settlement, settle } }
    expect((await sellByX402(header, call, now, how)).status).toBe(200)
    expect(asked).toEqual([[sold.offer.amount, sold.offer.payTo]])
  })
})

describe('I17 a process that was frozen between the answer and the claim', () => {
  const aged = (ageMs: number) => ({ ageMs: { a: ageMs, b: 0 }, maxAgeMs: 90_000, recorded: false })
  test.each([
    ['too old by then', 30_001, 503, 'stale_data'],
    ['just within its limit by then', 30_000, 200, undefined],
  ])('its data is %s', async (_, ageMs, status, code) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const faultPoint = (at: string) => {
      if (at === 'CP3') vi.setSystemTime(Date.now() + 60_000)
    }
    const market = soldAs({ ...good, answer: () => ({ result: aged(ageMs), snapshotVersion: 1 }) })
    const before = settlements
    const { status: said, body } = await sellByX402(signed(), call, market, { ...ports, faultPoint })
    expect([said, JSON.parse(String(body)).code]).toEqual([status, code])
    expect(settlements - before).toBe(status === 200 ? 1 : 0)
  })
})

describe('RPL-18 a wallet that signs more than it owns opens so many claims at once', () => {
  test('one more waits, unsettled and unclaimed, until another has ended; then the same payment buys', async () => {
    settling = () => false
    const open = Array.from({ length: OPEN_CLAIMS_MAX }, () => signed())
    const answers = await Promise.all(open.map(send))
    expect(new Set(answers.map(({ json }) => json.code))).toEqual(new Set(['settlement_pending']))
    settling = () => true
    const header = signed()
    const before = settlements
    expect(await told(header)).toEqual([429, 'too_many_open', undefined])
    expect(settlements).toBe(before)
    //  open payments go on all the same: the lease of this one has run out
    const [key] = await book.redis.zrange(LEDGER.claims.settling, '0', '0')
    await book.redis.hset(LEDGER.claim(key!), { lease: 1 })
    const answered = await Promise.all(open.map(told))
    expect(answered.filter(([status]) => status === 200)).toHaveLength(1)
    expect(await told(header)).toEqual([200, 7, 7])
  })

  test('one of his that was refused is tried again, also while a facilitator is asked about no new one of his', async () => {
    await book.redis.flushall()
    settling = () => false
    const refused = signed()
    await send(refused)
    const [key] = await book.redis.zrange(LEDGER.claims.settling, '0', '0')
    await book.ledger.recordRefused(key!, 'insufficient_funds', 'refused')
    await Promise.all(Array.from({ length: OPEN_CLAIMS_MAX }, () => send(signed())))
    let asked = 0
    const refuse = async () => {
      asked++
      return null
    }
    const settlement = { ...ports.settlement, via: 'facilitator' as const, refuse }
    const chain = { isUsed: async () => false } as Partial<PaymentChain> as PaymentChain
    const code = async (header: string) => {
      const { body } = await sellByX402(header, call, sold, { ...ports, settlement, chain })
      return JSON.parse(String(body)).code
    }
    expect([await code(signed()), asked]).toEqual(['too_many_open', 0])
    settling = () => true
    expect([await code(refused), asked]).toEqual([undefined, 1])
  })
})

describe('RPL-18 what an address is told about its payments, again and again', () => {
  const { burst } = RATE_LIMITS.refused
  /** A gate that has refused nobody yet. */
  const gate = () =>
    createGate(good, terms, { ...ports, clock: { ...realClock } } as Parameters<typeof createGate>[2])
  const shown = (name: 'payment-signature' | 'x-payment', header: string) =>
    ({
      rawQuery: '',
      address: '192.0.2.1',
      header: (asked) => (asked === name ? header : ''),
      headerCount: (asked) => (asked === name ? 1 : 0),
    }) as HttpRequest
  /** @returns the answers until one says to wait. */
  const flood = async (request: HttpRequest) => {
    const handle = gate()
    const said = new Set<string>()
    for (let sent = 0; sent < 3 * burst && !said.has('429 rate_limited'); sent += 100)
      for (const { status, body } of await Promise.all(Array.from({ length: 100 }, () => handle(request))))
        said.add(`${status} ${JSON.parse(String(body)).code}`)
    return [...said]
  }
  const inVersion1 = (header: string) => {
    const { payload } = JSON.parse(Buffer.from(header, 'base64').toString())
    return headerOf({ x402Version: 1, scheme: 'exact', network: 'base', payload })
  }

  test('too many of his are open: counts, since each costs a look', async () => {
    settling = () => false
    await Promise.all(Array.from({ length: OPEN_CLAIMS_MAX }, () => send(signed())))
    const said = await flood(shown('payment-signature', signed()))
    expect(said).toEqual(['429 too_many_open', '429 rate_limited'])
  })

  test('refused, in version 1 of x402 as in version 2', async () => {
    const header = inVersion1(signed(undefined, FORGED))
    expect(await flood(shown('x-payment', header))).toEqual(['402 bad_signature', '429 rate_limited'])
  })

  test('whoever was told to send the same again is counted by nothing', async () => {
    await book.redis.flushall()
    settling = () => false
    const header = signed()
    expect(await flood(shown('payment-signature', header))).toEqual(['503 settlement_pending'])
    expect(await flood(shown('x-payment', inVersion1(header)))).toEqual(['503 settlement_pending'])
  })
})

test('DNS-11 sixteen slow answers of a wallet are worked out at once, no more: what is signed costs nothing until it is claimed', async () => {
  const slow = Promise.withResolvers<{ problem: 'no_data' }>()
  let answers = 0
  const answer = () => {
    answers++
    return slow.promise
  }
  const slowly = { ...sold, good: { ...good, isSlow: () => true, answer } }
  const ask = async (payer = PAYER) => {
    const { body } = await sellByX402(signed(undefined, KEYS, payer), call, slowly, ports)
    return JSON.parse(String(body)).code
  }
  const all = Array.from({ length: 20 }, () => ask())
  expect(await Promise.race([Promise.all(all.slice(16)), Promise.any(all.slice(0, 16))])).toEqual(
    Array(4).fill('busy'),
  )
  const another = ask(`0x${'78'.repeat(20)}`) //  has its own share
  await expect.poll(() => answers).toBe(17)
  slow.resolve({ problem: 'no_data' })
  expect(await Promise.all([...all.slice(0, 16), another])).toEqual(Array(17).fill('no_data'))
})

describe('I5, RPL-12 a used payment that no claim knows: while answers of its window are kept, none was given', () => {
  const END_S = nowS() - 1_000n
  /** @param afterMs how far the ledger's clock is past the payment's window. */
  async function shown(afterMs: number, change: Partial<ReturnType<typeof termsFor>> = {}) {
    const offer = { ...sold.offer } as Parameters<typeof termsFor>[0]
    const terms = { ...termsFor(offer, PAYER), validBefore: END_S, nonce: freshNonce(), ...change }
    const chain = { isSigned: async () => true, isUsed: async () => true } as Partial<PaymentChain>
    const ledger = { ...book.ledger, nowMs: async () => Number(END_S) * SECOND + afterMs }
    const header = headerOf(payloadOf(offer, terms, KEYS))
    const asked = { ...ports, ledger, chain: chain as PaymentChain }
    return JSON.parse(String((await sellByX402(header, call, sold, asked)).body)).code
  }

  test.each([
    [DAY - 1, 'payer_unproven'],
    [DAY, 'answer_expired'],
  ])('%i ms after it: %s', async (afterMs, code) => expect(await shown(afterMs)).toBe(code))

  test('its payer signs that it is his: it is looked for as far back as answers are kept', async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const offer = { ...sold.offer } as Parameters<typeof termsFor>[0]
    const terms = { ...termsFor(offer, account.address), validBefore: END_S, nonce: freshNonce() }
    const since: number[] = []
    const chain: Partial<PaymentChain> = {
      isSigned: async () => true,
      isUsed: async () => true,
      fate: async (...[, , , sinceMs]) => {
        since.push(sinceMs)
        return { kind: 'cancelled', tx: '0x1' }
      },
    }
    const nowMs = Date.now()
    const asked = { ...ports, paymentClock: { nowMs: () => nowMs }, chain: chain as PaymentChain }
    const message = `${ports.answers.publicUrl} answer of payment ${terms.nonce}`
    const payerSignature = await account.signMessage({ message })
    const header = headerOf(payloadOf(offer, terms, KEYS))
    const { body } = await sellByX402(header, { ...call, payerSignature }, sold, asked)
    expect([JSON.parse(String(body)).code, since]).toEqual(['answer_expired', [nowMs - DAY]])
  })

  test.each([
    ['VAL-04 a unit less', { value: BigInt(sold.offer.amount) - 1n }, 'answer_expired'],
    ['VAL-03 paid to somebody else', { to: `0x${'ef'.repeat(20)}` as const }, 'wrong_recipient'],
  ])('%s: it buys nothing here, whoever proves that it is his', async (_, change, code) =>
    expect(await shown(0, change)).toBe(code),
  )
})

test('I5 submitted by somebody else, and there is no data now: nobody says that nothing was charged; then it is delivered', async () => {
  const offer = { ...sold.offer } as Parameters<typeof termsFor>[0]
  const terms = { ...termsFor(offer, PAYER), nonce: freshNonce() }
  const extensions = { 'payment-identifier': { info: { required: false, id: 'a-name-of-my-own' } } }
  const header = headerOf({ ...payloadOf(offer, terms, KEYS), extensions })
  const used = {
    kind: 'used',
    to: terms.to.toLowerCase(),
    value: terms.value,
    ...someSettled(++settlements),
    blockMs: Date.now(),
  } as AuthorizationFate
  const chain = { isSigned: async () => true, fate: async () => used } as Partial<PaymentChain>
  const settlement = { ...ports.settlement, refuse: async () => 'nonce_used' as const }
  const asked = { ...ports, settlement, chain: chain as PaymentChain }
  const answer = async () => {
    const { status, body } = await sellByX402(header, call, sold, asked)
    return [status, JSON.parse(String(body)).code]
  }
  board = { version: 7, problem: 'no_data' }
  expect(await answer()).toEqual([503, 'settlement_pending'])
  board = { version: 8 }
  //  DATA-06 a paid purchase is finished however full the ledger is, also one with a payment id that its buyer chose
  const [, full] = /^used_memory:(\d+)/m.exec(await book.redis.info('memory'))!
  await book.redis.config('SET', 'maxmemory', full!)
  try {
    expect(await answer()).toEqual([200, undefined])
  } finally {
    await book.redis.config('SET', 'maxmemory', '0')
  }
})

describe('I5 a payment that was refused, and whose window is over', () => {
  /** A payment refused a moment ago, shown again after its window. @param fate of its nonce on chain by then. */
  async function refused(fate: (terms: ReturnType<typeof termsFor>) => AuthorizationFate) {
    const offer = { ...sold.offer } as Parameters<typeof termsFor>[0]
    const terms = { ...termsFor(offer, PAYER), validBefore: nowS() + 6n, nonce: freshNonce() }
    const payload = payloadOf(offer, terms, KEYS)
    settling = () => false
    await send(headerOf(payload))
    const [key] = await book.redis.zrevrange('claims:settling', '0', '0')
    await book.ledger.recordRefused(key!, 'insufficient_funds', 'refused')
    const asks: Parameters<PaymentChain['fate']>[] = []
    const chain: Partial<PaymentChain> = {
      isSigned: async () => true,
      isUsed: async () => true,
      fate: async (...ask) => {
        asks.push(ask)
        return fate(terms)
      },
    }
    const paymentClock = { nowMs: () => Number(terms.validBefore) * SECOND }
    const show = async (rawQuery = '', extra: object = {}) => {
      const header = headerOf({ ...payload, accepted: { ...offer, extra: { ...offer.extra, ...extra } } })
      const asked = { ...ports, paymentClock, chain: chain as PaymentChain }
      const { status, body } = await sellByX402(header, { ...call, rawQuery }, sold, asked)
      return [status, JSON.parse(String(body)).code]
    }
    return { show, asks, claim: async () => (await book.ledger.find(key!))! }
  }
  const cancelled = (): AuthorizationFate => ({ kind: 'cancelled', tx: '0x1' })
  /** Somebody has submitted it meanwhile. */
  const paid = ({ to, value }: ReturnType<typeof termsFor>): AuthorizationFate => ({
    kind: 'used',
    to: to.toLowerCase() as `0x${string}`,
    value,
    ...someSettled(++settlements),
    blockMs: Date.now(),
  })

  test('is looked back at from its claim on; it stays watched, since a block may go again', async () => {
    const { show, asks, claim } = await refused(cancelled)
    const { createdMs } = await claim()
    expect(await show()).toEqual([402, 'nonce_used'])
    expect(asks.map(([, , , sinceMs]) => sinceMs)).toEqual([createdMs])
    expect((await claim()).state).toBe('refused')
  })

  test('RPL-18 its payer chose the transaction: no more of it is read than of a named one', async () => {
    const { show, asks } = await refused(cancelled)
    await show()
    expect(asks.map(([, , , , maxBytes]) => maxBytes)).toEqual([NAMED_MAX_BYTES])
  })

  test('has paid us since: its buyer has his answer', async () => {
    const { show } = await refused(paid)
    expect(await show()).toEqual([200, undefined])
  })

  test.each([
    ['RPL-07 for another question', 'x=1', {}],
    [
      'by who has read it on the chain, and has not the secret of its offer',
      '',
      { redemption: 'a'.repeat(22) },
    ],
  ])(
    'has paid us since, and is shown %s: 409, and the answer waits for its buyer',
    async (_, query, extra) => {
      const { show } = await refused(paid)
      expect(await show(query, extra)).toEqual([409, 'bound_elsewhere'])
      expect(await show()).toEqual([200, undefined])
    },
  )
})

describe('I3, I5 a payment that another request has claimed meanwhile, or long ago', () => {
  const usedBy = (terms: ReturnType<typeof termsFor>, settled: Settled): AuthorizationFate => ({
    kind: 'used',
    to: terms.to.toLowerCase() as `0x${string}`,
    value: terms.value,
    ...settled,
  })
  const fresh = () => {
    const offer = { ...sold.offer } as Parameters<typeof termsFor>[0]
    const terms = { ...termsFor(offer, PAYER), nonce: freshNonce() }
    const payload = payloadOf(offer, terms, KEYS)
    const settled = { ...someSettled(++settlements), blockMs: Date.now() }
    const chain = { isSigned: async () => true, fate: async () => usedBy(terms, settled) }
    return { terms, payload, settled, chain: chain as Partial<PaymentChain> as PaymentChain }
  }
  const answerOf = async (header: string, how: Partial<X402Ports>, of: Partial<typeof sold> = {}) => {
    const { status, body } = await sellByX402(header, call, { ...sold, ...of }, { ...ports, ...how })
    return { status, text: String(body) }
  }

  test('RPL-02 a copy of it that has just paid: its nonce is used by us, so nobody is asked to prove that he is its payer', async () => {
    const dear = { good: { ...good, priceMicroUsdc: 1_000_000n } }
    const { payload, settled, chain } = fresh()
    const header = headerOf(payload)
    let first: Awaited<ReturnType<typeof answerOf>> | undefined
    const settle = async ({ key }: { key: string }) => {
      await book.ledger.recordSettled(key, settled, 8453)
      return await book.ledger.find(key)
    }
    const refuse = async () => {
      first = await answerOf(header, { settlement: { ...ports.settlement, settle } }, dear)
      return 'nonce_used' as const
    }
    const second = await answerOf(header, { settlement: { ...ports.settlement, refuse }, chain }, dear)
    expect(first?.status).toBe(200)
    expect(second).toEqual(first)
  })

  test('RPL-12 answered and forgotten: 410, and no offer to sign another one', async () => {
    const { terms, payload, settled, chain } = fresh()
    await book.redis.set(
      LEDGER.spent(transferKey(8453, settled.tx, settled.logIndex)),
      `auth:8453:${terms.nonce}`,
    )
    const settlement = { ...ports.settlement, refuse: async () => 'nonce_used' as const }
    const { status, text } = await answerOf(headerOf(payload), { settlement, chain })
    expect([status, JSON.parse(text).code]).toEqual([410, 'answer_expired'])
  })

  test('RPL-11 it is being settled: its payer’s word moves no other terms of the same nonce in its place', async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const offer = { ...sold.offer } as Parameters<typeof termsFor>[0]
    const terms = { ...termsFor(offer, account.address), nonce: freshNonce() }
    settling = () => false
    await send(headerOf(payloadOf(offer, terms, KEYS)))
    const [key] = await book.redis.zrevrange(LEDGER.claims.settling, '0', '0')
    await book.redis.hset(LEDGER.claim(key!), 'lease', 1)
    const message = `${ports.answers.publicUrl} answer of payment ${terms.nonce}`
    const payerSignature = await account.signMessage({ message })
    const settle = async () => {
      throw new Error('nothing is settled here')
    }
    const other = headerOf(payloadOf(offer, { ...terms, value: 1n }, KEYS))
    const how = { ...ports, settlement: { ...ports.settlement, settle } }
    const { status, body } = await sellByX402(other, { ...call, payerSignature }, sold, how)
    expect([status, JSON.parse(String(body)).code]).toEqual([409, 'bound_elsewhere'])
  })
})
