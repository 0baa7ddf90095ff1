import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accountDigest } from '../../../api/entitlements/credit.ts'
import { digestOfToken, tokenOf } from '../../../api/entitlements/token.ts'
import { createByHandLedger } from '../../../api/ledger/byHand.ts'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { transferKey } from '../../../api/ledger/ledger.ts'
import { createReferralLedger } from '../../../api/ledger/referrals.ts'
import { createStrayLedger } from '../../../api/ledger/strays.ts'
import { amend as carryOut } from '../../../api/worker/amends/amend.ts'
import { readOrder } from '../../../api/worker/amends/order.ts'
import { classOf, REBUILT } from '../../../api/worker/books/classes.ts'
import { RefusedOrder } from '../../../ops/commandLine.ts'
import { openLedger, someSettled, someTerms } from '../../support/ledger.ts'
import { runMain } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let redis: TestRedis
let book: ReturnType<typeof openLedger>
let folder: string
const secret = Buffer.alloc(32, 5)
beforeAll(async () => {
  redis = await startRedis({ appendfsync: 'always' })
  book = openLedger(redis.url)
  folder = await mkdtemp(join(tmpdir(), 'microdata-amends-'))
  await mkdir(join(folder, 'secrets'))
  await writeFile(join(folder, 'secrets', 'service-secret'), secret)
  const chain = { rpcUrl: 'http://127.0.0.1:9', chainId: 8453, usdc: '', receiver: '' }
  const file = { chain, redis: { ledger: redis.url, pipeline: redis.url } }
  await writeFile(join(folder, 'sandbox.json'), JSON.stringify(file))
})
afterAll(async () => {
  book?.close()
  await redis?.stop()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => book.redis.flushall())

async function amend(...args: string[]) {
  const running = runMain('api/worker/amends/main.ts', { args: [...args, '--data-dir', folder] })
  const { code } = await running.exited
  return { code, out: running.stdout(), err: running.stderr() }
}

const TX = `0x${'ab'.repeat(32)}` as const
const MONEY = `tx:8453:${TX}:log3`
const granting = (operation: string, usd = '0.25', money = MONEY) =>
  amend('--credit', usd, '--money', money, '--operation', operation, '--reason', 'paid from an exchange')
const codeOf = (operation: string) => tokenOf(secret, 'credit', `by-hand|${operation}`)
const somePorts = () => ({
  strays: createStrayLedger(book.redis),
  byHand: createByHandLedger(book.redis),
  referrals: createReferralLedger(book.redis),
  nowMs: 1,
  mode: 'sandbox',
  codeOf,
  digestOf: digestOfToken,
})
const HOLDER = { account: 'account', auth: 'auth' }

describe('I4 money that came and that no path delivers: a person grants credit for it', () => {
  test('once, however often it is ordered: the code opens it, the journal says why, the money buys nothing else', async () => {
    const first = await granting('case-17')
    expect([first.code, first.err]).toEqual([0, ''])
    expect(first.out).toContain(codeOf('case-17'))
    const again = await granting('case-17')
    expect([again.code, again.out.includes(codeOf('case-17'))]).toEqual([0, true])

    const credits = createCreditLedger(book.redis)
    expect(await credits.openLot(digestOfToken(codeOf('case-17')), HOLDER)).toBe('opened')
    expect((await granting('case-17')).code).toBe(0)
    expect(await credits.balance(HOLDER)).toMatchObject({ balanceMicro: 250_000n })

    const entries = await book.redis.xrange(KEYS.sales, '-', '+')
    expect(entries).toHaveLength(1)
    const [[, [kind, text]]] = entries as [[string, [string, string]]]
    expect(kind).toBe('credit')
    expect(JSON.parse(text)).toMatchObject({
      change: 'granted',
      kind: 'by_hand',
      transfers: [MONEY],
      amountMicroUsdc: '250000',
      operation: 'case-17',
      reason: 'paid from an exchange',
    })
    const key = transferKey(8453, TX, 3)
    expect(await book.ledger.claimTransfer(key, someTerms(), { ...someSettled(1), tx: TX }, 8453)).toBe(
      'taken',
    )
    const known = { owner: await book.redis.get(KEYS.spent(key)), claim: null, intentState: null }
    expect(classOf(known, 0, 1)).toBe('refunded')
  })

  test.each([
    ['another sum under the same name', 'case-1', '0.26', MONEY],
    ['other money under the same name', 'case-1', '0.25', MONEY.replace('log3', 'log4')],
    ['the same money under another name', 'case-2', '0.25', MONEY],
  ])('%s is refused, and nothing is granted', async (_, operation, usd, money) => {
    await granting('case-1')
    const said = await granting(operation, usd, money)
    expect([said.code, said.out]).toEqual([2, ''])
    expect(await createByHandLedger(book.redis).granted()).toHaveLength(1)
    expect(await book.redis.xlen(KEYS.sales)).toBe(1)
  })

  test('for another transfer of the same transaction only by somebody who says that both came', async () => {
    const ports = somePorts()
    const grant = async (operation: string, money: string, ...also: readonly string[]) => {
      const words = ['--credit', '0.25', '--money', money, '--operation', operation, '--reason', 'r', ...also]
      return (await carryOut(readOrder(words)!, ports)).code
    }
    expect(await grant('case-17', MONEY)).toBe(0)
    const said = `0.25 USD as case-17 was granted for ${MONEY} of the same transaction`
    for (const other of ['value', 'log33'])
      await expect(grant('case-18', `tx:8453:${TX}:${other}`)).rejects.toThrow(said)
    expect(await grant('case-18', `tx:8453:0x${'cd'.repeat(32)}:log3`)).toBe(0)
    expect(await grant('case-19', `tx:1:${TX}:log3`)).toBe(0)
    const also = ['--also', 'case-17']
    expect(await grant('case-20', `tx:8453:${TX}:log4`, ...also)).toBe(0)
    expect(await grant('case-20', `tx:8453:${TX}:log4`)).toBe(0) //  the same order again
    expect(await grant('case-17', MONEY)).toBe(0)
    const third = `tx:8453:${TX}:log5`
    await expect(grant('case-21', third, ...also)).rejects.toThrow('add --also case-20')
    await expect(grant('case-21', third, '--also', 'case-20')).rejects.toThrow('add --also case-17')
    expect(await grant('case-21', third, ...also, '--also', 'case-20')).toBe(0)
    expect(await ports.byHand.granted()).toHaveLength(5)
  })

  test.each([
    [`tx:8453:${TX}:log1`, `tx:8453:${TX}:log0`],
    [`tx:8453:${TX}:value`, `tx:8453:${TX}:log999`],
    [`solana:${'5'.repeat(64)}:2`, `solana:${'5'.repeat(64)}:0`],
    [`bitcoin:${'ab'.repeat(32)}:0`, `bitcoin:${'ab'.repeat(32)}:1`],
  ])(
    '%s has paid for something: for %s of the same transaction only by somebody who says that both came',
    async (paid, money) => {
      await book.ledger.claimTransfer(paid, someTerms(), { ...someSettled(1), tx: TX }, 8453)
      const order = (...also: string[]) =>
        readOrder([...['--credit', '1', '--operation', 'a', '--reason', 'r', '--money', money], ...also])!
      const ports = somePorts()
      await expect(carryOut(order(), ports)).rejects.toThrow(`then add --also ${paid}`)
      expect(await ports.byHand.granted()).toEqual([])
      expect((await carryOut(order('--also', paid), ports)).code).toBe(0)
      expect((await carryOut(order(), ports)).code).toBe(0) //  the same order again
    },
  )

  test('money that has paid for something is granted for to nobody', async () => {
    await book.ledger.claimTransfer(MONEY, someTerms(), { ...someSettled(1), tx: TX }, 8453)
    expect((await granting('case-3')).err).toContain('has paid for something already')
    expect(await book.redis.exists(KEYS.lot(digestOfToken(codeOf('case-3'))))).toBe(0)
  })

  describe('money that ops/reconcile has booked: --rebuild after a restore, or --book', () => {
    const given = { owner: null, claim: null, intentState: null }
    const order = (operation: string, money: string, ...also: string[]) => {
      const words = ['--credit', '0.25', '--money', money, '--operation', operation, '--reason', 'r']
      return readOrder([...words, ...also.flatMap((one) => ['--also', one])])!
    }
    beforeEach(() => book.redis.set(KEYS.spent(MONEY), REBUILT))

    test('is granted for once, by somebody who says to have seen what it bought before', async () => {
      const ports = somePorts()
      const unseen = carryOut(order('case-17', MONEY), ports)
      await expect(unseen).rejects.toThrow(
        /was booked by ops\/reconcile.*then add --also tx:8453:0x(ab)+:log3$/,
      )
      expect([await ports.byHand.granted(), await book.redis.get(KEYS.spent(MONEY))]).toEqual([[], REBUILT])

      expect((await carryOut(order('case-17', MONEY, MONEY), ports)).text).toContain(codeOf('case-17'))
      const owner = await book.redis.get(KEYS.spent(MONEY))
      expect([owner, classOf({ ...given, owner }, 0, 1)]).toEqual(['hand:case-17', 'refunded'])
      for (const also of [[MONEY], []])
        expect((await carryOut(order('case-17', MONEY, ...also), ports)).text).toContain('was granted before')
      await expect(carryOut(order('case-18', MONEY, MONEY), ports)).rejects.toThrow(
        'paid for something already',
      )
      expect([(await ports.byHand.granted()).length, await book.redis.xlen(KEYS.sales)]).toEqual([1, 1])
    })

    test('has paid for nothing: another transfer of its transaction is granted for without a question', async () => {
      expect((await carryOut(order('case-17', `tx:8453:${TX}:log4`), somePorts())).code).toBe(0)
    })

    test('what has paid for something stays so, whatever --also says', async () => {
      await book.redis.set(KEYS.spent(MONEY), 'tx:forgotten')
      const said = carryOut(order('case-17', MONEY, MONEY), somePorts())
      await expect(said).rejects.toThrow('paid for something already')
      expect(await book.redis.get(KEYS.spent(MONEY))).toBe('tx:forgotten')
    })

    test('many at once grant once', async () => {
      const names = Array.from({ length: 8 }, (_, at) => `case-${at}`)
      const grants = names.map((name) => carryOut(order(name, MONEY, MONEY), somePorts()))
      const said = await Promise.allSettled(grants)
      expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await book.redis.xlen(KEYS.sales)).toBe(1)
    })
  })

  test('many at once grant once', async () => {
    const byHand = createByHandLedger(book.redis)
    const grant = (operation: string) =>
      byHand.grant({ operation, money: MONEY, micro: 5n, reason: 'r', lot: `lot-${operation}` }, 'live', 1)
    const said = await Promise.all(['a', 'a', 'b', 'b', 'c', 'a'].map(grant))
    expect(said.filter((one) => one === 'granted')).toHaveLength(1)
    expect(said.filter((one) => one === 'taken')).toHaveLength(3)
  })
})

