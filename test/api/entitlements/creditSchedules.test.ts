import fc from 'fast-check'
import { expect, test } from 'vitest'
import { paidMicro } from '../../../api/classic/book.ts'
import { decodeIntent } from '../../../api/classic/intent.ts'
import { fulfill, purchase, settle, unavailableReply } from '../../../api/classic/routes.ts'
import { noteToken } from '../../../api/classic/show.ts'
import { watchIntents } from '../../../api/classic/watch.ts'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { guessesOf } from '../../../api/entitlements/guesses.ts'
import { digestOfToken, tokenOf } from '../../../api/entitlements/token.ts'
import { GOODS, sellableOfSku } from '../../../api/goods/index.ts'
import { referralShare } from '../../../api/ledger/cards.ts'
import { createFinalityLedger } from '../../../api/ledger/finality.ts'
import { intentClaimKey } from '../../../api/ledger/intentKeys.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { createReferralLedger } from '../../../api/ledger/referrals.ts'
import { sellByCredit } from '../../../api/payment/credit.ts'
import { isRefund } from '../../../api/payment/refundMark.ts'
import { answerClaims } from '../../../api/worker/answerClaims.ts'
import { gateWithClassic } from '../../../api/worker/classicGate.ts'
import { watchClassicMoney } from '../../../api/worker/watchClassicMoney.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { quietLog } from '../../support/ledger.ts'
import { CHOICES, createTurns, SCHEDULES } from '../../support/turns.ts'
import { createCash, signedFor } from '../classic/cash.ts'
import { allBoards, BUYER, classicWorld, SECRET } from '../classic/world.ts'
import { buy } from './bought.ts'

/** Store credit: bought, spent, held and taken back by the real requests and duties, each call at a chosen time. */
const world = classicWorld()

const FRIEND = accountDigest('friend')
const READS = ['read', 'read', 'read key', 'read with code'] as const
const OPENS = ['open report', 'open report', 'open report key', 'open pass', 'open pack'] as const
const ASKS = ['fulfill 0', 'fulfill 1', 'settle last'] as const
const DUTIES = ['intents', 'purchases', 'answers', 'finality'] as const
const EVENTS = [
  'pay',
  'pay half',
  'pay twice',
  'first leaves',
  'last leaves',
  'all return',
  'pack leaves',
  'pack returns',
  'no data',
  'data',
  'minute',
  'ten minutes',
  'hour',
  'worker looks',
] as const
type Event = (typeof EVENTS)[number]
type Kind =
  | (typeof READS)[number]
  | (typeof OPENS)[number]
  | (typeof ASKS)[number]
  | (typeof DUTIES)[number]
  | 'pay out'

/** What has happened one after the other before all else happens at once. */
const PAID = ['pay', 'settle last', 'fulfill 0', 'worker looks'] as const
const SOLD = ['open report', ...PAID] as const
const NOTED = [...SOLD, 'pay', 'worker looks', 'settle last'] as const
const LOOKED = ['worker looks', 'minute'] as const
const BEFORE: readonly (readonly (Kind | Event)[])[] = [
  ['open report'],
  ['open pass'],
  ['pack leaves', ...LOOKED],
  ['open report', 'pack leaves', ...LOOKED, 'worker looks'],
  SOLD,
  [...SOLD, 'first leaves', ...LOOKED],
  [...SOLD, 'first leaves', ...LOOKED, 'worker looks', 'minute'],
  ['open pack', ...PAID],
  ['open pack', ...PAID, 'read', 'first leaves', ...LOOKED, 'worker looks'],
  NOTED,
  [...NOTED, 'last leaves', ...LOOKED],
  [...NOTED, 'last leaves', ...LOOKED, 'worker looks', 'minute'],
]

