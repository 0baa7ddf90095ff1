import { describe, expect, test } from 'vitest'
import { accountDigest } from '../../../api/entitlements/credit.ts'
import { createFinalityLedger } from '../../../api/ledger/finality.ts'
import { createReferralLedger } from '../../../api/ledger/referrals.ts'
import { watchClassicMoney } from '../../../api/worker/watchClassicMoney.ts'
import { SECOND } from '../../../ops/units.ts'
import { quietLog } from '../../support/ledger.ts'
import { BUYER, classicWorld } from './world.ts'

const world = classicWorld()
const REPORT = { sku: 'SKU_INQUIRY_01', payload: {} } // 2.49
let codes = 0
const earned = async (code: string) => {
  const { sales, earnedMicro } = await createReferralLedger(world.store.redis).earnings(accountDigest(code))
  return [sales, earnedMicro]
}
const pay = async (code: string) => {
  const payment = await world.open({ ...REPORT, referralCode: code })
  const share = (BigInt(payment.amountAtomic) * 500n) / 10_000n
  return { payment, share, txHash: world.cash.send('usdc_base', { atomic: payment.amountAtomic }) }
}
const fulfill = (intentId: string, txHash: string, side = 0) =>
  world.post('/fulfill', { buyerId: BUYER, intentId, txHash }, { side })

describe('4.2, ENT-17 a referral code earns by a classic sale', () => {
  test('5 % of the money that came, once however often it is fulfilled, never before', async () => {
    const code = `friend-${codes++}`
    const { payment, share, txHash } = await pay(code)
    expect(await earned(code)).toEqual([0, 0n])
    const answers = await Promise.all([0, 1, 0, 1].map((side) => fulfill(payment.intentId, txHash, side)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await earned(code)).toEqual([1, share])
    const again = await pay(code)
    await fulfill(again.payment.intentId, again.txHash)
    expect(await earned(code)).toEqual([2, share + again.share])
  })

  test('taken back when the money leaves its chain, given back with it', async () => {
    const code = `friend-${codes++}`
    const { payment, share, txHash } = await pay(code)
    await fulfill(payment.intentId, txHash)
    const restore = world.cash.forget(txHash)
    const watchAt = (seconds: number) =>
      watchClassicMoney(
        {
          intents: world.intents,
          credits: world.credits,
          rails: world.cash.rails,
          answers: world.ports.answers,
          finality: createFinalityLedger(world.store.redis),
          chainId: 8453,
          log: quietLog,
        },
        Date.now() + seconds * SECOND,
      )
    for (const seconds of [1, 40]) await watchAt(seconds)
    expect(await earned(code)).toEqual([0, 0n])
    restore()
    await watchAt(80)
    expect(await earned(code)).toEqual([1, share])
  })

  test.each([
    ['the buyer’s own', BUYER, {}],
    ['the buyer’s own in other letters', BUYER.toUpperCase().replace('0X', '0x'), {}],
    ['not an id', 'a b', {}],
    ['empty', '', {}],
  ])('%s: 400, nothing is opened', async (_, referralCode, options) => {
    const said = await world.post('/purchase-intent', { ...REPORT, buyerId: BUYER, referralCode }, options)
    expect([said.status, said.json.code]).toEqual([400, 'invalid_parameter'])
  })
})