describe('card payments that bought nothing', () => {
  const stray = {
    ...({ sessionId: 'cs_1', reference: 'd'.repeat(64), why: 'amount_mismatch', paymentId: 'pi_1' } as const),
    cents: 1_234,
    currency: 'usd',
    sku: 'SKU_TOR_MCP_PRO',
  }

  test('are listed until a person has seen to them; exit code 1 while there are some', async () => {
    expect((await amend()).code).toBe(0)
    await createStrayLedger(book.redis).keepStray(stray, 1_790_000_000_000)
    const listed = await amend()
    expect(listed.code).toBe(1)
    expect(listed.out).toMatch(/amount_mismatch +12\.34 usd +SKU_TOR_MCP_PRO +cs_1 +pi_1/)
    expect((await amend('--done', 'cs_1', '--reason', 'given back')).code).toBe(0)
    expect((await amend('--done', 'cs_1', '--reason', 'given back')).code).toBe(2)
    expect((await amend()).code).toBe(0)
  })

  test.each([
    [249, 'jpy', '249 jpy'],
    [1_234, 'kwd', '1.234 kwd'],
    [1_200, 'usd', '12.00 usd'],
    [500, 'isk', '5.00 isk'], //     no decimals in Iceland, two at the provider
    [1_200_000, 'idr', '12000.00 idr'],
    [249, 'no code', '249 smallest units of no code'],
    [249, null, '249 smallest units of ?'],
    [null, 'usd', '? usd'],
  ])('%j of the provider’s smallest unit in %s are listed as %s', async (cents, currency, text) => {
    const ports = somePorts()
    await ports.strays.keepStray({ ...stray, cents, currency }, 1)
    expect((await carryOut(readOrder([])!, ports)).text).toContain(`  ${text}  ${stray.sku}`)
  })

  test('one that was seen to before is called so, and one that is not in the list is called that', async () => {
    const ports = somePorts()
    await ports.strays.keepStray(stray, 1)
    const done = (id: string) => carryOut(readOrder(['--done', id, '--reason', 'given back'])!, ports)
    expect(await done('cs_1')).toEqual({ text: 'cs_1: seen to\n', code: 0 })
    await expect(done('cs_1')).rejects.toThrow('--done: cs_1 was seen to before: given back')
    await expect(done('cs_2')).rejects.toThrow('--done: cs_2 is not in the list of card payments')
  })

  test('or until credit was granted for them', async () => {
    await createStrayLedger(book.redis).keepStray(stray, 1)
    expect((await granting('case-4', '12.34', 'card:cs_1')).code).toBe(0)
    const listed = await amend()
    expect(listed.code).toBe(0)
    expect(listed.out).toMatch(/12\.34 USD +case-4 +card:cs_1 +not opened/)
    const again = await granting('case-4', '12.34', 'card:cs_1')
    expect([again.code, again.out.includes(codeOf('case-4'))]).toEqual([0, true])
  })

  test('when their money goes back after that they are in the list again, until a person has seen to them', async () => {
    const ports = somePorts()
    const order = (...words: string[]) => carryOut(readOrder([...words, '--reason', 'r'])!, ports)
    const credit = ['--credit', '7.77', '--money', 'card:cs_1', '--operation', 'case-4']
    await ports.strays.keepStray(stray, 1)
    await order(...credit)
    expect(await ports.strays.strayBack('cs_1', 2)).toBe('credited')
    const listed = await carryOut(readOrder([])!, ports)
    expect(listed.code).toBe(1)
    expect(listed.text).toMatch(/credited_and_gone +12\.34 usd +SKU_TOR_MCP_PRO +cs_1 +pi_1/)
    await expect(order(...credit)).rejects.toThrow('--credit: cs_1 went back after credit was granted for it')
    expect((await carryOut(readOrder([])!, ports)).code).toBe(1)
    expect((await order('--done', 'cs_1')).code).toBe(0)
    expect((await carryOut(readOrder([])!, ports)).code).toBe(0)
    await expect(order(...credit)).rejects.toThrow('--credit: cs_1 went back after credit was granted for it')
  })

  test.each([
    ['one that is not in the list: it may have bought what it paid for', false, 'is not in the list'],
    ['one whose money went back', true, 'was seen to before: the money went back'],
  ])('I4 for %s no credit is granted', async (_, isKept, why) => {
    const strays = createStrayLedger(book.redis)
    if (isKept) await strays.keepStray(stray, 1)
    await strays.strayDone('cs_1', 'the money went back', 2)
    const said = await granting('case-5', '12.34', 'card:cs_1')
    expect([said.code, said.out, said.err]).toEqual([2, '', expect.stringContaining(why)])
    expect(await createByHandLedger(book.redis).granted()).toEqual([])
  })

  test('I1 nor for one that has bought what it paid for after all; it is not in the list any more', async () => {
    await createStrayLedger(book.redis).keepStray(stray, 1)
    await book.redis.set(KEYS.spent('card:cs_1'), `card:${stray.reference}`)
    const said = await granting('case-6', '12.34', 'card:cs_1')
    expect([said.code, said.err]).toEqual([2, expect.stringContaining('is not in the list')])
    expect((await amend()).code).toBe(0)
  })
})