const rarely = <Value, Else>(value: fc.Arbitrary<Value>, otherwise: Else) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary: value })
const plans = fc.record({
  isLocked: fc.boolean(), // bought with its secret; else there is a claim code
  own: fc.constantFrom(0n, 300_000n, 1_000_000n, 3_000_000n), // credit besides, whose money stays
  before: fc.constantFrom(...BEFORE),
  work: fc.array(
    fc.record({
      kind: fc.constantFrom<Kind>(
        ...READS,
        ...OPENS,
        ...ASKS,
        'fulfill 0',
        'fulfill 0',
        ...DUTIES,
        'pay out',
      ),
      dies: rarely(fc.nat({ max: 14 }), null),
      loses: rarely(fc.tuple(fc.nat({ max: 14 })), []),
    }),
    { minLength: 2, maxLength: 10 },
  ),
  events: fc.array(fc.constantFrom<Event>(...EVENTS, 'pay', 'pay', 'minute', 'worker looks'), {
    maxLength: 12,
  }),
  choices: CHOICES,
  stays: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }), // what is on its chain in the end
  packStays: fc.boolean(),
})
type Plan = typeof plans extends fc.Arbitrary<infer Value> ? Value : never

const ON_RAIL = new Set(['byHash', 'covers', 'since', 'quote'])
type Through = <Port extends object>(port: Port, methods?: ReadonlySet<string>) => Port
type Ports = ReturnType<typeof portsOf>
function portsOf(through: Through) {
  const { ledger, credits, intents, rails, ...rest } = world.ports
  //  a spend that nobody answers is taken over by the next who asks, at once: nobody sleeps
  const later = { ...ledger, nowMs: async () => world.nowMs + 4 * SECOND }
  return {
    ...rest,
    get goods() {
      return world.goods
    },
    ledger: through(later),
    credits: through(credits),
    intents: through(intents),
    rails: rails.map((rail) => through(rail, ON_RAIL)),
    finalityLedger: through(createFinalityLedger(world.store.redis)),
    referrals: through(createReferralLedger(world.store.redis)),
    log: quietLog,
  }
}

const holder = () => ({ account: accountDigest(BUYER), auth: creditAuthDigest(world.secret, BUYER, SECRET) })
const read = GOODS.find(({ sku }) => sku === 'SKU_AG_BOT_FUEL_01')!
const soldRead = {
  good: read,
  offer: { amount: '250000', asset: '0xA', payTo: '0xB' },
  challenge: (code: string) => ({ status: 402, headers: [], body: JSON.stringify({ code }) }),
} as unknown as Parameters<typeof sellByCredit>[1]

/** A pack of credit, and what may happen to it and to what is bought with it. */
async function scene({ isLocked, own, before }: Pick<Plan, 'isLocked' | 'own' | 'before'>) {
  const { redis } = world.store
  await redis.config('SET', 'appendfsync', 'no') // no power is lost here, and it is thousands of schedules
  await redis.flushall()
  world.nowMs = Date.now()
  world.goods = allBoards()
  const cash = createCash(() => world.nowMs)
  Object.assign(world.ports, { rails: cash.rails, guesses: guessesOf({}) })
  const pack = await buy('SKU_AG_CREDITS_02', world.store, () => world.nowMs, isLocked ? holder() : null)
  if (own > 0n) await world.credits.deposit('own', own, holder().account, holder().auth)
  const told: { intentId: string; atomic: bigint }[] = []
  const sent: Sent[] = []
  const send = (part: bigint) => {
    const { intentId, atomic } = told.at(-1) ?? { intentId: '', atomic: 0n }
    if (atomic > 0n)
      sent.push({
        intentId,
        atomic: atomic / part,
        tx: cash.send('usdc_base', { atomic: atomic / part }),
        back: null,
      })
  }
  const leave = (one: Sent | undefined) => {
    if (one !== undefined) one.back ??= cash.forget(one.tx)
  }
  const bringBack = () => {
    for (const one of sent) {
      one.back?.()
      one.back = null
    }
  }
  const happen: Record<Event, () => unknown> = {
    pay: () => send(1n),
    'pay half': () => send(2n),
    'pay twice': () => [send(1n), send(1n)],
    'first leaves': () => leave(sent[0]),
    'last leaves': () => leave(sent.at(-1)),
    'all return': bringBack,
    'pack leaves': () => pack.model.reorganise(),
    'pack returns': pack.model.mine,
    'no data': () => {
      world.goods = { ...allBoards(), boards: {} }
    },
    data: () => {
      world.goods = allBoards()
    },
    minute: () => world.pass(MINUTE),
    'ten minutes': () => world.pass(10 * MINUTE),
    hour: () => world.pass(HOUR),
    'worker looks': async () => {
      for (const duty of DUTIES) await doDuty(duty, set, portsOf(direct))
    },
  }
  const set = {
    heard: [] as Told[],
    pack,
    told,
    sent,
    happen: (event: Event) => happen[event](),
    /** Everything answers again; all money is where it stays. */
    calm({ stays, packStays }: Pick<Plan, 'stays' | 'packStays'>) {
      bringBack()
      world.goods = allBoards()
      for (const { tx } of sent) cash.amend(tx, { confirmations: 6 })
      for (const [index, one] of sent.entries()) if (!stays[index]) leave(one)
      if (packStays) pack.model.mine()
      else pack.model.reorganise({ dropped: true })
    },
    isThere: ({ back }: Sent) => back === null,
  }
  for (const one of before)
    if (isEvent(one)) await set.happen(one)
    else set.heard.push({ kind: one, ...(await ask(one, set, portsOf(direct))) })
  return set
}
const direct: Through = (port) => port
const isEvent = (one: Kind | Event): one is Event => EVENTS.some((event) => event === one)
type Scene = {
  pack: Awaited<ReturnType<typeof buy>>
  told: { intentId: string; atomic: bigint }[]
  sent: Sent[]
  isThere(one: Sent): boolean
}
type Sent = { intentId: string; tx: string; atomic: bigint; back: (() => void) | null }
type Told = { kind: Kind; intentId: string; status: number; body: string }

