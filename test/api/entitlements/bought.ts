import type { Hex } from 'viem'
import { tokenKindOf } from '../../../api/entitlements/issue.ts'
import { tokenOf } from '../../../api/entitlements/token.ts'
import { sellableOfSku } from '../../../api/goods/index.ts'
import { type CreditHolder, createCreditLedger } from '../../../api/ledger/credits.ts'
import type { FinalityLedger } from '../../../api/ledger/finality.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey } from '../../../api/ledger/ledger.ts'
import { deliverClaim } from '../../../api/payment/deliver.ts'
import { entitledOf } from '../../../api/worker/entitled.ts'
import { createFinalityWatch } from '../../../api/worker/watchFinality.ts'
import { assert } from '../../../ops/errors.ts'
import { type openLedger, quietLog, somePayment, someTerms } from '../../support/ledger.ts'
import { createModelChain } from '../payment/modelChain.ts'
import { newKey } from '../receipts/keys.ts'

const secret = Buffer.alloc(32, 7)
export const answers = {
  secret,
  receiptKey: newKey(),
  publicUrl: 'https://here.example',
  mode: 'sandbox' as const,
} as unknown as Parameters<typeof deliverClaim>[2]['answers']

/** What one payment on a chain of its own has bought and was given, and what may become of its money. */
export async function buy(
  sku: string,
  { ledger, redis }: ReturnType<typeof openLedger>,
  nowMs: () => number,
  creditTo: CreditHolder | null = null,
) {
  const good = sellableOfSku(sku)
  assert(good !== undefined, 'it is sold')
  const payment = somePayment(1)
  const { from: payer, to: payTo, nonce } = payment.authorization
  const key = authorizationKey(payment)
  const value = good.priceMicroUsdc
  const endMs = Number.POSITIVE_INFINITY
  const model = createModelChain({ payer, payTo, value, nonce, endMs, nowMs })
  const tx: Hex = model.newTx()
  model.mineUse(tx)
  const paid = await model.chain.fateIn(payment.asset, payer, nonce, tx)
  assert(paid?.kind === 'used', 'it has just been used')
  const where = { sku, creditTo, amountMicroUsdc: value, asset: payment.asset, payTo, payer }
  await ledger.claim(key, 'owner', someTerms(where), payment)
  await ledger.recordSettled(key, paid, 8453)
  const ports = { ledger, credits: createCreditLedger(redis), answers, faultPoint: () => {} }
  const claim = (await ledger.find(key))!
  await deliverClaim(claim, null, { ...ports, finality: { reached: async () => true } })
  const token = tokenOf(answers.secret, tokenKindOf(good)!, key)
  return {
    key,
    model,
    token,
    entitled: entitledOf((await ledger.find(key))!, answers),
    watchOver: (finality: FinalityLedger, chain = model.chain) =>
      createFinalityWatch({ finality, chain, answers, chainId: 8453, finalBlocks: 20, log: quietLog }),
    /** Since when what it bought is taken back; null: it stands. */
    suspended: () => redis.hget(KEYS.claim(key), 'suspended'),
  }
}
