import type { Redis } from 'ioredis'
import { createByHandLedger } from '../../api/ledger/byHand.ts'
import { createCardLedger, type Undone } from '../../api/ledger/cards.ts'
import { createCreditLedger } from '../../api/ledger/credits.ts'
import { type CreditEntry, createFinalityLedger } from '../../api/ledger/finality.ts'
import { reverseGone } from '../../api/ledger/goneSales.ts'
import { createIntentLedger, INTENT_LIMITS } from '../../api/ledger/intents.ts'
import { KEYS } from '../../api/ledger/keys.ts'
import { authorizationKey, type Sale, transferKey } from '../../api/ledger/ledger.ts'
import { createReferralLedger } from '../../api/ledger/referrals.ts'
import { sweepRows } from '../../api/worker/sweepRows.ts'
import { named, type openLedger, somePayment, someSettled, someTerms } from './ledger.ts'

const FAR = 4_000_000_000_000
const sale = (eventId: string) => ({ eventId, attestationId: `a-${eventId}` }) as Sale
export const digest = (letter: string) => letter.repeat(64)
const holder = { account: 'holder', auth: 'secret' }

/** Does everything that moves money or an entitlement, each step once. The ledger's settler has fence 1. */
export async function doEverything({ ledger, redis }: ReturnType<typeof openLedger>): Promise<void> {
  const credits = createCreditLedger(redis)
  const intents = createIntentLedger(redis)
  const cards = createCardLedger(redis)
  const finality = createFinalityLedger(redis)

  const withKey = (payment: ReturnType<typeof somePayment>) => ({ payment, key: authorizationKey(payment) })
  const [paid, refused] = [withKey(somePayment(1)), withKey(somePayment(2))]
  await ledger.claim(refused.key, 'owner', someTerms(), refused.payment)
  await ledger.recordRefused(refused.key, 'transfer_failed', 'refused')
  await redis.hset(KEYS.paymentId('named'), { claim: paid.key, fp: 'f1', at: 1, asks: 'question' })
  await ledger.claim(paid.key, 'owner', someTerms({ paymentId: 'named' }), paid.payment)
  await ledger.recordBroadcast([paid.key], '0xdead', '1')
  await ledger.recordSettled(paid.key, { ...someSettled(1), blockIndex: 9 }, 8453)
  const grant = {
    kind: 'pass',
    digest: digest('a'),
    sku: 'S',
    expiresMs: FAR,
    fields: { calls: '600' },
  } as const
  await ledger.deliver(paid.key, {
    body: 'body',
    paymentResponse: '',
    attestationId: 'a',
    attestation: '{}',
    sale: sale('one'),
    grant,
  })
  await ledger.spendCalls('pass', 'operation', new Map([[digest('a'), 3]]))
  await ledger.answerCall('pass', 'name', digest('a'), 'answer')
  await ledger.giveBackCall('pass', 'gives back', digest('a'))
  await ledger.claimTransfer(
    transferKey(8453, '0xcafe', 0),
    someTerms(),
    { ...someSettled(2), blockIndex: 9 },
    8453,
  )
  await redis.zadd('claims:watched', 1, 'auth:gone')
  await ledger.list('watched', 10, 1)

  await redis.zrem('claims:undelivered', 'tx:8453:0xcafe:log0')
  await sweepRows(redis, '0')

  await finality.gone(paid.key, someSettled(1), 8453)
  const entitled = { token: grant, lot: null, referral: { account: 'friend', micro: 5n } }
  await finality.suspend(paid.key, entitled, sale('one'))
  await finality.restore(paid.key, entitled, sale('one'))
  const elsewhere = { ...someSettled(1), logIndex: 4, blockNumber: 78n }
  await finality.move(paid.key, elsewhere, 8453, [sale('one'), sale('one')])
  await finality.final([{ key: paid.key, blockNumber: elsewhere.blockNumber }])

  await reverseGone(redis, paid.key, sale('gone'))

  await credits.deposit('lot-1', 5_000_000n, holder.account, holder.auth)
  await credits.deposit('lot-2', 2_000_000n, holder.account, null)
  await credits.openLot('lot-2', holder)
  const note = { digest: 'lot-2', micro: 2_000_000n, account: null }
  await finality.takeBack(note, { eventId: 'note' } as CreditEntry)
  await finality.giveBack(note, { eventId: 'note' } as CreditEntry)
  const byHand = { operation: 'one', money: 'tx:8453:0xfeed:log0', micro: 5n, reason: 'r', lot: 'lot-5' }
  await createByHandLedger(redis).grant(byHand, 'sandbox', FAR)
  await credits.claim('credit:one', someTerms({ amountMicroUsdc: 10_000n }), holder, 'question')
  await credits.answered('question', 'credit:one')
  const told = await credits.look({ lot: 'lot-3', micro: 7n, ...holder, way: 'bought' })
  await ledger.deliver('credit:one', {
    body: 'body',
    paymentResponse: '',
    attestationId: 'c',
    attestation: '{}',
    sale: sale('three'),
    grant: null,
    credit: { lot: 'lot-3', micro: 7n, ...holder, way: 'bought', told },
  })
  await credits.deposit('lot-4', 5n, holder.account, null)
  for (const digest of ['lot-1', 'lot-4']) {
    const bought = { token: null, lot: { digest, micro: 5n, account: holder.account } }
    await finality.gone('credit:one', someSettled(3), 8453)
    await finality.suspend('credit:one', bought, sale('three'))
    await finality.lost('credit:one', bought)
    await finality.restore('credit:one', bought, sale('three'))
  }
  await credits.hold('purchase-1', 100_000n, holder, FAR, named())
  await credits.endHold('purchase-1', holder.account, 'spent')
  await credits.hold('purchase-2', 300_000n, holder, FAR, { ...named('two'), isNamed: false })
  await credits.endHold('purchase-2', holder.account, 'released', 1)
  const lot = { digest: 'lot-2', micro: 2_000_000n, account: null }
  const entry = { eventId: 'e', kind: 'late', transfers: [], amountMicroUsdc: '2000000', mode: 'sandbox' }
  await finality.takeBack(lot, { ...entry, change: 'revoked' })
  await finality.giveBack(lot, { ...entry, change: 'restored' })

  const seven = { amount: 'usdc_base:7', untilMs: FAR, kinds: 100 }
  await intents.open('intent', 'v1', { graceUntilMs: FAR, buyer: 'buyer', amounts: [seven] })
  const step = { buyer: 'buyer', waiting: false, unanswered: true, forgetAtMs: null }
  await intents.step('intent', 1, { ...step, body: 'v2', transfers: ['tx:1:0xbeef:log0'] })
  const few = createIntentLedger(redis, { ...INTENT_LIMITS, kept: 0 })
  const eight = { amount: 'usdc_base:8', untilMs: FAR, kinds: 100 }
  await few.open('unpaid', 'v1', { graceUntilMs: FAR, buyer: 'buyer', amounts: [eight] })
  const body = JSON.stringify({ quotes: [{ rail: 'usdc_base', atomic: '8' }] })
  await few.step('unpaid', 1, { ...step, body, unanswered: false, forgetAtMs: FAR, transfers: [] })
  await intents.seek('unpaid', 'site', { rail: 'usdc_base', tx: '0xf00d', sinceMs: FAR }, FAR)
  await intents.reserveSlot('buyer')
  const hold = { purchase: 'purchase-2', micro: 300_000n, holder }
  const referral = { account: 'friend', micro: 7n }
  await intents.claim(
    'intent',
    2,
    someTerms({ via: 'transfer' }),
    { tx: '0xbeef', index: 0, atMs: 1 },
    {
      hold,
      saleBuyer: 'buyer',
      referral,
      body: 'v3',
    },
  )
  await intents.unwatch('intent', 3)
  await intents.unwatch('intent', 3)
  await intents.unclaim('intent', 3, { hold, referral, body: 'v4' })

  const from = { place: digest('p'), site: digest('s') }
  await cards.room(digest('c'), from, FAR)
  await cards.open({
    digest: digest('c'),
    sku: 'SKU_TOR_MCP_PRO',
    amountMicroUsdc: 12_350_000n,
    agent: '',
    from,
    referral: 'friend',
    sessionId: 'cs',
    url: 'http://127.0.0.1/c',
    requestHash: 'r',
    input: null,
    draft: '{}',
    createdMs: FAR,
    expiresMs: FAR,
  })
  const checkout = (await cards.find(digest('c')))!
  await cards.leave(checkout)
  await cards.lookAgain(digest('c'), FAR)
  await cards.unlook(digest('c'))
  const undone: Undone = { issued: grant, entry: sale('card') }
  const look = async () => (await cards.look(digest('c'), 0, 1_000))!
  await cards.paid(checkout, await look(), { terms: someTerms(), tx: 'pi', paidMs: 5 }, undone)
  await cards.end((await cards.find(digest('c')))!, await look(), 'refunded', undone)
  await cards.paid(checkout, await look(), null, undone)

  const payout = { operation: 'one', code: 'friend', micro: 1n, reason: 'r' }
  await createReferralLedger(redis).payOut(payout, FAR)
  await sweepRows(redis, '0')
}

/** Everything a store holds, without what differs from run to run: times. */
export async function booksOf(redis: Redis): Promise<Record<string, string>> {
  const read: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => redis.get(key),
    hash: async (key) => Object.entries(await redis.hgetall(key)).sort(),
    set: async (key) => (await redis.smembers(key)).sort(),
    //  sorted by member: scores that are times would give another order in each run
    zset: async (key) => {
      const members = (await redis.zrange(key, '0', '-1')).sort()
      return Promise.all(members.map(async (member) => [member, await redis.zscore(key, member)]))
    },
    stream: async (key) => (await redis.xrange(key, '-', '+')).map(([, fields]) => fields),
  }
  const keys = (await redis.keys('*')).sort()
  const rows = await Promise.all(keys.map(async (key) => read[await redis.type(key)]!(key)))
  const text = (row: unknown) => JSON.stringify(row).replaceAll(/\b1[6-9]\d{11}\b/g, 'now')
  return Object.fromEntries(keys.map((key, at) => [key, text(rows[at])]))
}
