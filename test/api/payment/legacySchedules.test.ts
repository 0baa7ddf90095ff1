import fc from 'fast-check'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GoodPorts } from '../../../api/goods/good.ts'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { transferKey } from '../../../api/ledger/ledger.ts'
import { createIntentIds } from '../../../api/payment/intentId.ts'
import { type LegacyPorts, sellByTransfer } from '../../../api/payment/legacy.ts'
import { OBJECTION_MS } from '../../../api/payment/legacyTimes.ts'
import { sha256Hex } from '../../../api/receipts/canonical.ts'
import { answerClaims } from '../../../api/worker/answerClaims.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { DAY, SECOND } from '../../../ops/units.ts'
import { openLedger, quietLog } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { CHOICES, createTurns, SCHEDULES } from '../../support/turns.ts'
import { answers, callOf, soldPing, terms } from './sold.ts'

/** The real requests over a real ledger; a node that may be down or not have the transfer yet. No reorganisations. */
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

const TX: Hex = `0x${'1'.repeat(64)}`
const SIGNATURE: Hex = `0x${'22'.repeat(65)}`
const KEY = transferKey(8453, TX, 0)
const KINDS = ['signed', 'unsigned', 'stranger', 'answers'] as const
const EVENTS = ['mined', 'node down', 'node up', 'objection time'] as const
/** What has happened one after the other before all else happens at once. */
const BEFORE: readonly (readonly ((typeof KINDS)[number] | (typeof EVENTS)[number])[])[] = [
  [],
  ['mined', 'stranger'],
  ['mined', 'stranger', 'unsigned', 'objection time'],
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
})

test('I2, I4, CLS-03 whatever happens at once, and whoever dies: a transfer buys once, for one of those who show it', async () => {
  const happens = fc.asyncProperty(plans, async ({ before, work, events, choices }) => {
    await book.redis.flushall()
    const issuedMs = Date.now()
    const clock = { nowMs: () => Date.now() }
    const intents = createIntentIds(terms.secret, sold.good.path, terms.payTo)
    const value = BigInt(sold.offer.amount) - 7n
    const own = intents.issue({ issuedMs, amountMicroUsdc: value })
    const copied = intents.issue({ issuedMs, amountMicroUsdc: value })
    let isDown = false
    let isMined = false
    const up = async <Value>(said: Value): Promise<Value> => {
      if (isDown) throw new UnavailableError('chain_unavailable', 'the test has cut it off')
      return said
    }
    const moved = { to: terms.payTo, from: SENDER, value, blockMs: issuedMs, byAuthorization: false }
    const place = { tx: TX, logIndex: 0, blockIndex: 0, blockNumber: 100n }
    const chain = {
      transfers: () => up(isMined ? [{ ...moved, ...place }] : null),
      isSignedByWallet: (_: Hex, text: string, signature: Hex) =>
        up(signature === SIGNATURE && text.includes(own)),
    }
    const deceived: unknown[] = []
    const ledger: typeof book.ledger = {
      ...book.ledger,
      async claimTransfer(...claim) {
        const ofSender = sha256Hex(`${own}\n${TX}`)
        const shown = await book.redis.zscore(KEYS.contenders(KEY), ofSender)
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
        answerTtlMs: DAY,
        log: quietLog,
      }) as unknown as LegacyPorts & Parameters<typeof answerClaims>[0]
    const replies: { kind: string; status: number; body: string }[] = []
    const doWork = async (kind: (typeof KINDS)[number], ports: ReturnType<typeof portsOf>) => {
      if (kind === 'answers') return void (await answerClaims(ports, Date.now() + 4 * SECOND))
      const intentId = kind === 'stranger' ? copied : own
      const header = JSON.stringify({ intentId, txHash: TX, paymentRail: 'usdc_base' })
      const call = callOf(kind === 'signed' ? SIGNATURE : '')
      const { status, body } = await sellByTransfer(header, call, { ...sold, intents }, ports)
      replies.push({ kind, status, body: String(body) })
    }
    const happen = async (event: (typeof EVENTS)[number]) => {
      if (event === 'mined') isMined = true
      else if (event === 'objection time')
        for (const who of await book.redis.zrange(KEYS.contenders(KEY), '0', '-1'))
          await book.redis.zincrby(KEYS.contenders(KEY), -OBJECTION_MS.other, who)
      else isDown = event === 'node down'
    }
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
    isDown = false
    isMined = true
    await doWork('answers', calm)
    await doWork('signed', calm)
    await doWork('stranger', calm)
    const story = [...before, '', ...taken, '', JSON.stringify(replies)].join('\n')
    const sales = await book.redis.xlen(KEYS.sales)
    const bought = replies.filter(({ status }) => status === 200)
    const buyers = new Set(bought.map(({ kind }) => (kind === 'stranger' ? kind : 'sender')))
    const bodies = new Set(bought.map(({ body }) => body))
    expect([failures, deceived, sales, buyers.size, bodies.size], story).toEqual([[], [], 1, 1, 1])
    //  only patience without an objection lets anybody have it who has not signed
    if (![...before, ...events].includes('objection time')) expect([...buyers], story).toEqual(['sender'])
  })
  await fc.assert(happens, { numRuns: SCHEDULES, endOnFailure: true })
}, 3_600_000)
