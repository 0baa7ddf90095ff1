import fc from 'fast-check'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GoodPorts } from '../../../api/goods/good.ts'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { createFinalityLedger } from '../../../api/ledger/finality.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { createPaymentIds } from '../../../api/payment/extensions/paymentIds.ts'
import type { X402Ports } from '../../../api/payment/sale.ts'
import { sellByX402 } from '../../../api/payment/x402.ts'
import type { SettleOutcome } from '../../../api/settlement/facilitatorAnswers.ts'
import { createFacilitatorSettlement } from '../../../api/settlement/facilitatorSettlement.ts'
import { answerClaims } from '../../../api/worker/answerClaims.ts'
import { reconcile } from '../../../api/worker/reconcile.ts'
import { createFinalityWatch } from '../../../api/worker/watchFinality.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { freshNonce, headerOf, payloadOf, termsFor } from '../../support/buyer.ts'
import { openLedger, quietLog } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { CHOICES, createTurns, SCHEDULES } from '../../support/turns.ts'
import { createModelChain } from './modelChain.ts'
import { answers, callOf, soldPing, terms } from './sold.ts'

/** The real requests and duties of the worker over a real ledger; a facilitator and a chain that do what they may do. */
let redis: TestRedis
let book: ReturnType<typeof openLedger>
beforeAll(async () => {
  redis = await startRedis({ appendfsync: 'always' })
  book = openLedger(redis.url)
})
afterAll(async () => {
  book?.close()
  await redis?.stop()
})

const PAYER: Hex = `0x${'77'.repeat(20)}`
const sold = soldPing
const call = callOf()

const PERSONAS = [
  'honest',
  'loses its reply',
  'pending',
  'pending for ever',
  'refuses',
  'refuses, then sends',
  'names what it never sent',
  'says nothing, and sends',
  'is away',
] as const
const EVENTS = [
  'mined',
  'reorganisation',
  'payer cancels',
  'somebody else submits it',
  'lease runs out',
  'node down',
  'node up',
  'node lags',
  'node has all',
  'minute',
  'window is over',
] as const
type Event = (typeof EVENTS)[number]
const DUTIES = ['reconcile', 'answers', 'finality'] as const

const plans = fc.record({
  work: fc.array(
    fc.record({
      kind: fc.constantFrom('ask' as const, 'ask' as const, 'ask' as const, ...DUTIES),
      dies: fc.option(fc.nat({ max: 10 }), { freq: 4 }),
    }),
    { minLength: 2, maxLength: 8 },
  ),
  events: fc.array(fc.constantFrom(...EVENTS, 'mined' as const, 'lease runs out' as const), {
    maxLength: 10,
  }),
  personas: fc.array(fc.constantFrom(...PERSONAS), { minLength: 4, maxLength: 4 }),
  choices: CHOICES,
  isPaid: fc.boolean(), // whether it is used in the end, if that can be
})
type Plan = typeof plans extends fc.Arbitrary<infer Value> ? Value : never