const TERMS: Record<string, { sku: string; payload?: object }> = {
  report: { sku: 'SKU_INQUIRY_01', payload: {} },
  pass: { sku: 'SKU_AG_HOUR_PASS_01' },
  pack: { sku: 'SKU_AG_CREDITS_02' },
}
const NOBODY = { agentId: '', address: '', creditAuth: '', claimCode: '', idempotencyKey: '' }

async function ask(kind: Kind, set: Scene, ports: Ports): Promise<Omit<Told, 'kind'>> {
  const idempotencyKey = kind.endsWith('key') ? 'key' : ''
  const of = ({ status, body }: { status: number; body: unknown }, intentId = '') => ({
    status,
    body: String(body),
    intentId,
  })
  if (kind.startsWith('read')) {
    const call = {
      ...{
        rawQuery: '',
        payload: '',
        agentId: BUYER,
        creditAuth: SECRET,
        idempotencyKey,
        payerSignature: '',
      },
      claimCode: kind === 'read with code' ? set.pack.token : '',
      ...{ wrongSecret: () => {}, secretWaitS: () => 0 },
    }
    return of(await sellByCredit(call, soldRead, ports))
  }
  if (kind.startsWith('open')) {
    const terms = { ...TERMS[kind.split(' ')[1]!] }
    const body = {
      ...terms,
      buyerId: BUYER,
      paymentRail: 'usdc_base' as const,
      creditSpendAuth: SECRET,
      referralCode: 'friend',
    }
    const said = of(
      await purchase(
        { ...NOBODY, body, buyer: BUYER, idempotencyKey } as Parameters<typeof purchase>[0],
        ports,
      ),
    )
    const { payment } = JSON.parse(said.body)
    if (payment === undefined) return said
    const { intentId, amountAtomic } = payment
    if (!set.told.some((one) => one.intentId === intentId))
      set.told.push({ intentId, atomic: BigInt(amountAtomic) })
    return said
  }
  const last = set.sent.at(-1)
  if (kind === 'settle last' && last !== undefined) {
    const body = await signedFor({ intentId: last.intentId, txHash: last.tx })
    return of(await settle({ ...NOBODY, body, buyer: BUYER }, ports), last.intentId)
  }
  const intentId = set.told[kind === 'fulfill 1' ? 1 : 0]?.intentId ?? ''
  const asked = { ...NOBODY, body: { intentId }, buyer: BUYER }
  return of(await (kind === 'settle last' ? settle : fulfill)(asked, ports), intentId)
}

