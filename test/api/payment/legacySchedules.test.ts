import fc from 'fast-check'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GoodPorts } from '../../../api/goods/good.ts'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { createFinalityLedger, type FinalityLedger } from '../../../api/ledger/finality.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { transferKey } from '../../../api/ledger/ledger.ts'
import { createIntentIds } from '../../../api/payment/intentId.ts'
import { type LegacyPorts, sellByTransfer } from '../../../api/payment/legacy.ts'
import { OBJECTION_MS } from '../../../api/payment/legacyTimes.ts'
import { sha256Hex } from '../../../api/receipts/canonical.ts'
import { answerClaims } from '../../../api/worker/answerClaims.ts'
import { createFinalityWatch } from '../../../api/worker/watchFinality.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { DAY, MINUTE, SECOND } from '../../../ops/units.ts'
import { openLedger, quietLog } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { CHOICES, createTurns, SCHEDULES } from '../../support/turns.ts'
import { createModelChain } from './modelChain.ts'
import { answers, callOf, soldPing, terms } from './sold.ts'

/** The real requests and duties of the worker over a real ledger; a node that is down or behind, a chain that is cut back. */
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

const SENDER: Hex = `0x${'77'.repeat(20)}`
const sold = soldPing

const SIGNATURE: Hex = `0x${'22'.repeat(65)}`
const KINDS = ['signed', 'unsigned', 'stranger', 'answers', 'finality'] as const
const EVENTS = [
  'mined',
  'reorganisation',
  'node down',
  'node up',
  'node lags',
  'node has all',
  'objection time',
  'minute',
] as const
/** What has happened one after the other before all else happens at once. */
const BEFORE: readonly (readonly ((typeof KINDS)[number] | (typeof EVENTS)[number])[])[] = [
  [],
  ['mined', 'stranger'],
  ['mined', 'stranger', 'unsigned', 'objection time'],
  ['mined', 'signed', 'finality', 'reorganisation', 'finality', 'minute'],
]
const isKind = (one: string): one is (typeof KINDS)[number] => KINDS.some((kind) => kind === one)
const plans = fc.record({
  before: fc.constantFrom(...BEFORE),
  work: fc.array(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      dies: fc.option(fc.nat({ max: 8 }), { freq: 4 }),
      loses: fc.array(fc.nat({ max: 8 }), { maxLength: 1 }),
    }),
    { minLength: 2, maxLength: 8 },
  ),
  events: fc.array(fc.constantFrom(...EVENTS, 'mined' as const), { maxLength: 8 }),
  choices: CHOICES,
  isPaid: fc.boolean(), // whether the transfer is on the chain in the end
})