/** One payment, whoever may send it, and what may happen to it. */
async function scene(personas: Plan['personas']) {
  await book.redis.flushall()
  let nowMs = Date.now()
  const clock = { nowMs: () => nowMs }
  const offer = { ...sold.offer } as Parameters<typeof termsFor>[0]
  const signed = { ...termsFor(offer, PAYER), nonce: freshNonce() }
  const header = headerOf({ ...payloadOf(offer, signed, `0x${'11'.repeat(65)}`), extensions: {} })
  const key = `auth:8453:${offer.asset.toLowerCase()}:${PAYER}:${signed.nonce}`
  const model = createModelChain({
    payer: PAYER,
    payTo: terms.payTo as Hex,
    value: BigInt(sold.offer.amount),
    nonce: signed.nonce,
    endMs: Number(signed.validBefore) * SECOND,
    nowMs: clock.nowMs,
  })
  const sent: { tx: Hex; by: string }[] = []
  const newTx = (by: string) => {
    const tx = model.newTx()
    sent.push({ tx, by })
    return tx
  }

  const settleAs = (how: (typeof PERSONAS)[number]): SettleOutcome => {
    const refused = { kind: 'refused', reason: 'insufficient_funds', isSent: false, tx: null } as const
    if (how === 'is away') throw new UnavailableError('facilitator_unavailable', how)
    if (how === 'refuses') return refused
    const tx = newTx(how)
    if (how === 'honest' || how === 'loses its reply') model.mineUse(tx)
    else if (how !== 'pending for ever' && how !== 'names what it never sent') model.send(tx)
    if (how === 'honest' || how === 'names what it never sent') return { kind: 'settled', tx }
    if (how === 'refuses, then sends') return refused
    return how.startsWith('pending') ? { kind: 'pending', tx } : { kind: 'unknown', tx: null }
  }
  let settles = 0
  const facilitator = {
    verify: async () => null,
    settle: async () => settleAs(personas[settles++ % personas.length]!),
  }
  const happen: Record<Event, () => unknown> = {
    mined: model.mine,
    reorganisation: () => model.reorganise(),
    'payer cancels': model.cancel,
    'somebody else submits it': () => model.mineUse(newTx('somebody else')),
    'lease runs out': async () => {
      if (await book.redis.hexists(KEYS.claim(key), 'lease'))
        await book.redis.hset(KEYS.claim(key), 'lease', '1')
    },
    'node down': () => model.setDown(true),
    'node up': () => model.setDown(false),
    'node lags': () => model.setLag(3n),
    'node has all': () => model.setLag(0n),
    minute: () => {
      nowMs += MINUTE
    },
    'window is over': () => {
      nowMs += 6 * MINUTE
    },
  }
  return {
    header,
    key,
    model,
    facilitator,
    clock,
    sent,
    happen: (event: Event) => happen[event](),
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}
type Scene = Awaited<ReturnType<typeof scene>>

type Ports = ReturnType<typeof portsOf>
function portsOf({ model, facilitator, clock }: Scene, through: <Port extends object>(port: Port) => Port) {
  const shared = {
    ledger: through(book.ledger),
    credits: through(createCreditLedger(book.redis)),
    chain: through(model.chain),
    chainId: 8453,
    clock,
    faultPoint: () => {},
    answers,
  }
  return {
    ...shared,
    finalityLedger: through(createFinalityLedger(book.redis)),
    settlement: createFacilitatorSettlement({
      ...shared,
      facilitator: through(facilitator),
      doubtAfterMs: 0,
    }),
    paymentClock: clock,
    paymentIds: createPaymentIds(book.redis, { answerTtlMs: DAY }),
    classify: ((_, signature) => ({ signature, signer: 'ecdsa' })) as X402Ports['classify'],
    finality: { reached: async () => true },
    goods: {} as GoodPorts,
    settleWaitMs: 0,
    answerTtlMs: DAY,
    log: quietLog,
  }
}
const finalityWatchOf = (ports: Ports) =>
  createFinalityWatch({
    ...ports,
    finality: ports.finalityLedger,
    answers: terms,
    finalBlocks: 20,
  })
const ask = async ({ header }: Scene, ports: Ports) => {
  const { status, body } = await sellByX402(header, call, sold, ports)
  return { status, body: String(body) }
}
async function doDuty(
  duty: (typeof DUTIES)[number],
  { clock }: Scene,
  ports: Ports,
  watch = finalityWatchOf(ports),
) {
  if (duty === 'reconcile') await reconcile(ports, clock.nowMs() + 12 * SECOND)
  else if (duty === 'answers') await answerClaims(ports, clock.nowMs() + 4 * SECOND)
  else await watch(clock.nowMs())
}

/** The node answers again, the payment is used or never will be, and the duties go on until nothing changes. */
async function settleDown(set: Scene, isPaid: boolean): Promise<void> {
  const { model } = set
  for (const event of ['node up', 'node has all'] as const) set.happen(event)
  if (isPaid) model.mine()
  else model.reorganise({ dropped: true })
  const ports = portsOf(set, (port) => port)
  const watch = finalityWatchOf(ports)
  const passAfter = async (...waits: number[]) => {
    for (const ms of waits) {
      set.pass(ms)
      for (const duty of DUTIES) await doDuty(duty, set, ports, watch)
    }
  }
  await passAfter(MINUTE, MINUTE, MINUTE, MINUTE, 6 * MINUTE, HOUR)
  model.grow(100n)
  await passAfter(MINUTE, 6 * MINUTE, HOUR, 6 * HOUR)
}

/** What the books say of it: the claim, and the sum of its sales and their reversals. */
async function figures({ key }: Scene) {
  const claim = await createFinalityLedger(book.redis).find(key)
  const entries = await book.redis.xrange(KEYS.sales, '-', '+')
  return {
    state: (await book.ledger.find(key))?.state ?? null,
    isAnswered: claim?.answer != null,
    isSuspended: claim?.suspended ?? false,
    netMicro: entries.reduce((sum, [, [, text]]) => sum + BigInt(JSON.parse(text!).amountMicroUsdc), 0n),
  }
}

test('RPL, CRA, CHN whatever happens at once, and whoever dies: a payment that moved is one sale with one answer, one that did not is none', async () => {
  const happens = fc.asyncProperty(plans, async ({ work, events, personas, choices, isPaid }) => {
    const set = await scene(personas)
    const turns = createTurns(choices)
    const failures: unknown[] = []
    const replies: { status: number; body: string; sentBefore: number; sentUntil: number }[] = []
    const doWork = async (kind: Plan['work'][number]['kind'], ports: Ports) => {
      if (kind !== 'ask') return await doDuty(kind, set, ports)
      const sentBefore = set.sent.length
      replies.push({ ...(await ask(set, ports)), sentBefore, sentUntil: set.sent.length })
    }
    for (const [index, { kind, dies }] of work.entries())
      void turns
        .turnOf(`${index} ${kind}`)
        .then(() => doWork(kind, portsOf(set, turns.process(`${index}`, dies))))
        .catch((error) => void (error instanceof UnavailableError || failures.push(error)))
    void (async () => {
      for (const event of events) await turns.step(event, async () => set.happen(event))
    })()
    const taken = await turns.run()
    await settleDown(set, isPaid)

    const story = [...taken, '', JSON.stringify(set.sent), JSON.stringify(replies)].join('\n')
    const { state, isAnswered, isSuspended, netMicro } = await figures(set)
    const by = set.model.usedBy()
    const answered = new Set(replies.filter(({ status }) => status === 200).map(({ body }) => body))
    expect([failures, answered.size <= 1], story).toEqual([[], true])
    if (by === null) {
      expect(netMicro, story).toBe(0n)
      const isNone = state === null || state === 'refused' || state === 'void' || isSuspended
      expect(isNone, story).toBe(true)
      return
    }
    const { by: sender } = set.sent.find(({ tx }) => tx === by)!
    if (state === null) {
      expect(sender, story).toBe('somebody else') //  and nobody's request got as far as a claim
      return
    }
    const sale = [state, isAnswered, isSuspended, netMicro]
    expect(sale, story).toEqual(['settled', true, false, BigInt(sold.offer.amount)])
    const last = await ask(
      set,
      portsOf(set, (port) => port),
    )
    expect([last.status, ...answered], story).toEqual([200, ...[...answered].map(() => last.body)])
    //  I5: nobody is told to sign another one once this was sent, except by who says that he did not send it; a stranger
    //  may do so right after we have looked
    const isDeceived =
      sender === 'refuses, then sends' || (sender === 'somebody else' && events.includes('reorganisation'))
    const place = set.sent.findIndex(({ tx }) => tx === by)
    const told = replies.filter(
      ({ status, sentBefore, sentUntil }) =>
        status === 402 && (sender === 'somebody else' ? sentBefore : sentUntil) > place,
    )
    expect(isDeceived ? [] : told, story).toEqual([])
  })
  await fc.assert(happens, { numRuns: SCHEDULES, endOnFailure: true })
}, 3_600_000)
