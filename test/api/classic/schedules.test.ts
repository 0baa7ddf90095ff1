import fc from 'fast-check'
import { expect, test } from 'vitest'
import { paidMicro } from '../../../api/classic/book.ts'
import { decodeIntent } from '../../../api/classic/intent.ts'
import { fulfill, settle, unavailableReply } from '../../../api/classic/routes.ts'
import { watchIntents } from '../../../api/classic/watch.ts'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { createFinalityLedger } from '../../../api/ledger/finality.ts'
import { intentClaimKey } from '../../../api/ledger/intentKeys.ts'
import { answerClaims } from '../../../api/worker/answerClaims.ts'
import { gateWithClassic } from '../../../api/worker/classicGate.ts'
import { watchClassicMoney } from '../../../api/worker/watchClassicMoney.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { quietLog } from '../../support/ledger.ts'
import { CHOICES, createTurns, SCHEDULES } from '../../support/turns.ts'
import { createCash, signedFor } from './cash.ts'
import { allBoards, BUYER, classicWorld, SECRET } from './world.ts'

/** The real requests and duties of the worker over a real ledger, each call of the ledger and of a rail at a chosen time. */
const world = classicWorld()

const ASKS = ['fulfill', 'fulfill first', 'fulfill last', 'settle first', 'settle last'] as const
const DUTIES = ['intents', 'purchases', 'answers'] as const
const EVENTS = [
  'send all',
  'send half',
  'first leaves',
  'last leaves',
  'all return',
  'young',
  'deep',
  'server lags',
  'server has all',
  'server down',
  'server up',
  'no data',
  'data',
  'minute',
  'ten minutes',
  'hour',
  'day',
] as const
type Event = (typeof EVENTS)[number]

const plans = fc.record({
  first: fc.constantFrom(4n, 4n, 2n, 3n, 6n), //  quarters of the price
  work: fc.array(
    fc.record({
      kind: fc.constantFrom(...ASKS, ...DUTIES),
      dies: fc.option(fc.nat({ max: 14 }), { freq: 4 }),
    }),
    { minLength: 1, maxLength: 7 },
  ),
  events: fc.array(fc.constantFrom(...EVENTS, 'send all' as const, 'first leaves' as const), {
    maxLength: 8,
  }),
  choices: CHOICES,
  stays: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }), // what is on its chain in the end
  asksOnceCalm: fc.boolean(),
})
type Plan = typeof plans extends fc.Arbitrary<infer Value> ? Value : never

const ON_RAIL = new Set(['byHash', 'covers', 'since', 'quote'])
type Ports = ReturnType<typeof portsOf>
function portsOf(through: <Port extends object>(port: Port, methods?: ReadonlySet<string>) => Port) {
  const { ledger, credits, intents, rails, ...rest } = world.ports
  return {
    ...rest,
    get goods() {
      return world.goods
    },
    ledger: through(ledger),
    credits: through(credits),
    intents: through(intents),
    rails: rails.map((rail) => through(rail, ON_RAIL)),
    finalityLedger: through(createFinalityLedger(world.store.redis)),
    log: quietLog,
  }
}

/** A purchase with its first transfer, and what may happen to it. */
async function scene(first: bigint) {
  await world.store.redis.flushall()
  world.nowMs = Date.now()
  world.goods = allBoards()
  const cash = createCash(() => world.nowMs)
  Object.assign(world.ports, { rails: cash.rails })
  const terms = { sku: 'SKU_AG_HOUR_PASS_01', paymentRail: 'usdc_base', creditSpendAuth: SECRET }
  const { intentId, amountAtomic } = await world.open(terms)
  const price = BigInt(amountAtomic)
  const sent: { tx: string; atomic: bigint; back: (() => void) | null }[] = []
  const send = (atomic: bigint) =>
    void sent.push({ tx: cash.send('usdc_base', { atomic }), atomic, back: null })
  const leave = (one: (typeof sent)[number]) => {
    one.back ??= cash.forget(one.tx)
  }
  const bringBack = () => {
    for (const one of sent) {
      one.back?.()
      one.back = null
    }
  }
  const deepen = (confirmations: number) => {
    for (const { tx, back } of sent) if (back === null) cash.amend(tx, { confirmations })
  }
  send((price * first) / 4n)
  const happen: Record<Event, () => void> = {
    'send all': () => send(price),
    'send half': () => send(price / 2n),
    'first leaves': () => leave(sent[0]!),
    'last leaves': () => leave(sent.at(-1)!),
    'all return': bringBack,
    young: () => deepen(1),
    deep: () => deepen(2),
    'server lags': () => cash.whole(false),
    'server has all': () => cash.whole(true),
    'server down': () => cash.down(true),
    'server up': () => cash.down(false),
    'no data': () => {
      world.goods = { ...allBoards(), boards: {} }
    },
    data: () => {
      world.goods = allBoards()
    },
    minute: () => world.pass(MINUTE),
    'ten minutes': () => world.pass(10 * MINUTE),
    hour: () => world.pass(HOUR),
    day: () => world.pass(DAY),
  }
  return {
    intentId: intentId as string,
    sent,
    happen: (event: Event) => happen[event](),
    /** Everything answers again; each transfer is where it stays. */
    calm(stays: readonly boolean[]) {
      for (const event of ['server up', 'server has all', 'data', 'all return'] as const) happen[event]()
      deepen(6)
      for (const [index, one] of sent.entries()) if (!stays[index]) leave(one)
    },
    isThere: ({ back }: (typeof sent)[number]) => back === null,
  }
}
type Scene = Awaited<ReturnType<typeof scene>>

