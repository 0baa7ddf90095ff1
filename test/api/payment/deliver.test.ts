import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountDigest } from '../../../api/entitlements/credit.ts'
import { digestOfToken, tokenOf } from '../../../api/entitlements/token.ts'
import { type CreditHolder, type CreditLedger, createCreditLedger } from '../../../api/ledger/credits.ts'
import { createFinalityLedger, type FinalityLedger } from '../../../api/ledger/finality.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey, type Claim, type ClaimTerms, type Sale } from '../../../api/ledger/ledger.ts'
import { type DeliverPorts, deliverClaim } from '../../../api/payment/deliver.ts'
import { refundClaim } from '../../../api/payment/refund.ts'
import { isRefund } from '../../../api/payment/refundMark.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { DAY, SECOND } from '../../../ops/units.ts'
import { named, openLedger, somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { newKey } from '../receipts/keys.ts'

const USD = 1_000_000n
const PACK = { sku: 'SKU_AG_CREDITS_02', amountMicroUsdc: 2n * USD }

let redis: TestRedis
let book: ReturnType<typeof openLedger>
let credits: CreditLedger
let finality: FinalityLedger
let ports: DeliverPorts
beforeAll(async () => {
  redis = await startRedis({ appendfsync: 'always' })
  book = openLedger(redis.url)
  credits = createCreditLedger(book.redis)
  finality = createFinalityLedger(book.redis)
  ports = {
    ledger: book.ledger,
    credits,
    finality: { reached: async () => true },
    faultPoint: () => {},
    answers: {
      receiptKey: newKey(),
      secret: Buffer.alloc(32, 9),
      publicUrl: 'http://here.example',
      mode: 'sandbox',
    } as DeliverPorts['answers'],
  }
})
afterAll(async () => {
  book?.close()
  await redis?.stop()
})

let seed = 900
const someHolder = (): CreditHolder => ({ account: accountDigest(`agent-${seed++}`), auth: 'auth-digest' })
async function settledSale(change: Partial<ClaimTerms>) {
  const payment = somePayment(seed)
  const key = authorizationKey(payment)
  const settled = someSettled(seed++)
  await book.ledger.claim(key, 'o', someTerms({ payer: payment.authorization.from, ...change }), payment)
  const settle = () => book.ledger.recordSettled(key, settled, 8453)
  expect(await settle()).toBe('recorded')
  return { key, settled, settle }
}
const claimOf = async (key: string): Promise<Claim> => (await book.ledger.find(key))!
const answer = async (key: string, with_: Partial<DeliverPorts> = {}) => {
  const { body } = await deliverClaim(await claimOf(key), null, { ...ports, ...with_ })
  return JSON.parse(body).result.storeCredit as Record<string, unknown>
}
const dies = (at: string) => ({
  faultPoint: (point: string) => {
    if (point === at) throw new Error(`killed at ${at}`)
  },
})
const lotsOf = async () => (await book.redis.keys('grant:credit:*')).length
const balance = async (holder: CreditHolder) => (await credits.balance(holder))?.balanceMicro ?? null
const freeze = (holder: CreditHolder) =>
  book.redis.hset(`credit:account:${holder.account}`, { frozen: '1', debt: '1' })
/** A ledger that lets something happen between the look at an account and the step that stores the answer. */
const meanwhile = (happens: (nth: number) => Promise<unknown>) => {
  let nth = 0
  const ledger = Object.create(book.ledger)
  ledger.deliver = async (...step: Parameters<typeof book.ledger.deliver>) => {
    await happens(nth++)
    return book.ledger.deliver(...step)
  }
  return { ledger, tries: () => nth }
}

describe('faults 2, I3: credit comes into being in the step that makes the answer deliverable, and in no other', () => {
  test.each(['CP9', 'CP10'])(
    'died at %s, and a reorganisation takes the money: nothing to spend',
    async (at) => {
      const holder = someHolder()
      const { key, settled } = await settledSale({ ...PACK, creditTo: holder })
      const lots = await lotsOf()
      await expect(answer(key, dies(at))).rejects.toThrow(at)
      expect(await finality.gone(key, settled, 8453)).toBe('reopened')
      expect(await book.ledger.recordRefused(key, 'expired', 'void')).toBe('recorded')
      expect([await balance(holder), await lotsOf()]).toEqual([null, lots])
      const spend = await credits.claim(`credit:${key}`, someTerms({ amountMicroUsdc: 1n }), holder)
      expect(spend.outcome).toBe('refused')
    },
  )

  test('neither is a claim code good before its answer is stored', async () => {
    const { key } = await settledSale(PACK)
    const claimCode = tokenOf(ports.answers.secret, 'credit', key)
    const holder = someHolder()
    const opens = () => credits.openLot(digestOfToken(claimCode), holder)
    await expect(answer(key, dies('CP10'))).rejects.toThrow('CP10')
    expect(await opens()).toBe('unknown')
    await answer(key)
    expect([await opens(), await balance(holder)]).toEqual(['opened', 2n * USD])
  })

  test('reorganised, settled again, answered: credited once, however often it is asked for (CRA-07)', async () => {
    const holder = someHolder()
    const { key, settled, settle } = await settledSale({ ...PACK, creditTo: holder })
    await expect(answer(key, dies('CP9'))).rejects.toThrow('CP9')
    await finality.gone(key, settled, 8453)
    await expect(answer(key)).rejects.toThrow()
    expect(await settle()).toBe('recorded')
    const answers = await Promise.all(Array.from({ length: 8 }, () => answer(key)))
    for (const each of answers) expect(each).toMatchObject({ creditUsdc: 2, balanceUsdc: 2 })
    expect(await balance(holder)).toBe(2n * USD)
  })

  test('credit that a former version booked before it died is told as it was booked', async () => {
    const holder = someHolder()
    const { key } = await settledSale({ ...PACK, creditTo: holder })
    await expect(answer(key, dies('CP9'))).rejects.toThrow('CP9')
    let lot = ''
    await answer(key, {
      credits: {
        ...credits,
        look: async (going) => {
          lot = going.lot
          return await credits.deposit(going.lot, going.micro, going.account, going.auth)
        },
      },
    })
    expect(await book.redis.hget(`grant:credit:${lot}`, 'figure')).toBe('2000000')
    expect(await balance(holder)).toBe(2n * USD)
  })
})

test('what was issued is known for 30 days after it has expired: it is told apart from what never was', async () => {
  const { key } = await settledSale({ sku: 'SKU_AG_HOUR_PASS_01', path: '/x402/v1/hour-pass' })
  await deliverClaim(await claimOf(key), null, ports)
  const [row] = await book.redis.keys('grant:pass:*')
  const { expires } = await book.redis.hgetall(row!)
  expect((await book.redis.pexpiretime(row!)) - Number(expires)).toBe(30 * DAY)
})

describe('I6 an answer says what its step did', () => {
  test('the balance moves between look and store: composed again, with the balance that there is then', async () => {
    const holder = someHolder()
    await credits.deposit(`first-${seed}`, USD, holder.account, holder.auth)
    const { key } = await settledSale({ ...PACK, creditTo: holder })
    const moving = meanwhile((nth) =>
      credits.deposit(`more-${key}-${Math.min(nth, 2)}`, 1n, holder.account, holder.auth),
    )
    expect(await answer(key, { ledger: moving.ledger })).toMatchObject({ balanceUsdc: 3.000003 })
    expect([await balance(holder), moving.tries()]).toEqual([3n * USD + 3n, 4])
  })

  test('CRD-08 the balance that it names can be spent then: not what is held for an open purchase', async () => {
    const holder = someHolder()
    await credits.deposit(`held-${seed}`, 3n * USD, holder.account, holder.auth)
    await credits.hold(`open-${seed}`, USD, holder, Date.now() + DAY, named())
    const { key } = await settledSale({ ...PACK, creditTo: holder })
    expect(await answer(key)).toMatchObject({ creditUsdc: 2, balanceUsdc: 4 })
    expect(await credits.balance(holder)).toMatchObject({ balanceMicro: 5n * USD, freeMicro: 4n * USD })
  })

  test('5.4 it names the account of the paying wallet, and no other', async () => {
    const payer = `0x${'Ab'.repeat(20)}`
    const named = await settledSale({ ...PACK, payer, creditTo: someHolder() })
    const other = await answer(named.key)
    expect(other).not.toHaveProperty('account')
    expect(other.spendHint).toContain('x-agent-id: the one of this purchase')
    const account = accountDigest(payer.toLowerCase()) //  in whatever letters the chain writes it
    const own = await settledSale({ ...PACK, payer, creditTo: { account, auth: 'auth-digest' } })
    const { account: told, spendHint } = await answer(own.key)
    expect([told, spendHint]).toEqual([payer, expect.stringContaining(`x-agent-id: ${payer}`)])
  })

  test('it moves all the time: asked again later, nothing is booked', async () => {
    const holder = someHolder()
    const { key } = await settledSale({ ...PACK, creditTo: holder })
    const moving = meanwhile((nth) =>
      credits.deposit(`always-${key}-${nth}`, 1n, holder.account, holder.auth),
    )
    const failed = await answer(key, { ledger: moving.ledger }).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(UnavailableError)
    expect(await balance(holder)).toBe(BigInt(moving.tries()))
    expect(await answer(key)).toMatchObject({ creditUsdc: 2 })
  })

  test('CRD-11 the account is frozen between payment and answer: the credit comes under a claim code, for any other', async () => {
    const holder = someHolder()
    await credits.deposit(`own-${seed}`, USD, holder.account, holder.auth)
    const { key } = await settledSale({ ...PACK, creditTo: holder })
    const { ledger } = meanwhile(() => freeze(holder))
    const { claimCode } = await answer(key, { ledger })
    expect(await balance(holder)).toBe(USD)
    const lot = digestOfToken(String(claimCode))
    expect(await credits.openLot(lot, holder)).toBe('frozen')
    const other = someHolder()
    expect(await credits.openLot(lot, other)).toBe('opened')
    expect(await balance(other)).toBe(2n * USD)
  })
})

test('CHN-02 the money moves to another transaction between composing and storing: asked again, the receipt names that one', async () => {
  const { key } = await settledSale({})
  const there = someSettled(seed++)
  const { ledger } = meanwhile(() => finality.move(key, there, 8453, [{} as Sale, {} as Sale]))
  const failed = await deliverClaim(await claimOf(key), null, { ...ports, ledger }).catch((error) => error)
  expect(failed).toBeInstanceOf(UnavailableError)
  const { body } = await deliverClaim(await claimOf(key), null, ports)
  expect(JSON.parse(body).result.paymentAttestation.payload.transaction).toBe(there.tx)
})

describe('CRA-12, I4 what was paid with credit and cannot be delivered goes back to the account', () => {
  const spent = async (holder: CreditHolder, sku = 'SKU_GONE') => {
    await credits.deposit(`pot-${seed}`, USD, holder.account, holder.auth)
    const key = `credit:spend-${seed++}`
    const terms = someTerms({
      sku,
      purchasePath: 'credit',
      via: 'credit',
      network: 'store-credit',
      paymentHash: holder.account,
      payer: `account:${holder.account.slice(0, 32)}`,
      amountMicroUsdc: 400_000n,
    })
    expect((await credits.claim(key, terms, holder)).outcome).toBe('won')
    return key
  }

  test('what can be delivered is in the journal as paid with store credit', async () => {
    const key = await spent(someHolder(), someTerms().sku)
    await deliverClaim(await claimOf(key), null, ports)
    const [[, fields]] = (await book.redis.xrevrange(KEYS.sales, '+', '-', 'COUNT', 1)) as [
      [string, string[]],
    ]
    expect(JSON.parse(fields[1]!)).toMatchObject({
      rail: 'store_credit',
      purchasePath: 'credit',
      amountMicroUsdc: '400000',
      creditMicroUsdc: '400000',
    })
  })

  test.each([
    ['as it is', async () => {}, 1],
    ['frozen meanwhile, so nothing can be spent (CRD-08)', freeze, 0],
  ])('%s: all of it, once, and no code is needed', async (_, happens, balanceUsdc) => {
    const holder = someHolder()
    const key = await spent(holder)
    await happens(holder)
    await refundClaim(await claimOf(key), ports)
    await refundClaim(await claimOf(key), ports)
    expect(await balance(holder)).toBe(USD)
    const { body } = (await claimOf(key)).answer!
    expect(isRefund(body)).toBe(true)
    expect(JSON.parse(body).result.storeCredit).toMatchObject({ creditUsdc: 0.4, balanceUsdc })
    expect(body).not.toContain('claimCode')
  })
})

describe('SKU_RECEIPT_ORACLE_01 says when it was handed in, not when money moved that was kept for it', () => {
  const ORACLE = {
    sku: 'SKU_RECEIPT_ORACLE_01',
    path: '/x402/v1/receipt-oracle',
    purchasePath: 'legacy' as const,
  }
  const draft = JSON.stringify({
    result: { attestation: { payload: { subject: { sha256: 'ab'.repeat(32) } } } },
    snapshotVersion: null,
  })
  async function statement(blockAgeMs: number) {
    const nowMs = await book.ledger.nowMs()
    const settled = { ...someSettled(seed++), blockMs: nowMs - blockAgeMs }
    const key = `tx:8453:${settled.tx}:log${settled.logIndex}`
    const terms = someTerms({ ...ORACLE, draft, via: 'transfer' })
    expect(await book.ledger.claimTransfer(key, terms, settled, 8453)).toBe('won')
    const claim = await claimOf(key)
    const { body } = await deliverClaim(claim, null, ports)
    const { attestation, paymentAttestation } = JSON.parse(body).result
    return {
      block: new Date(settled.blockMs).toISOString(),
      claimed: new Date(claim.createdMs).toISOString(),
      stated: attestation.payload.issuedAt,
      paid: paymentAttestation.payload.issuedAt,
    }
  }

  test.each([15 * SECOND + 1_000, 31 * DAY])(
    'its transfer is %i ms old: dated by when it was shown',
    async (ageMs) => {
      const { block, claimed, stated, paid } = await statement(ageMs)
      expect([stated, paid]).toEqual([claimed, block])
    },
  )

  test('a block of this moment, as far as clocks agree: dated by it', async () => {
    const { block, stated, paid } = await statement(10 * SECOND)
    expect([stated, paid]).toEqual([block, block])
  })
})

test('I1 the journal says which log of its transaction paid for a sale, and in which mode it was sold', async () => {
  const { key, settled } = await settledSale({
    draft: '{"result":{"ping":{"echo":""}},"snapshotVersion":null}',
  })
  await deliverClaim(await claimOf(key), null, ports)
  const [[, fields]] = (await book.redis.xrevrange(KEYS.sales, '+', '-', 'COUNT', 1)) as [[string, string[]]]
  const { tx, logIndex } = settled
  expect(JSON.parse(fields[1]!)).toMatchObject({ tx, logIndex, mode: 'sandbox' })
})