describe('ENT-17 earnings of a referral code are paid out once', () => {
  const CODE = `0x${'aB'.repeat(20)}`
  const earned = (micro: number) =>
    book.redis.hset(KEYS.referral(accountDigest(CODE.toLowerCase())), { sales: 3, earned: micro })
  const paying = (operation: string, usd: string, code = CODE) =>
    amend('--referral', code, '--payout', usd, '--operation', operation, '--reason', 'tx 0x12')

  test('what is owed is shown; a payout is booked once, however often it is ordered, and is in the list', async () => {
    await earned(1_250_000)
    const shown = async () => (await amend('--referral', CODE)).out
    expect(await shown()).toBe('sales     3\nearned    1.25 USD\npaid out  0 USD\nowed      1.25 USD\n')
    const first = await paying('may-1', '1')
    expect([first.code, first.out]).toEqual([0, '1 USD booked as paid out; 0.25 USD are owed\n'])
    const again = await paying('may-1', '1')
    expect([again.code, again.out]).toEqual([0, '1 USD was booked before; 0.25 USD are owed\n'])
    expect(await shown()).toBe('sales     3\nearned    1.25 USD\npaid out  1 USD\nowed      0.25 USD\n')
    expect((await amend()).out).toMatch(/paid out:\n {2}\S+ +1 USD +may-1 +tx 0x12\n/)
  })

  test.each([
    ['more than is owed', 'may-2', '0.250001', CODE, 'only 0.25 USD are owed'],
    ['for a code that has earned nothing', 'may-2', '0.000001', 'somebody', 'only 0 USD are owed'],
    ['another sum under the same name', 'may-1', '0.25', CODE, 'booked something else before'],
    ['another code under the same name', 'may-1', '1', 'somebody', 'booked something else before'],
  ])('%s is refused, and nothing is booked', async (_, operation, usd, code, why) => {
    await earned(1_250_000)
    await paying('may-1', '1')
    const said = await paying(operation, usd, code)
    expect([said.code, said.out, said.err]).toEqual([2, '', expect.stringContaining(why)])
    const referrals = createReferralLedger(book.redis)
    expect(await referrals.paidOut()).toHaveLength(1)
    expect((await referrals.earnings(accountDigest(CODE.toLowerCase()))).paidOutMicro).toBe(1_000_000n)
  })

  test('all that is owed can be paid out; when a sale goes back afterwards nothing is owed', async () => {
    await earned(1_250_000)
    const referrals = createReferralLedger(book.redis)
    const code = accountDigest(CODE.toLowerCase())
    const all = { operation: 'all', code, micro: 1_250_000n, reason: 'r' }
    expect(await referrals.payOut(all, 1)).toBe('booked')
    expect((await referrals.earnings(code)).owedMicro).toBe(0n)
    await earned(1_000_000)
    expect(await referrals.earnings(code)).toMatchObject({ owedMicro: 0n, paidOutMicro: 1_250_000n })
    expect(await referrals.payOut({ ...all, operation: 'more', micro: 1n }, 1)).toBe('short')
  })

  test('many at once book no more than is owed', async () => {
    await earned(3)
    const referrals = createReferralLedger(book.redis)
    const code = accountDigest(CODE.toLowerCase())
    const said = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        referrals.payOut({ operation: `p-${at}`, code, micro: 1n, reason: 'r' }, 1),
      ),
    )
    expect(said.filter((one) => one === 'booked')).toHaveLength(3)
    expect(said.filter((one) => one === 'short')).toHaveLength(7)
  })
})