async function doDuty(duty: Kind, set: Scene, ports: Ports, watch = watchOf(set, ports)): Promise<unknown> {
  const { finalityLedger: finality } = ports
  const gate = gateWithClassic({ reached: async () => true }, ports)
  if (duty === 'intents') return await watchIntents(ports)
  if (duty === 'answers') return await answerClaims({ ...ports, finality: gate }, world.nowMs + 4 * SECOND)
  if (duty === 'purchases') return await watchClassicMoney({ ...ports, finality, chainId: 8453 }, world.nowMs)
  if (duty === 'finality') return await watch(world.nowMs)
  const payout = { operation: 'july', code: FRIEND, micro: 20_000n, reason: 'asked for' }
  return await ports.referrals.payOut(payout, world.nowMs)
}
const watchOf = ({ pack }: Scene, { finalityLedger }: Ports) => pack.watchOver(finalityLedger)
const isDuty = (kind: Kind): boolean => kind === 'pay out' || DUTIES.some((duty) => duty === kind)

/** The duties until nothing changes any more; in between the buyer shows all that he sent. */
async function settleDown(set: Scene): Promise<void> {
  const ports = portsOf(direct)
  const watch = watchOf(set, ports)
  const passAfter = async (...waits: number[]) => {
    for (const ms of waits) {
      world.pass(ms)
      for (const duty of DUTIES) await doDuty(duty, set, ports, watch)
    }
  }
  await passAfter(MINUTE, MINUTE, MINUTE, MINUTE)
  for (const { tx, intentId } of set.sent.filter(set.isThere)) {
    const body = await signedFor({ buyerId: BUYER, intentId, txHash: tx })
    await settle({ ...NOBODY, body, buyer: BUYER }, ports)
  }
  await passAfter(MINUTE, HOUR, DAY, MINUTE, MINUTE, 9 * DAY, MINUTE, MINUTE, MINUTE)
}

const microOf = (text: string | null | undefined): bigint => BigInt(text ?? 0)
const sumOf = <Item>(items: readonly Item[], of: (item: Item) => bigint): bigint =>
  items.reduce((sum, item) => sum + of(item), 0n)

/** What the books say in the end, of all purchases whoever heard of them. */
async function figures({ pack, sent, isThere }: Scene, own: bigint) {
  const { redis } = world.store
  const finality = createFinalityLedger(redis)
  const openMicro = async (token: string) => {
    const { state, figure } = await redis.hgetall(KEYS.lot(digestOfToken(token)))
    return state === 'open' ? microOf(figure) : 0n
  }
  const names = (await redis.keys('intent:*')).map((key) => key.slice('intent:'.length))
  const purchases = await Promise.all(
    names
      .filter((name) => /^[0-9a-f]{64}$/.test(name))
      .map(async (name) => {
        const intent = decodeIntent((await world.intents.find(name))!.body, world.secret)
        const claim = await finality.find(intentClaimKey(name))
        const isSold = claim?.answer != null && !claim.suspended
        const ofClaim = tokenOf(world.secret, 'credit', intentClaimKey(name))
        const codes = [ofClaim, ...intent.notes.map((note) => noteToken(world.secret, name, note))]
        return {
          pack: isSold ? (sellableOfSku(intent.sku)?.creditMicroUsdc ?? 0n) : 0n,
          state: intent.state,
          money: isSold ? paidMicro(intent) : 0n,
          held: isSold ? (intent.hold?.micro ?? 0n) : 0n,
          share: isSold ? referralShare(paidMicro(intent)) : 0n,
          codes: sumOf(await Promise.all(codes.map(openMicro)), (micro) => micro),
        }
      }),
  )
  const keys = (await redis.keys('claim:credit:*')).map((key) => key.slice('claim:'.length))
  const reads = await Promise.all(keys.map(async (key) => (await world.ports.ledger.find(key))!))
  const account = await redis.hgetall(KEYS.account(holder().account))
  const referral = await redis.hgetall(KEYS.referral(FRIEND))
  const [balance, debt, held] = [account.balance, account.debt, account.held].map(microOf) as [
    bigint,
    bigint,
    bigint,
  ]
  const packMicro = (await pack.suspended()) === null ? 2_000_000n : 0n
  const spentOn = reads.filter(({ answer }) => answer !== null && !isRefund(answer.body))
  return {
    balance,
    held,
    isHeld: (await redis.zcard(KEYS.holds)) > 0,
    isFrozenForDebt: debt > 0n === (account.frozen !== undefined),
    packMicro,
    credit: balance - debt + (await openMicro(pack.token)) + sumOf(purchases, ({ codes }) => codes),
    expected:
      packMicro +
      own +
      sumOf(sent.filter(isThere), ({ atomic }) => atomic) -
      sumOf(purchases, ({ money, held, pack }) => money + held - pack) -
      sumOf(spentOn, ({ amountMicroUsdc }) => amountMicroUsdc),
    states: purchases.map(({ state }) => state),
    reads: reads.length,
    unanswered: reads.filter(({ answer }) => answer === null).length,
    earned: microOf(referral.earned),
    shares: sumOf(purchases, ({ share }) => share),
    sales: Number(referral.sales ?? 0),
    sharing: purchases.filter(({ share }) => share > 0n).length,
    paidOut: microOf(referral.paid),
    payouts: await redis.hlen(KEYS.payouts),
  }
}