test('I2, I4, CLS-03, CHN-03 whatever happens at once, and whoever dies: a transfer buys once, for one of those who show it, and nothing once it has left the chain', async () => {
  const holds = fc.asyncProperty(plans, async ({ before, work, events, choices, isPaid }) => {
    await book.redis.flushall()
    const issuedMs = Date.now()
    const clock = { nowMs: () => Date.now() }
    const intents = createIntentIds(terms.secret, sold.good.path, terms.payTo)
    const value = BigInt(sold.offer.amount) - 7n
    const own = intents.issue({ issuedMs, amountMicroUsdc: value })
    const copied = intents.issue({ issuedMs, amountMicroUsdc: value })
    const model = createModelChain({
      payer: SENDER,
      payTo: terms.payTo as Hex,
      value,
      nonce: `0x${'00'.repeat(32)}`,
      endMs: Number.POSITIVE_INFINITY,
      nowMs: Date.now,
    })
    const tx = model.newTx()
    model.send(tx)
    const contested = KEYS.contenders(transferKey(8453, tx, 0))
    const chain: typeof model.chain = {
      ...model.chain,
      //  a transfer that its sender has sent himself, and a node that has to be there to say so
      async transfers(...asked) {
        const found = await model.chain.transfers(...asked)
        return Array.isArray(found) ? found.map((each) => ({ ...each, byAuthorization: false })) : found
      },
      authorizationOf: async () => null,
      async isSignedByWallet(_, text, signature) {
        await model.chain.isSignedByWallet(SENDER, text, signature)
        return signature === SIGNATURE && text.includes(own)
      },
    }
    let laterMs = 0
    const deceived: unknown[] = []
    const ledger: typeof book.ledger = {
      ...book.ledger,
      async claimTransfer(...claim) {
        const ofSender = sha256Hex(`${own}\n${tx}`)
        const shown = await book.redis.zscore(contested, ofSender)
        const outcome = await book.ledger.claimTransfer(...claim)
        if (outcome === 'won' && shown !== null && claim[1].paymentHash !== ofSender) deceived.push(shown)
        return outcome
      },
    }
    type Through = <Port extends object>(port: Port) => Port
    //  a process that dies while it asks the node would keep one of the few places that all schedules share
    const portsOf = (through: Through, toNode: Through) =>
      ({
        ledger: through(ledger),
        credits: through(createCreditLedger(book.redis)),
        chain: toNode(chain),
        chainId: 8453,
        clock,
        intentClock: clock,
        faultPoint: () => {},
        answers,
        goods: {} as GoodPorts,
        finality: { reached: async () => true },
        finalityLedger: through(createFinalityLedger(book.redis)),
        answerTtlMs: DAY,
        log: quietLog,
      }) as unknown as LegacyPorts &
        Parameters<typeof answerClaims>[0] & {
          chain: typeof chain
          finalityLedger: FinalityLedger
        }
    const watchOf = (ports: ReturnType<typeof portsOf>) =>
      createFinalityWatch({
        ...ports,
        finality: ports.finalityLedger,
        answers: terms,
        finalBlocks: 20,
      })
    const replies: { kind: string; status: number; body: string }[] = []
    const doWork = async (
      kind: (typeof KINDS)[number],
      ports: ReturnType<typeof portsOf>,
      watch = watchOf(ports),
    ) => {
      const nowMs = Date.now() + laterMs
      if (kind === 'answers') return void (await answerClaims(ports, nowMs + 4 * SECOND))
      if (kind === 'finality') return void (await watch(nowMs))
      const intentId = kind === 'stranger' ? copied : own
      const header = JSON.stringify({ intentId, txHash: tx, paymentRail: 'usdc_base' })
      const call = callOf(kind === 'signed' ? SIGNATURE : '')
      const { status, body } = await sellByTransfer(header, call, { ...sold, intents }, ports)
      replies.push({ kind, status, body: String(body) })
    }
    const happens: Record<(typeof EVENTS)[number], () => unknown> = {
      mined: model.mine,
      reorganisation: () => model.reorganise(),
      'node down': () => model.setDown(true),
      'node up': () => model.setDown(false),
      'node lags': () => model.setLag(3n),
      'node has all': () => model.setLag(0n),
      'objection time': async () => {
        for (const who of await book.redis.zrange(contested, '0', '-1'))
          await book.redis.zincrby(contested, -OBJECTION_MS.other, who)
      },
      minute: () => {
        laterMs += MINUTE
      },
    }
    const happen = async (event: (typeof EVENTS)[number]) => void (await happens[event]())
    const asItIs: Through = (port) => port
    const calm = portsOf(asItIs, asItIs)
    for (const one of before)
      if (isKind(one)) await doWork(one, calm)
      else await happen(one)
    const turns = createTurns(choices)
    const failures: unknown[] = []
    for (const [index, { kind, dies, loses }] of work.entries())
      void turns
        .turnOf(`${index} ${kind}`)
        .then(() =>
          doWork(kind, portsOf(turns.process(`${index}`, dies, loses), turns.process(`${index}`, null))),
        )
        .catch((error) => void (error instanceof UnavailableError || failures.push(error)))
    void (async () => {
      for (const event of events) await turns.step(event, () => happen(event))
    })()
    const taken = await turns.run()
    for (const event of ['node up', 'node has all'] as const) await happen(event)
    if (isPaid) model.mine()
    else model.reorganise({ dropped: true })
    const watch = watchOf(calm)
    const settleDown = async () => {
      for (let pass = 0; pass < 4; pass++) {
        await happen('minute')
        for (const duty of ['answers', 'finality'] as const) await doWork(duty, calm, watch)
      }
    }
    await settleDown()
    const asked = replies.length
    await doWork('signed', calm)
    await doWork('stranger', calm)
    await settleDown()
    const story = [...before, '', ...taken, '', JSON.stringify(replies)].join('\n')
    const entries = await book.redis.xrange(KEYS.sales, '-', '+')
    const netMicro = entries.reduce(
      (sum, [, [, text]]) => sum + BigInt(JSON.parse(text!).amountMicroUsdc),
      0n,
    )
    if (!isPaid) {
      expect([failures, netMicro], story).toEqual([[], 0n])
      expect(
        replies.slice(asked).map(({ status }) => status),
        story,
      ).not.toContain(200)
      return
    }
    const bought = replies.filter(({ status }) => status === 200)
    const buyers = new Set(bought.map(({ kind }) => (kind === 'stranger' ? kind : 'sender')))
    const bodies = new Set(bought.map(({ body }) => body))
    expect([failures, deceived, netMicro, buyers.size, bodies.size], story).toEqual([[], [], value, 1, 1])
    //  only patience without an objection lets anybody have it who has not signed
    if (![...before, ...events].includes('objection time')) expect([...buyers], story).toEqual(['sender'])
  })
  await fc.assert(holds, { numRuns: SCHEDULES, endOnFailure: true })
}, 3_600_000)
