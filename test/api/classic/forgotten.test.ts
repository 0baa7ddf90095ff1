import { describe, expect, test } from 'vitest'
import { UNPAID_KEPT_MS } from '../../../api/classic/money.ts'
import { GRACE_MS, INTENT_MS } from '../../../api/classic/open.ts'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { classicWorld, type Said, SECRET } from './world.ts'

const world = classicWorld({ openingSale: true })
const TTL_MS = INTENT_MS + GRACE_MS + UNPAID_KEPT_MS //  by the world's clock, which the tests move

const rowOf = ({ json }: Said) => KEYS.intent(world.nameOf(json.payment.intentId))
const ttlMs = (said: Said) => world.store.redis.pttl(rowOf(said))
async function credited(buyer: string, micro: bigint) {
  const holder = { account: accountDigest(buyer), auth: creditAuthDigest(world.secret, buyer, SECRET) }
  await world.credits.deposit(`lot-${buyer}`, micro, holder.account, holder.auth)
  return holder
}
/** Passes the time for paying, and for fetching what credit is held for. */
async function isOver() {
  world.pass(INTENT_MS + GRACE_MS)
  await world.watch()
}

describe('an intent that no money came for is forgotten, however it ended: the ledger is not filled for nothing', () => {
  test('credit was held for it and given back: a thousand cost what one costs', async () => {
    const holder = await credited('holds', 1_000n)
    const open = (key: string) => {
      const body = { sku: 'SKU_AG_SNIFF_01', buyerId: 'holds', creditSpendAuth: SECRET } //  its text comes later
      return world.post('/purchase-intent', body, { headers: { 'idempotency-key': key } })
    }
    for (const key of ['one', 'two']) {
      const said = await open(key)
      expect([said.status, said.json.payment.state]).toEqual([400, 'Confirmed'])
      await isOver()
      expect((await world.credits.balance(holder))?.freeMicro).toBe(1_000n)
      const keptMs = await ttlMs(said)
      expect(keptMs).toBeGreaterThan(0)
      expect(keptMs).toBeLessThanOrEqual(world.nowMs - Date.now() + TTL_MS)
      expect(
        await world.store.redis.zscore(KEYS.intents.kept, rowOf(said).slice(KEYS.intent('').length)),
      ).not.toBeNull()
      expect((await open(key)).json.code).toBe('intent_lapsed') //  while it is kept, the key still names it
    }
  })

  test('a report of the opening sale that was never drawn', async () => {
    const { goods } = world
    world.loseDataOnceOpened()
    const said = await world.post(
      '/purchase-intent',
      { sku: 'SKU_INQUIRY_01', buyerId: 'free' },
      { agent: 'free' },
    )
    expect([said.status, said.json.payment.state]).toEqual([503, 'Confirmed'])
    world.goods = goods
    await isOver()
    expect(await ttlMs(said)).toBeGreaterThan(0)
  })

  test('I4 one that money came for is not, nor one that was answered', async () => {
    const { intentId, amountAtomic } = await world.open({ sku: 'SKU_AG_SNIFF_01' })
    world.cash.send('usdc_base', { atomic: amountAtomic })
    await world.watch()
    await credited('answered', 2_490_000n)
    const body = { sku: 'SKU_INQUIRY_01', buyerId: 'answered', creditSpendAuth: SECRET }
    const answered = await world.post('/purchase-intent', body)
    expect(answered.status).toBe(200)
    await isOver()
    world.pass(2 * UNPAID_KEPT_MS)
    await world.watch()
    expect(JSON.parse((await world.intents.find(world.nameOf(intentId)))!.body).state).toBe('Refunded')
    expect(await world.store.redis.pttl(KEYS.intent(world.nameOf(intentId)))).toBe(-1)
    expect(await ttlMs(answered)).toBe(-1)
  })
})