async function doWork(kind: Plan['work'][number]['kind'], { intentId, sent }: Scene, ports: Ports) {
  const gate = gateWithClassic({ reached: async () => true }, ports)
  if (kind === 'intents') return await watchIntents(ports)
  if (kind === 'answers') return await answerClaims({ ...ports, finality: gate }, world.nowMs + 4 * SECOND)
  if (kind === 'purchases')
    return await watchClassicMoney({ ...ports, finality: ports.finalityLedger, chainId: 8453 }, world.nowMs)
  const [route, which] = kind.split(' ')
  const named = which === undefined ? undefined : which === 'first' ? sent[0] : sent.at(-1)
  const body = named === undefined ? { intentId } : await signedFor({ intentId, txHash: named.tx })
  const empty = { agentId: '', address: '', creditAuth: '', claimCode: '', idempotencyKey: '' }
  const asked = { body, buyer: BUYER, ...empty }
  try {
    return await (route === 'fulfill' ? fulfill : settle)(asked, ports)
  } catch (error) {
    return unavailableReply(error)
  }
}

/** The duties until nothing changes any more; in between the buyer may ask, and names all that he sent. */
async function settleDown(set: Scene, asks: boolean): Promise<void> {
  const ports = portsOf((port) => port)
  const passAfter = async (...waits: number[]) => {
    for (const ms of waits) {
      world.pass(ms)
      for (const duty of DUTIES) await doWork(duty, set, ports)
      if (asks) await doWork('fulfill', set, ports)
    }
  }
  await passAfter(MINUTE, MINUTE, MINUTE, MINUTE)
  for (const { tx } of set.sent.filter(set.isThere)) {
    const body = await signedFor({ buyerId: BUYER, intentId: set.intentId, txHash: tx })
    await world.post('/checkout/settle', body)
  }
  await passAfter(MINUTE, HOUR, DAY, MINUTE, MINUTE, 9 * DAY, MINUTE, MINUTE, MINUTE)
}

/** What the buyer has for his money: what stands of the purchase, and store credit. */
async function figures({ intentId, sent, isThere }: Scene) {
  const name = world.nameOf(intentId)
  const intent = decodeIntent((await world.intents.find(name))!.body, world.secret)
  const claim = await createFinalityLedger(world.store.redis).find(intentClaimKey(name))
  const holder = { account: accountDigest(BUYER), auth: creditAuthDigest(world.secret, BUYER, SECRET) }
  const account = await world.credits.balance(holder)
  return {
    state: intent.state,
    sold: claim?.answer != null && !claim.suspended ? paidMicro(intent) : 0n,
    credit: account?.balanceMicro ?? 0n,
    frozen: account?.frozen ?? false,
    onChain: sent.filter(isThere).reduce((sum, { atomic }) => sum + atomic, 0n),
  }
}

test('I1, I3, I4, I9 whatever happens at once, and whoever dies: in the end all that is on the chain has bought or is store credit, and nothing else has', async () => {
  const happens = fc.asyncProperty(plans, async ({ first, work, events, choices, stays, asksOnceCalm }) => {
    const set = await scene(first)
    const turns = createTurns(choices)
    const failures: unknown[] = []
    for (const [index, { kind, dies }] of work.entries())
      void turns
        .turnOf(`${index} ${kind}`)
        .then(() => doWork(kind, set, portsOf(turns.process(`${index}`, dies))))
        .catch((error) => failures.push(error))
    void (async () => {
      for (const event of events) {
        await turns.turnOf(event)
        set.happen(event)
      }
    })()
    const taken = await turns.run()
    set.calm(stays)
    await settleDown(set, asksOnceCalm)
    const { state, sold, credit, frozen, onChain } = await figures(set)
    const story = taken.join('\n')
    expect(failures, story).toEqual([])
    expect([sold + credit, frozen], story).toEqual([onChain, false])
    expect(['Delivered', 'Refunded', 'Late', 'Expired'], story).toContain(state)
  })
  await fc.assert(happens, { numRuns: SCHEDULES, endOnFailure: true })
}, 3_600_000)