const GOOD = ['--money', MONEY, '--operation', 'a', '--reason', 'r']
test.each([
  [['--credit', '1', '--done', 'cs', '--reason', 'r']],
  [['--done', 'cs']],
  [['--done', 'cs', '--reason', ' ']],
  [['--done', 'cs', '--reason', 'x'.repeat(301)]],
  [['--credit', '0', ...GOOD]],
  [['--credit', '-1', ...GOOD]],
  [['--credit', '1000.000001', ...GOOD]],
  [['--credit', '0.0000001', ...GOOD]],
  [['--credit', '1', ...GOOD.slice(2)]],
  [['--credit', '1', '--money', 'tx:8453:0x12:log1', ...GOOD.slice(2)]],
  [['--credit', '1', '--money', MONEY.toUpperCase(), ...GOOD.slice(2)]],
  [['--credit', '1', '--money', MONEY.replace('log3', 'log03'), ...GOOD.slice(2)]],
  [['--credit', '1', '--money', MONEY.replace('8453', '08453'), ...GOOD.slice(2)]],
  [['--credit', '1', '--money', `bitcoin:${'ab'.repeat(32)}:00`, ...GOOD.slice(2)]],
  [['--credit', '1', '--operation', 'No', '--money', MONEY, '--reason', 'r']],
  [['--operation', 'a']],
  [['--reason', 'r']],
  [['--what']],
  [['--money', MONEY]],
  [['--payout', '1', '--operation', 'a', '--reason', 'r']],
  [['--referral', 'c', '--done', 'cs', '--reason', 'r']],
  [['--referral', 'c', '--money', MONEY]],
  [['--referral', 'c', '--operation', 'a']],
  [['--referral', 'c', '--reason', 'r']],
  [['--referral', 'c', '--payout', '0', '--operation', 'a', '--reason', 'r']],
  [['--referral', 'c', '--payout', '1', '--reason', 'r']],
  [['--referral', 'c', '--payout', '1', '--operation', 'a']],
  [['--referral', '']],
  [['--referral', 'a b']],
])('%j is refused', (args) => expect(() => readOrder(args)).toThrow(RefusedOrder))

test.each([
  ['0.000001', 1n],
  ['1000', 1_000_000_000n],
])('%s USD is granted', (usd, micro) =>
  expect(readOrder(['--credit', usd, ...GOOD])).toMatchObject({ action: 'credit', micro, operation: 'a' }),
)