const isDark = ({ status, body }: Told): boolean =>
  status === 0 || body.includes('ledger_unavailable') || body.includes('settlement_pending')

test('I11, CRD whatever happens at once, and whoever dies: credit is what stands of what was bought, less what it bought', async () => {
  const happens = fc.asyncProperty(
    plans,
    async ({ isLocked, own, before, work, events, choices, ...ends }) => {
      const set = await scene({ isLocked, own, before })
      const turns = createTurns(choices)
      const failures: unknown[] = []
      const all = set.heard
      const doWork = async (kind: Kind, ports: Ports) => {
        if (isDuty(kind)) return await doDuty(kind, set, ports)
        const told: Told = { kind, intentId: '', status: 0, body: '' }
        all.push(told)
        const said = await ask(kind, set, ports).catch((error) => ({
          intentId: '',
          ...unavailableReply(error),
        }))
        Object.assign(told, { ...said, body: String(said.body) })
      }
      for (const [index, { kind, dies, loses }] of work.entries())
        void turns
          .turnOf(`${index} ${kind}`)
          .then(() => doWork(kind, portsOf(turns.process(`${index}`, dies, loses))))
          .catch((error) => void (error instanceof UnavailableError || failures.push(error)))
      void (async () => {
        for (const event of events) await turns.step(event, async () => set.happen(event))
      })()
      const taken = await turns.run()
      set.calm(ends)
      await settleDown(set)

      const found = await figures(set, own)
      const show = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
      const story = [
        before.join(),
        ...taken,
        '',
        ...all.map(({ kind, status, body }) => `${kind} ${status} ${body.slice(0, 300)}`),
        JSON.stringify(found, show),
        JSON.stringify(set.sent, show),
      ].join('\n')
      expect(failures, story).toEqual([])
      expect(found.credit, story).toBe(found.expected)
      expect([found.held, found.isHeld, found.isFrozenForDebt, found.unanswered], story).toEqual([
        0n,
        false,
        true,
        0,
      ])
      expect([found.balance >= 0n, found.packMicro > 0n], story).toEqual([true, ends.packStays])
      for (const state of found.states)
        expect(['Delivered', 'Refunded', 'Late', 'Expired'], story).toContain(state)
      expect([found.earned, found.sales], story).toEqual([found.shares, found.sharing])
      expect(found.paidOut, story).toBe(BigInt(found.payouts) * 20_000n)

      const reads = all.filter(({ kind }) => kind.startsWith('read'))
      const given = new Set(reads.filter(({ status }) => status === 200).map(({ body }) => body))
      const named = reads.filter(({ kind, status }) => kind === 'read key' && status === 200)
      expect(new Set(named.map(({ body }) => body)).size, story).toBeLessThanOrEqual(1)
      expect(found.reads, story).toBeGreaterThanOrEqual(given.size)
      expect(found.reads, story).toBeLessThanOrEqual(given.size + reads.filter(isDark).length)
      const fetched = all.filter(({ kind, status }) => kind.startsWith('fulfill') && status === 200)
      const answers = Map.groupBy(fetched, ({ intentId }) => intentId)
      for (const same of answers.values()) expect(new Set(same.map(({ body }) => body)).size, story).toBe(1)
    },
  )
  await fc.assert(happens, { numRuns: SCHEDULES, endOnFailure: true })
}, 3_600_000)
