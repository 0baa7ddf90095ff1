import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPasses } from '../../../api/entitlements/passes.ts'
import { createCardLedger } from '../../../api/ledger/cards.ts'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { createIntentLedger } from '../../../api/ledger/intents.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey, type Delivery, transferKey } from '../../../api/ledger/ledger.ts'
import { beatLedger, beginLedger } from '../../../api/ledger/marks.ts'
import { createSettlerState } from '../../../api/ledger/settlerState.ts'
import { createStrayLedger } from '../../../api/ledger/strays.ts'
import { createPaymentIds } from '../../../api/payment/extensions/paymentIds.ts'
import { readOpenItems, writeOpenItems } from '../../../api/worker/books/openItems.ts'
import { createProgress } from '../../../api/worker/books/progress.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { lead } from '../../../ops/lead.ts'
import { DAY } from '../../../ops/units.ts'
import { named, openLedger, quietLog, somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { until } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

const KIB = 1024
const CREDIT = { account: 'holder', auth: 'secret' }

let server: TestRedis
let books: ReturnType<typeof openLedger>
let credits: ReturnType<typeof createCreditLedger>
let intents: ReturnType<typeof createIntentLedger>
let cards: ReturnType<typeof createCardLedger>
let strays: ReturnType<typeof createStrayLedger>
beforeAll(async () => {
  server = await startRedis({ appendfsync: 'always' })
  books = openLedger(server.url)
  credits = createCreditLedger(books.redis)
  intents = createIntentLedger(books.redis)
  cards = createCardLedger(books.redis)
  strays = createStrayLedger(books.redis)
  //  made inside the store: sending it would fill buffers too, which are freed while shares are measured
  await books.redis.setrange('ballast', 16 * 1024 * KIB - 1, '0')
})
afterAll(async () => {
  books?.close()
  await server?.stop()
})
beforeEach(async () => {
  await credits.deposit('lot', 1_000_000n, CREDIT.account, CREDIT.auth)
})
afterEach(() => books.redis.config('SET', 'maxmemory', '0'))

/** @param share of its limit that the store has in use from now on; 0: it has no limit. */
async function fill(share: number): Promise<void> {
  const [, used] = /^used_memory:(\d+)/m.exec(await books.redis.info('memory'))!
  await books.redis.config('SET', 'maxmemory', share === 0 ? 0 : Math.round(Number(used) / share))
}

let seeds = 1
function fresh() {
  const payment = somePayment(seeds++)
  return { payment, key: authorizationKey(payment) }
}
const claim = (of = fresh(), hasMoved = false) =>
  books.ledger.claim(of.key, 'owner', someTerms(), of.payment, hasMoved)
const hold = () => credits.hold(`hold ${seeds++}`, 1_000n, CREDIT, 4e12, named())
const open = (intent = `intent ${seeds++}`) =>
  intents.open(intent, '{}', { graceUntilMs: Date.now() + DAY, buyer: 'buyer', amounts: [] })
const spend = () => credits.claim(`credit:${seeds++}`, someTerms({ via: 'credit' }), CREDIT, null)
const room = () => cards.room(`checkout ${seeds++}`, { place: 'place', site: 'site' }, Date.now() + DAY)
const payingId = () => ({ payer: '0x1', id: `id ${seeds++}`, key: 'k', fingerprint: 'f', asks: '' })
const bind = () => createPaymentIds(books.redis, { answerTtlMs: DAY }).bind(payingId())
const STRAY = {
  why: 'checkout_unknown',
  reference: 'r',
  paymentId: 'p',
  cents: 1,
  currency: 'usd',
  sku: '',
} as const
const FULL = { code: 'ledger_full', retryable: true }

describe('DATA-06 the last tenth of the ledger is for what is paid or open', () => {
  describe.each<[string, () => Promise<unknown>]>([
    ['the first claim of a payment', claim],
    ['a purchase intent', open],
    ['credit held for one', hold],
    ['a spend of credit', spend],
    ['a card checkout', room],
    ['the id of a payment that is new', bind],
  ])('%s', (_, begin) => {
    test.each([
      [0, true], //     no limit
      [0.89, true],
      [0.91, false],
      [0.99, false],
      [16, false], //   far beyond: the step itself says no, not the store
    ])('%d full: begins %s', async (share, begins) => {
      await fill(share)
      const keys = await books.redis.dbsize()
      if (begins) await expect(begin()).resolves.not.toBe('full')
      else await expect(begin()).rejects.toMatchObject(FULL)
      if (!begins) expect(await books.redis.dbsize()).toBe(keys)
    })
  })

  test('where there is room again the same payment is claimed', async () => {
    const payment = fresh()
    await fill(0.95)
    await expect(claim(payment)).rejects.toMatchObject(FULL)
    expect(await books.ledger.find(payment.key)).toBeNull()
    await fill(0.5)
    expect(await claim(payment)).toBe('won')
  })
})

describe('CRA-13 a call of a pass with a name', () => {
  const someCalls = async (calls: number) => {
    const digest = `pass ${seeds++}`
    await books.redis.hset(KEYS.grant({ kind: 'pass', digest }), { sku: 'S', expires: 4e12, calls })
    return digest
  }

  test.each([
    [0.89, true],
    [0.91, false],
    [16, false],
  ])('%d full: paid for, and its answer kept: %s', async (share, isKept) => {
    const digest = await someCalls(2)
    await fill(share)
    const passes = createPasses(books.ledger)
    const ask = (answer: string) => passes.answer(digest, `${digest} name`, answer)
    const first = { left: 1, expiresMs: 4e12 }
    expect(await ask('first')).toEqual(isKept ? { answer: 'first', ...first } : first)
    expect(await passes.answered(`${digest} name`)).toEqual(
      isKept ? { answer: 'first', left: 1, expiresMs: 4e12 } : null,
    )
    expect(await ask('second')).toEqual(isKept ? { answer: 'first', ...first } : { ...first, left: 0 })
    expect(await ask('third')).toEqual(isKept ? { answer: 'first', left: 1, expiresMs: 4e12 } : 'used_up')
  })

  test.each([0.89, 0.91])(
    'DATA-02 %d full, and each reply is lost once: one call is taken',
    async (share) => {
      const digest = await someCalls(5)
      await fill(share)
      const losingOnce = <Args extends unknown[], Outcome>(act: (...args: Args) => Promise<Outcome>) => {
        let isLost = false
        return async (...args: Args) => {
          const outcome = await act(...args)
          if (isLost) return outcome
          isLost = true
          throw new UnavailableError('ledger_unavailable', 'the reply is lost')
        }
      }
      const { answerCall, spendCalls } = books.ledger
      const passes = createPasses({
        ...books.ledger,
        answerCall: losingOnce(answerCall),
        spendCalls: losingOnce(spendCalls),
      })
      const call = { answer: 'first', left: 4, expiresMs: 4e12 }
      const { answer: _, ...figures } = call //  nothing is kept in the last tenth
      expect(await passes.answer(digest, `${digest} name`, 'first')).toEqual(share < 0.9 ? call : figures)
      expect((await books.ledger.grant('pass', digest))!.fields.calls).toBe('4')
    },
  )
})

const ANSWER: Delivery = {
  body: JSON.stringify({ text: 'long '.repeat(20_000) }),
  paymentResponse: 'response',
  attestationId: 'a1',
  attestation: '{}',
  sale: { tx: '', sku: 'SKU_AG_PING_01' } as Delivery['sale'],
  grant: null,
}
/** Something that begins while there is room, and the step that takes it to its end. */
type Begun = { name: string; begin(): Promise<unknown>; goesOn(begun: never): Promise<unknown>; to: unknown }
const case_ = <Of>(
  name: string,
  begin: () => Promise<Of>,
  goesOn: (begun: Of) => Promise<unknown>,
  to: unknown,
): Begun => ({ name, begin, goesOn, to })
/** What the worker looks at when its time has come, and puts off until 4e12. */
const putOff = (name: string, list: string, postpone: (member: string) => Promise<void>): Begun =>
  case_(
    `${name} that waits for its turn`,
    async () => {
      const member = `waiting ${seeds++}`
      await books.redis.zadd(list, 5, member)
      return member
    },
    async (member) => {
      await postpone(member)
      return books.redis.zscore(list, member)
    },
    '4000000000000',
  )
async function claimed() {
  const begun = fresh()
  expect(await claim(begun)).toBe('won')
  return begun
}
async function settled() {
  const { key } = await claimed()
  const paid = someSettled(seeds++)
  await books.ledger.recordSettled(key, paid, 8453)
  return { key, delivery: { ...ANSWER, attestationId: `a${seeds}`, sale: { ...ANSWER.sale, tx: paid.tx } } }
}

describe('I4, I5 what began goes on however full the store is', () => {
  const CASES: readonly Begun[] = [
    case_(
      'a claim whose settlement is under way',
      claimed,
      ({ key }) => books.ledger.recordSettled(key, someSettled(seeds++), 8453),
      'recorded',
    ),
    case_(
      'one that was refused',
      claimed,
      ({ key }) => books.ledger.recordRefused(key, 'no', 'void'),
      'recorded',
    ),
    case_(
      'a refused one that is sent again',
      async () => {
        const begun = await claimed()
        await books.ledger.recordRefused(begun.key, 'insufficient_funds', 'refused')
        return begun
      },
      (begun) => claim(begun),
      'won',
    ),
    case_(
      'one whose money has moved already',
      async () => fresh(),
      (begun) => claim(begun, true),
      'won',
    ),
    case_(
      'the transaction of a claim, noted before it is sent',
      async () => {
        await books.redis.set(KEYS.fence, '1')
        return (await claimed()).key
      },
      (key) => books.ledger.recordBroadcast([key], `0x${'a'.repeat(64)}`, '1'),
      true,
    ),
    case_(
      'a claim that waits for its turn',
      async () => (await claimed()).key,
      (key) => books.ledger.postpone('settling', key, 5),
      undefined,
    ),
    case_('the answer to what is paid', settled, ({ key, delivery }) => books.ledger.deliver(key, delivery), {
      body: ANSWER.body,
      paymentResponse: 'response',
    }),
    case_(
      'the same answer once more',
      async () => {
        const begun = await settled()
        await books.ledger.deliver(begun.key, begun.delivery)
        return begun
      },
      ({ key, delivery }) => books.ledger.deliver(key, delivery),
      { body: ANSWER.body, paymentResponse: 'response' },
    ),
    case_(
      'a transfer that was made by hand',
      async () => someSettled(seeds++),
      (paid) => books.ledger.claimTransfer(transferKey(8453, paid.tx, 3), someTerms(), paid, 8453),
      'won',
    ),
    case_(
      'an intent that gets its money',
      async () => {
        const intent = `intent ${seeds++}`
        await open(intent)
        return intent
      },
      (intent) =>
        intents.step(intent, 1, {
          body: '{}',
          buyer: 'buyer',
          waiting: false,
          unanswered: true,
          forgetAtMs: null,
          transfers: [`transfer ${seeds++}`],
        }),
      'stored',
    ),
    case_(
      'a transfer that is seen on its way',
      async () => '',
      () => intents.see('t', 'i'),
      undefined,
    ),
    case_(
      'credit that is given for money',
      async () => `lot ${seeds++}`,
      async (lot) => (await credits.deposit(lot, 5n, CREDIT.account, CREDIT.auth)).outcome,
      'deposited',
    ),
    putOff('held credit', KEYS.holds, (purchase) => credits.postponeHold(purchase, 4e12)),
    putOff('a card checkout', KEYS.checkouts, (digest) => cards.postpone(digest, 4e12)),
    case_(
      'card money that bought nothing',
      async () => `session ${seeds++}`,
      async (sessionId) => [
        await strays.keepStray({ sessionId, ...STRAY }, 1),
        await strays.strayDone(sessionId, 'given back', 2),
        await strays.strayKeptMs(sessionId),
      ],
      ['kept', true, 1],
    ),
    case_(
      'an event of the card provider',
      async () => `event ${seeds++}`,
      async (id) => {
        await cards.noteEvent(id)
        return cards.knowsEvent(id)
      },
      true,
    ),
    case_(
      'the id of a payment whose money has moved already',
      async () => payingId(),
      (named) => createPaymentIds(books.redis, { answerTtlMs: DAY }).bindPaid(named),
      { outcome: 'free' },
    ),
    case_(
      'the id of a payment that is sent again',
      async () => {
        const named = payingId()
        await createPaymentIds(books.redis, { answerTtlMs: DAY }).bind(named)
        return named
      },
      (named) => createPaymentIds(books.redis, { answerTtlMs: DAY }).bind(named),
      { outcome: 'free' },
    ),
    case_(
      'how far its books were gone through before it opens',
      async () =>
        ({
          mark: { epoch: 'e', beat: 1 },
          end: { number: 7n, hash: `0x${'a'.repeat(64)}`, timeMs: 0 },
        }) as const,
      async ({ mark, end }) => {
        const progress = createProgress(books.redis, 'usdc_base', 'joined', mark)
        await progress.keep(1n, end)
        return progress.after(1n, { blockAt: async () => end })
      },
      { number: 7n, hash: `0x${'a'.repeat(64)}`, timeMs: 0 },
    ),
    case_(
      'what its books do not explain',
      async () => ({ until: 7n, items: [], unlistedSinceMs: null }),
      async (open) => {
        await writeOpenItems(books.redis, 'usdc_base', open)
        return readOpenItems(books.redis, 'usdc_base')
      },
      { until: 7n, items: [], unlistedSinceMs: null },
    ),
    case_(
      'the mark that it is alive',
      () => beginLedger(books.redis, 1),
      async (mark) => {
        const beat = await beatLedger(books.redis, { ...mark!, server: null }, 'secret', 'lives')
        return beat !== null && beat > 1
      },
      true,
    ),
    case_(
      'what the settler says of itself',
      async () => createSettlerState(books.redis),
      async (state) => {
        await state.say('gas')
        return state.problem()
      },
      'gas',
    ),
    case_(
      'money that a buyer asks for before it is there',
      async () => `sought ${seeds++}`,
      async (name) => {
        const tx = `0x${'b'.repeat(64)}`
        await intents.seek(name, 'site', { rail: 'usdc_base', tx, sinceMs: 7 }, 8)
        return [await intents.sought(name), await books.redis.zscore(KEYS.sought, name)]
      },
      [{ rail: 'usdc_base', tx: `0x${'b'.repeat(64)}`, sinceMs: 7 }, '8'],
    ),
    case_(
      'who settles',
      async () => 'room',
      async (name) => {
        const leadership = lead(books.redis, { name, log: quietLog })
        const fence = await until('somebody leads', async () => leadership.fence())
        await leadership.stop()
        return fence
      },
      '1',
    ),
  ]
  test.each(CASES)('$name', async ({ begin, goesOn, to }) => {
    const begun = (await begin()) as never
    await fill(16)
    await expect(books.redis.set('anything', 'else')).rejects.toThrow(/^OOM/)
    expect(await goesOn(begun)).toEqual(to)
  })
})
